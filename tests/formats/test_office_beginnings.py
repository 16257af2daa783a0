"""The beginning of a long office file is a whole file of its own, with the styles and other parts of the long one."""

import zipfile
from dataclasses import replace
from io import BytesIO

import docx
import openpyxl
import pytest

from epitome.formats.office_beginnings import begin_book, begin_document
from epitome.formats.reading import FilePart, UnreadableFile, input_file
from epitome.formats.registry import FORMATS


def change_member(path, member, change):
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, raw in members.items():
            archive.writestr(name, change(raw) if name == member else raw)


@pytest.fixture
def book(tmp_path):
    path = tmp_path / "book.xlsx"
    stored = openpyxl.Workbook()
    for number in range(9):
        stored.active.append([f"d{number}", "Rain.", "=1+1"])
    stored.create_sheet("more").append(["other"])
    stored.save(path)
    return path


@pytest.fixture
def document(tmp_path):
    path = tmp_path / "walk.docx"
    stored = docx.Document()
    stored.add_heading("A walk", 0)
    table = stored.add_table(rows=2, cols=2)
    for number, cell in enumerate(cell for row in table.rows for cell in row.cells):
        cell.text = f"cell {number}"
    for number in range(9):
        stored.add_paragraph(f"Part {number}.")
    stored.save(path)
    return path


def test_a_book_ends_after_some_rows(book):
    beginning = begin_book(book, 3)
    loaded = openpyxl.load_workbook(beginning.stream)
    assert beginning.is_cut
    assert [row[0].value for row in loaded.worksheets[0].iter_rows()] == ["d0", "d1", "d2", "d3"]
    assert [sheet.title for sheet in loaded.worksheets] == ["Sheet", "more"]


@pytest.mark.parametrize("n_rows", [8, 20])
def test_a_book_of_few_rows_is_whole(book, n_rows):
    beginning = begin_book(book, n_rows)
    assert not beginning.is_cut
    assert openpyxl.load_workbook(beginning.stream).worksheets[0].max_row == 9


def test_a_document_ends_after_some_paragraphs_also_in_a_table(document):
    beginning = begin_document(document, 3)
    loaded = docx.Document(beginning.stream)
    assert beginning.is_cut
    assert [paragraph.text for paragraph in loaded.paragraphs] == ["A walk"]
    assert loaded.paragraphs[0].style.name == "Title"
    assert loaded.tables[0].cell(1, 0).text == "cell 2"


def test_a_document_of_few_paragraphs_is_whole(document):
    beginning = begin_document(document, 20)
    assert not beginning.is_cut
    assert docx.Document(beginning.stream).paragraphs[-1].text == "Part 8."


def test_what_is_damaged_behind_its_beginning_is_shown_and_then_refused(document):
    damage = 20_000 * b"<w:p/>" + b"</spoilt>"
    change_member(document, "word/document.xml", lambda raw: raw.replace(b"</w:body>", damage))
    file = input_file(document)
    assert list(FORMATS["word"].read_rows(replace(file, part=FilePart(4))))
    with pytest.raises(UnreadableFile, match="damaged"):
        list(FORMATS["word"].read_rows(file))


def test_the_rows_of_a_sheet_with_prefixed_names_are_all_read(book):
    def prefix(raw):
        return raw.replace(b"<", b"<x:").replace(b"<x:/", b"</x:").replace(b" xmlns=", b" xmlns:x=")

    change_member(book, "xl/worksheets/sheet1.xml", prefix)
    assert not begin_book(book, 3).is_cut
    stored = BytesIO(begin_book(book, 3).stream.getvalue())
    assert openpyxl.load_workbook(stored).worksheets[0].max_row == 9

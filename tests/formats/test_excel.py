"""Sheets as Excel, XlsxWriter and pandas write them: titles, hidden sheets, escapes, formulas."""

import datetime

import pytest

from epitome.formats.excel import read_excel_rows
from epitome.formats.options import ImportOptions
from epitome.formats.reading import UnreadableFile, input_file
from epitome.formats.sources import read_sources
from tests.formats.helpers import only_fault, records, text_of
from tests.formats.office_files import change_sheet

pytest.importorskip("openpyxl")
TEXT = "The council met on Monday and voted on the bridge over the harbour."


def make_book(path, *sheets, hidden=()):
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book.active)
    for place, rows in enumerate(sheets):
        sheet = book.create_sheet(f"Sheet {place}")
        for row in rows:
            sheet.append(row)
        sheet.sheet_state = "hidden" if place in hidden else "visible"
    book.save(path)
    return path


def read_values(path):
    return [row.values for row in read_excel_rows(input_file(path))]


def read(path, **mapping):
    return list(read_sources(input_file(path), ImportOptions("excel", mapping=mapping or None)))


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("line one_x000D_\nline two", "line one\nline two"),
        ("a_x000d_b_x0009_c", "a\nb\tc"),
        ("_x005F_x000D_ stays", "_x000D_ stays"),
        ("a wolf _xD83D__xDC3A_", "a wolf 🐺"),
        ("max_x and _xyz1_", "max_x and _xyz1_"),
    ],
)
def test_escaped_characters_are_decoded(tmp_path, written, text):
    (row,) = read_values(make_book(tmp_path / "s.xlsx", [("id", "text"), ("a", written)]))
    assert row["text"] == text


def test_a_typed_escape_in_the_shared_texts_stays(tmp_path):
    """As XlsxWriter stores a text with `_x0041_` in it."""
    path = make_book(tmp_path / "s.xlsx", [("id", "text"), ("a", "shared")])
    shared = "<si><t>_x005F_x0041_ is typed</t></si>"
    change_sheet(path, 't="inlineStr"><is><t>shared</t></is>', 't="s"><v>0</v>', shared=shared)
    assert read_values(path) == [{"id": "a", "text": "_x0041_ is typed"}]


@pytest.mark.parametrize(
    "titles",
    [
        [("Export of 2026",)],
        [("Export of 2026",), (), ("made by hand",), ()],
        [("Export of", datetime.date(2026, 3, 4))],
    ],
)
def test_the_header_is_found_below_titles(tmp_path, titles):
    path = make_book(tmp_path / "s.xlsx", [*titles, ("id", "text", "summary"), (151, TEXT, "A vote.")])
    assert read_values(path) == [{"id": 151, "text": TEXT, "summary": "A vote."}]


def test_a_header_of_names_that_we_do_not_know_is_found_below_a_title(tmp_path):
    path = make_book(tmp_path / "s.xlsx", [("Ausfuhr",), ("Kennung", "Inhalt", "Kürzung"), (1, TEXT, "A vote.")])
    assert read_values(path) == [{"Kennung": 1, "Inhalt": TEXT, "Kürzung": "A vote."}]


def test_a_header_that_names_too_few_columns_is_refused_with_its_rows(tmp_path):
    path = make_book(tmp_path / "s.xlsx", [("Export",), (1, TEXT, "A vote.", 4)])
    fault = only_fault(read(path))
    assert "row 1 names 1 column, but row 2 has cells in 3 more" in fault.message
    assert (fault.code, fault.fatal) == ("header", True)


def test_an_index_column_without_a_name_is_no_reason_to_refuse(tmp_path):
    assert read_values(make_book(tmp_path / "s.xlsx", [(None, "text"), (0, TEXT), (1, "b")]))[0] == {"text": TEXT}
    one_column = make_book(tmp_path / "t.xlsx", [("text",), (TEXT,), ("A second text.",)])
    assert [row["text"] for row in read_values(one_column)] == [TEXT, "A second text."]


def test_rows_of_question_texts_and_import_ids_are_no_sources(tmp_path):
    header = ("ResponseId", "text", "summary")
    questions, ids = ("Response ID", "Read this", "Summarize"), tuple(f'{{"ImportId":"QID{n}"}}' for n in range(3))
    path = make_book(tmp_path / "s.xlsx", [header, questions, ids, ("R_1", TEXT, "A vote.")])
    assert [row["ResponseId"] for row in read_values(path)] == ["R_1"]


def test_a_hidden_sheet_is_not_read(tmp_path):
    hidden, shown = [("id", "text"), ("x", "old list")], [("id", "text"), ("a", TEXT)]
    assert read_values(make_book(tmp_path / "s.xlsx", hidden, shown, hidden={0})) == [{"id": "a", "text": TEXT}]
    with pytest.raises(UnreadableFile, match=r"hidden sheets only \(Sheet 0\)"):
        read_values(make_book(tmp_path / "t.xlsx", hidden, [], hidden={0}))


def make_formula_book(tmp_path, result):
    """As XlsxWriter stores the text "== History ==": a formula with a result of its own."""
    rows = [("id", "text", "n"), ("a", "== History ==", 1), ("b", TEXT, "=1+1")]
    path = make_book(tmp_path / "s.xlsx", rows)
    return change_sheet(path, "<f>= History ==</f><v></v>", f"<f>= History ==</f>{result}")


@pytest.mark.parametrize(("result", "words"), [("<v>0</v>", "the result 0"), ("<v/>", "no result")])
def test_a_formula_in_the_text_is_a_fault_and_never_a_number(tmp_path, result, words):
    fault, record = read(make_formula_book(tmp_path, result))
    assert (fault.code, fault.line, fault.field) == ("formula", 1, "text")
    assert words in fault.message and "type it with ' before it" in fault.message
    assert text_of(record) == TEXT


def test_a_text_that_a_formula_gave_is_what_the_sheet_shows(tmp_path):
    path = make_book(tmp_path / "s.xlsx", [("id", "text"), ("a", '=B9&"x"')])
    change_sheet(
        path, '<c r="B2"><f>B9&amp;"x"</f><v></v></c>', f'<c r="B2" t="str"><f>B9&amp;"x"</f><v>{TEXT}</v></c>'
    )
    (record,) = records(read(path))
    assert text_of(record) == TEXT


def test_the_error_of_a_cell_is_no_text(tmp_path):
    path = make_book(tmp_path / "s.xlsx", [("id", "text", "note"), ("a", TEXT, "#REF!")])
    assert read_values(path) == [{"id": "a", "text": TEXT, "note": None}]


def test_what_is_left_out_is_remarked(tmp_path):
    first = [("Export",), ("id", "text", None), ("a", TEXT, "stray")]
    file = input_file(make_book(tmp_path / "s.xlsx", first, [("id", "text"), ("b", TEXT)], [], [("x",)], hidden={3}))
    list(read_excel_rows(file))
    assert file.notes.as_list() == [
        "sheet Sheet 0: rows above the header are taken for a title and left out",
        "row 1: cells in columns that have no name in the header are left out",
        "sheet Sheet 0: further sheets are not read (Sheet 1); save each as a file of its own",
    ]
    rounded = input_file(make_book(tmp_path / "r.xlsx", [("id", "text"), (1234567890123450, TEXT), (12, TEXT)]))
    list(read_excel_rows(rounded))
    assert "row 1: a number has more than 15 digits" in rounded.notes.as_list()[0]
    indexed = input_file(make_book(tmp_path / "t.xlsx", [(None, "text"), (0, TEXT), (1, "b")]))
    list(read_excel_rows(indexed))
    assert file.notes.as_list() and not indexed.notes.as_list()

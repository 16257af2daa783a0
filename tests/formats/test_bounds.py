"""The bounds of packed files and papers, lowered here so that small sound files meet them."""

import docx
import openpyxl
import pytest

from epitome.formats import archives, excel, word
from epitome.formats.papers import PaperFault, latex, latex_macros, read_papers, reading
from epitome.formats.reading import UnreadableFile, input_file
from epitome.formats.registry import FORMATS

LATEX = r"""\documentclass{a}
\newcommand{\one}{\two\two}\newcommand{\two}{\three\three}\newcommand{\three}{pier }
\begin{document}\section{A}\one\end{document}
"""
BODY = "<text><body><div><head>A</head><p>The pier.</p></div></body></text>"
TEI = f'<TEI xmlns="http://www.tei-c.org/ns/1.0">{BODY}</TEI>'


@pytest.fixture
def files(tmp_path):
    """{format: path} of sound files."""
    book, document = openpyxl.Workbook(), docx.Document()
    book.active.append(["id", "text"])
    book.active.append(["a", "The pier is made wider."])
    book.save(tmp_path / "a.xlsx")
    document.add_paragraph("The pier is made wider.")
    document.save(tmp_path / "a.docx")
    return {"excel": tmp_path / "a.xlsx", "word": tmp_path / "a.docx"}


def read(kind, path):
    return list(FORMATS[kind].read_rows(input_file(path)))


@pytest.mark.parametrize("kind", ["excel", "word"])
def test_an_office_file_within_all_bounds_is_read(files, kind):
    assert len(read(kind, files[kind])) == 1


@pytest.mark.parametrize(
    ("kind", "module", "name", "bound", "words"),
    [
        ("excel", excel, "MAX_SHEET_PART", 100, "bytes, more than 100"),
        ("word", word, "MAX_WORD_PART", 100, "bytes, more than 100"),
        ("excel", archives, "MAX_MEMBERS", 3, "members, more than 3"),
        ("word", archives, "MAX_MEMBERS", 3, "members, more than 3"),
        ("excel", archives, "MAX_TOTAL", 1000, "more than 1,000 bytes"),
        ("word", archives, "MAX_DIRECTORY", 50, "directory of"),
        ("excel", archives, "MAX_RATIO", 0, "times its size"),
        ("word", archives, "MAX_RATIO", 0, "times its size"),
    ],
)
def test_an_office_file_beyond_a_bound_is_refused_before_it_is_opened(
    files, monkeypatch, kind, module, name, bound, words
):
    monkeypatch.setattr(archives, "RATIO_FROM", 10)
    monkeypatch.setattr(module, name, bound)
    for library, opener in ((openpyxl, "load_workbook"), (docx, "Document")):
        monkeypatch.delattr(library, opener)
    with pytest.raises(UnreadableFile, match=words) as refused:
        read(kind, files[kind])
    assert refused.value.fault.code == "archive"


def read_paper(tmp_path, name, source):
    path = tmp_path / name
    path.write_text(source)
    [paper] = read_papers(path, name)
    return paper


@pytest.mark.parametrize(("name", "source"), [("p.tex", LATEX), ("p.xml", TEI)])
def test_a_paper_longer_than_the_bound_is_refused_unread(tmp_path, monkeypatch, name, source):
    assert not isinstance(read_paper(tmp_path, name, source), PaperFault)
    monkeypatch.setattr(reading, "MAX_FILE", 50)
    assert str(read_paper(tmp_path, name, source)) == f"{name}: has more than 50 bytes; one paper stands in one file"


def test_macros_deeper_than_the_bound_are_a_fault(tmp_path, monkeypatch):
    monkeypatch.setattr(latex_macros, "MAX_DEPTH", 1)
    assert "macros expand without end" in str(read_paper(tmp_path, "p.tex", LATEX))


def test_macros_that_grow_beyond_the_bound_are_a_fault(tmp_path, monkeypatch):
    monkeypatch.setattr(latex, "MAX_GROWTH", 0)
    monkeypatch.setattr(latex, "_MIN_ROOM", 10)
    assert "macros expand without end" in str(read_paper(tmp_path, "p.tex", LATEX))


def test_entities_of_a_tei_file_are_not_expanded(tmp_path):
    declared = '<!DOCTYPE TEI [<!ENTITY pier "The pier.">]>' + TEI.replace("The pier.", "&pier;")
    fault = read_paper(tmp_path, "p.xml", declared)
    assert isinstance(fault, PaperFault)
    assert "p.xml" in str(fault)

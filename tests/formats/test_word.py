"""Word documents are read as Word shows them with all changes accepted."""

import pytest

from epitome.formats.plain_texts import read_word_row
from epitome.formats.reading import input_file
from epitome.formats.word import read_word_text
from tests.formats.office_files import cell, control, deleted, field, inserted, make_word, paragraph, run, table

pytest.importorskip("docx")
MOVED = '<w:{0} w:id="3" w:author="A" w:date="2026-01-01T00:00:00Z">{1}</w:{0}>'
DELETED_END = '<w:pPr><w:rPr><w:del w:id="4" w:author="A" w:date="2026-01-01T00:00:00Z"/></w:rPr></w:pPr>'
PICTURE_BOX = (
    '<w:r><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
    "<mc:Choice><w:drawing><w:txbxContent>{0}</w:txbxContent></w:drawing></mc:Choice>"
    "<mc:Fallback><w:pict><w:txbxContent>{0}</w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
)


def read(tmp_path, body):
    return read_word_text(input_file(make_word(tmp_path / "in.docx", body)))


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (
            paragraph(run("approved "), inserted(run("two million ")), deleted("one "), run("euros")),
            "approved two million euros",
        ),
        (
            paragraph(MOVED.format("moveFrom", run("gone ")))
            + paragraph(MOVED.format("moveTo", run("here ")), run("now")),
            "here now",
        ),
        (paragraph(run("on "), control(run("Monday"))) + control(paragraph(run("A block."))), "on Monday\nA block."),
        (control(paragraph(run("Click here")), properties="<w:showingPlcHdr/>") + paragraph(run("Yes.")), "Yes."),
        (
            paragraph('<w:smartTag w:uri="x" w:element="city">' + run("Rome") + "</w:smartTag>", run(" fell")),
            "Rome fell",
        ),
        (paragraph(run("page "), field(" PAGE ", "7"), run(" of 9")), "page 7 of 9"),
        (paragraph(run("on "), f'<w:fldSimple w:instr="DATE">{run("1 May")}</w:fldSimple>'), "on 1 May"),
        (paragraph(field(f" IF </w:instrText></w:r>{field(' X ', 'inner')}<w:r><w:instrText> ", "outer")), "outer"),
        (paragraph(f"<w:hyperlink>{run('a link')}</w:hyperlink>"), "a link"),
        (paragraph("<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>", run("shown")), "shown"),
        (f"<w:p>{DELETED_END}{run('One ')}</w:p>" + paragraph(run("line.")), "One line."),
        (
            paragraph("<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t></w:r>"),
            "a\tb\nc-d",
        ),
        (paragraph(run("Beside."), PICTURE_BOX.format(paragraph(run("In a box.")))), "Beside.\nIn a box."),
    ],
)
def test_the_text_that_word_shows(tmp_path, body, text):
    assert read(tmp_path, body).text == text


def test_a_merged_cell_stands_once_and_tables_in_tables_are_read(tmp_path):
    two, begin, follow = '<w:gridSpan w:val="2"/>', '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    inner = table(cell(paragraph(run("inner")))) + paragraph()
    rows = (
        cell(paragraph(run("Votes of the council")), two),
        cell(paragraph(run("for")), begin) + cell(paragraph(run("17"))),
        cell(paragraph(), follow) + cell(inner),
        control(cell(paragraph(run("against"))) + cell(paragraph(run("3")))),
    )
    assert read(tmp_path, table(*rows)).text == "Votes of the council\nfor\t17\n\tinner\nagainst\t3"


def test_a_deleted_row_is_left_out(tmp_path):
    gone = '<w:trPr><w:del w:id="5" w:author="A" w:date="2026-01-01T00:00:00Z"/></w:trPr>' + cell(paragraph(run("old")))
    assert read(tmp_path, table(gone, cell(paragraph(run("new"))))).text == "new"


def test_the_title_is_found_in_a_content_control_and_a_heading_below_text_stays_text(tmp_path):
    body = control(paragraph(run("Minutes of May"), style="Title")) + paragraph(run("We met."))
    assert read(tmp_path, body)[:2] == ("Minutes of May", "We met.")
    body = paragraph(run("We met.")) + paragraph(run("Votes"), style="Heading1")
    assert read(tmp_path, body)[:2] == ("", "We met.\nVotes")


def test_what_is_no_text_is_counted(tmp_path):
    note = '<w:r><w:footnoteReference w:id="1"/></w:r>'
    document = read(tmp_path, paragraph(run("See below"), note, "<w:r><w:drawing/></w:r>", note))
    assert document.left_out == {"footnotes": 2, "pictures and drawings": 1}
    file = input_file(tmp_path / "in.docx")
    list(read_word_row(file))
    assert "in.docx: footnotes of Word documents are left out" in file.notes.as_list()

"""Tables as programs and people write them: what is no row, no cell or no value, and what a quote swallows."""

import json

import pytest

from epitome.formats.guess import guess_mapping
from epitome.formats.options import ImportOptions
from epitome.formats.reading import input_file
from epitome.formats.registry import FORMATS, detect_format
from epitome.formats.sources import read_sources
from tests.formats.helpers import only_fault, read, records, text_of, write

PIER = "The harbour board met on Monday and agreed to widen the north pier."
BAKERY = "A bakery in the old town closed after forty years."


def texts(tmp_path, content, name="t.csv", **options):
    return [(record.external_id, text_of(record)) for record in records(read(tmp_path, content, name, **options))]


EXPECTED = [("1", PIER), ("2", BAKERY)]


@pytest.mark.parametrize(
    "content",
    [
        f"sep=;\r\nid;text\r\n1;{PIER}\r\n2;{BAKERY}\r\n",
        f'"sep=,"\nid,text\n1,{PIER}\n2,{BAKERY}\n',
        f"id,text\r1,{PIER}\r2,{BAKERY}\r",
        f'id, text\n1, "{PIER}"\n2, {BAKERY}\n',
        f"id|text\n1|{PIER}\n2|{BAKERY}\n",
        f"id,text,\n1,{PIER},\n2,{BAKERY}\n",
        f"id,text\n1,{PIER},\n2,{BAKERY},,\n",
        f"\n\nid,text\n\n1,{PIER}\n\n2,{BAKERY}\n\n",
        f"\ufeffid\ttext\n1\t{PIER}\n2\t{BAKERY}\n",
    ],
    ids=["sep", "quoted sep", "CR", "blanks", "bars", "last nameless", "last empty", "blank lines", "BOM and tabs"],
)
def test_dialects(tmp_path, content):
    assert texts(tmp_path, content) == EXPECTED


@pytest.mark.parametrize("header", ["", "Unnamed: 0"])
def test_the_index_that_pandas_writes_is_metadata(tmp_path, header):
    content = f"{header},article,summary\r\n0,{PIER},Wide.\r\n1,{BAKERY},Closed.\r\n"
    path = write(tmp_path, content, "t.csv")
    rows = [row.values for row in FORMATS["csv"].read_rows(input_file(path))]
    mapping = guess_mapping(rows, FORMATS["csv"].header(input_file(path)))
    options = ImportOptions(detect_format(input_file(path)), mapping=mapping, row_ids=True, exact_mapping=True)
    result = records(list(read_sources(input_file(path), options)))
    assert [text_of(record) for record in result] == [PIER, BAKERY]
    assert [reference.summary for record in result for reference in record.references] == ["Wide.", "Closed."]
    assert [json.loads(record.metadata_json) for record in result] == [
        {header or "column 1": "0"},
        {header or "column 1": "1"},
    ]


@pytest.mark.parametrize("word", ["NaN", "nan", "NULL", "None", "<NA>", "\\N", ""])
def test_cells_without_a_value(tmp_path, word):
    content = f"id,text,title,split,summary,note\n1,{PIER},{word},{word},{word},{word}\n"
    (record,) = records(read(tmp_path, content, "t.csv", mapping={"summary": "summary"}))
    assert (record.title, record.split, record.references) == ("", "", [])
    assert json.loads(record.metadata_json) == {"note": word}


@pytest.mark.parametrize(("row", "field"), [(f"nan,{PIER}", "id"), ("1,NULL", "text")])
def test_an_id_and_a_text_are_needed(tmp_path, row, field):
    fault = only_fault(read(tmp_path, f"id,text\n{row}\n", "t.csv"))
    assert (fault.line, fault.field, fault.code) == (2, field, "empty")


STRAY = [
    '191\t"We widen the pier, they said\tThe board widens the pier.',
    f"192\t{BAKERY}\tA bakery closed.",
    '193\tRain delayed the start and the crowd sang"\tRain delayed the race.',
    '194\t"Yes" he said, and "no" she said.\tA talk.',
    '195\t"A quoted sentence."\tA quote.',
]


def test_quotation_marks_in_a_table_with_tabs_are_those_of_the_text(tmp_path):
    content = "\n".join(["id\ttext\tsummary", *STRAY]) + "\n"
    assert texts(tmp_path, content, "pairs.tsv") == [tuple(line.split("\t")[:2]) for line in STRAY]


def test_a_ragged_line_does_not_make_them_quotes(tmp_path):
    content = "\n".join(["id\ttext\tsummary", *STRAY, "196\tonly two"]) + "\n"
    items = read(tmp_path, content, "pairs.tsv")
    assert (only_fault(items).line, only_fault(items).code) == (7, "ragged")
    assert len(items) == 6


@pytest.mark.parametrize("delimiter", ["\t", ","])
def test_cells_of_several_lines_in_quotes_are_read(tmp_path, delimiter):
    rows = [["id", "text", "summary"], ["1", f'"{PIER}\n{BAKERY}"', '"One.\nTwo."'], ["2", '"He said ""yes""."', "No."]]
    content = "\n".join(delimiter.join(row) for row in rows) + "\n"
    assert texts(tmp_path, content) == [("1", f"{PIER}\n{BAKERY}"), ("2", 'He said "yes".')]


@pytest.mark.parametrize("delimiter", [",", ";"])
@pytest.mark.parametrize("has_ids", [True, False])
def test_a_quote_that_swallows_rows_is_a_fault_where_it_opens(tmp_path, delimiter, has_ids):
    rows = [
        ["id", "text", "summary"],
        ["190", "The race was won by the blue team by a length.", "Blue won."],
        ["191", '"We widen the pier and nobody objects to it', "The board widens the pier."],
        ["192", "A bakery in the old town closed after forty years.", "A bakery closed."],
        ["193", 'Rain delayed the start and the crowd sang"', "Rain delayed the race."],
        ["194", "The blue team won again by a single length.", "Blue won again."],
    ]
    rows = rows if has_ids else [row[1:] for row in rows]
    content = "\n".join(delimiter.join(row) for row in rows) + "\n"
    options = {} if has_ids else {"row_ids": True}
    items = read(tmp_path, content, "t.csv", **options)
    fault = only_fault(items)
    assert (fault.line, fault.column, fault.code) == (3, 5 if has_ids else 1, "quote")
    assert "line 5" in fault.message
    assert len(items) == 3


def test_paragraphs_with_commas_in_a_quoted_cell_are_no_rows(tmp_path):
    articles = [f'{n},"Dear all,\nthanks for it, Ann\nyours, the board","Short, and sweet."' for n in range(5)]
    assert len(records(read(tmp_path, "id,text,summary\n" + "\n".join(articles), "t.csv"))) == 5
    highlights = [f'{n},{PIER},"One won\nTwo lost, and more\nThree, four, five"' for n in range(5)]
    assert len(records(read(tmp_path, "id,text,highlights\n" + "\n".join(highlights), "t.csv"))) == 5


def test_a_stray_quote_names_the_line_where_its_quote_opens(tmp_path):
    content = f'id,text,note\n1,"We widen it,a\n2,"{BAKERY}",b\n3,{PIER},c\n'
    items = read(tmp_path, content, "t.csv")
    fault = only_fault(items)
    assert (fault.line, fault.code) == (3, "quote") and "opens in line 2" in fault.message
    assert items[-1].external_id == "3"


@pytest.mark.parametrize("member", [f"1,{PIER}, and more\n", "1\n"])
def test_ragged_rows_in_a_preview_are_faults(tmp_path, member):
    path = write(tmp_path, "id,text\n" + member, "t.csv")
    (fault,) = FORMATS["csv"].read_rows(input_file(path))
    assert (fault.line, fault.code) == (2, "ragged")


def test_doubled_names_are_a_fault_in_a_preview_unless_both_are_skipped(tmp_path):
    content = f"id,text,note,note\n1,{PIER},a,b\n"
    path = write(tmp_path, content, "t.csv")
    (fault,) = FORMATS["csv"].read_rows(input_file(path))
    assert "two columns have this name" in fault.message and fault.column == 14
    (record,) = records(read(tmp_path, content, "t.csv", skipped_columns=["note"]))
    assert record.metadata_json == "{}"


def test_a_skipped_column_is_not_read_at_all(tmp_path):
    content = '{"id": "1", "text": "One.", "metadata": [{"page": 3}], "split": 7, "title": ["a"]}\n'
    (record,) = records(read(tmp_path, content, "t.jsonl", skipped_columns=["metadata", "split", "title"]))
    assert (record.split, record.title, record.metadata_json) == ("", "", "{}")


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("Nr\tArtikel\tKurz\n1\tEins zwei drei.\tEins.\n2\tVier.\tVier.\n", "csv"),
        (f"id,text\n1,{PIER}\n2,{BAKERY}\n", "csv"),
        ("id, ego and superego\nare three words, or four, or five.\n", "text"),
        ("Dear Ann,\nthe pier, at last, is open.\n", "text"),
        ("One\ttwo.\nThree.\n", "text"),
    ],
)
def test_a_txt_file_is_a_table_only_where_its_lines_are_rows(tmp_path, content, kind):
    assert detect_format(input_file(write(tmp_path, content, "notes.txt"))) == kind


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_title_above_the_header_is_passed_over_and_noted(tmp_path, delimiter):
    lines = ["Export of 2026 (all texts)", "", delimiter.join(["id", "text"]), *map(delimiter.join, EXPECTED)]
    file = input_file(write(tmp_path, "\n".join(lines) + "\n", "t.csv"))
    assert [text_of(record) for record in records(list(read_sources(file)))] == [PIER, BAKERY]
    assert file.notes.as_list() == ["lines above the header of the table are passed over"]


def test_the_first_line_of_one_column_is_its_header(tmp_path):
    content = "text\nOne, two of text, id.\nThree, four.\n"
    fault = read(tmp_path, content, "t.csv", row_ids=True)[0]
    assert (fault.line, fault.code) == (2, "ragged")


def test_rows_of_question_texts_and_import_ids_are_left_out(tmp_path):
    table = (
        "id,text,summary\n"
        "Number,Please read,Please write a summary\n"
        '"{""ImportId"":""QID1""}","{""ImportId"":""QID2""}","{""ImportId"":""QID3""}"\n'
        "7,The pier in the harbour is made wider over two years.,The pier grows.\n"
    )
    file = input_file(write(tmp_path, table, "survey.csv"))
    [source] = records(list(read_sources(file, ImportOptions(mapping={"summary": "summary"}))))
    assert (source.external_id, [reference.summary for reference in source.references]) == ("7", ["The pier grows."])
    assert "rows of question texts" in "".join(file.notes.as_list())


def test_ids_that_a_spreadsheet_rounded_to_one_are_named_as_that(tmp_path):
    table = f"id,text\n1.23457E+12,{PIER}\n1.23457E+12,{BAKERY}\n"
    fault = only_fault(read(tmp_path, table, "t.csv"))
    assert "a spreadsheet rounded both" in fault.message

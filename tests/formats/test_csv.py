"""Tables."""

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epitome.formats.reading import input_file
from epitome.formats.sources import read_sources
from tests.formats.helpers import only_fault, read, records, text_of

HEAD = "id,text,topic\n"


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_delimiters_are_found(tmp_path, delimiter):
    content = (
        f'id{delimiter}text{delimiter}"my{delimiter}key"\na{delimiter}"One{delimiter} two. ""Three"""{delimiter}9\n'
    )
    [record] = records(read(tmp_path, content, "t.csv"))
    assert text_of(record) == f'One{delimiter} two. "Three"'
    assert json.loads(record.metadata_json) == {f"my{delimiter}key": "9"}


def test_line_breaks_in_cells_and_lines_of_rows(tmp_path):
    content = HEAD + 'a,"One.\n\nTwo, three.\u2028Four.",x\r\n\r\nb,Five.,y\n' + 'c,"Six.\r\nSeven.",'
    result = records(read(tmp_path, content, "t.csv"))
    assert [text_of(record) for record in result] == ["One.\n\nTwo, three.\u2028Four.", "Five.", "Six.\r\nSeven."]
    assert [record.place for record in result] == ["line 2", "line 6", "line 7"]


def test_empty_optional_cells_are_absent(tmp_path):
    content = "id,text,title,split,may_release_text,origin_id,note\na,x,,,,,\nb,x,T,val,Yes,o,n\n"
    first, second = records(read(tmp_path, content, "train.csv"))
    assert (first.title, first.split, first.may_release_text, first.origin_id) == ("", "train", None, "a")
    assert first.metadata_json == '{"note": ""}'
    assert (second.title, second.split, second.may_release_text, second.origin_id) == ("T", "dev", True, "o")


@pytest.mark.parametrize(
    ("row", "line", "column", "code"),
    [
        ("a,b", 2, 4, "ragged"),
        ("a,b,c,d", 2, 7, "ragged"),
        ('"a\nb","c,d",e,f', 3, 12, "ragged"),
        (",b,c", 2, 1, "empty"),
        ("a,,c", 2, 3, "empty"),
        ('a,"b"x,c', 2, 6, "quote"),
        ('a,"b\nc"x,d', 3, 3, "quote"),
        ("a,b\rc,d", 2, 4, "quote"),
        ("a,b\0,c", 2, 4, "character"),
    ],
)
def test_bad_rows_name_line_and_column(tmp_path, row, line, column, code):
    items = read(tmp_path, HEAD + row + "\nz,good,1\n", "t.csv")
    fault = only_fault(items)
    assert (fault.line, fault.column, fault.code) == (line, column, code)
    assert items[-1].external_id == "z"
    assert len(items) == 2


def test_broken_utf8_in_a_cell(tmp_path):
    items = read(tmp_path, HEAD.encode() + b"a,caf\xe9,\xc3\xa9\nz,good,1\n", "t.csv")
    fault = only_fault(items)
    assert (fault.line, fault.column, fault.code) == (2, 6, "encoding")
    assert len(items) == 2


def test_a_quote_never_closed_is_told_where_it_opens(tmp_path):
    fault = only_fault(read(tmp_path, HEAD + 'a,b,c\nb,"never,closed\nz,good,1\n', "t.csv")[1:])
    assert (fault.line, fault.column, fault.code, fault.fatal) == (3, 3, "quote", True)


@pytest.mark.parametrize("cell", ["x" * 131_073, '"' + "One, two.\n" * 100_000 + '"'])
def test_a_long_cell_is_read(tmp_path, cell):
    [record] = records(read(tmp_path, HEAD + f"a,{cell},c\n", "t.csv"))
    assert text_of(record) == cell.strip('"')


def test_a_row_over_the_limit(tmp_path):
    items = read(tmp_path, HEAD + "a," + "x" * 5_000_000 + ",c\nz,good,1\n", "t.csv")
    fault = only_fault(items)
    assert (fault.line, fault.code, fault.fatal) == (2, "line_too_long", False)
    assert len(items) == 2


@pytest.mark.parametrize(("n_lines", "code"), [(1000, "quote"), (300_000, "cell_too_long")])
def test_a_quote_that_stays_open_is_told_where_it_opens(tmp_path, n_lines, code):
    fault = only_fault(read(tmp_path, HEAD + 'a,"open,c\n' + "z,good and long,1\n" * n_lines, "t.csv"))
    assert (fault.line, fault.column, fault.code, fault.fatal) == (2, 3, code, True)


@pytest.mark.parametrize(
    ("header", "column", "words"),
    [
        ("id,text,id", 9, "two columns"),
        ("id,body", 1, "no column text"),
        ("a1,One two three.", 1, "no column id"),
        ('"id","text","id"', 13, "two columns"),
    ],
)
def test_bad_headers(tmp_path, header, column, words):
    fault = only_fault(read(tmp_path, header + "\na,b,c\n", "t.csv", format="csv"))
    assert (fault.line, fault.column, fault.code, fault.fatal) == (1, column, "header", True)
    assert words in fault.message


def test_a_wrong_field_names_its_column(tmp_path):
    fault = only_fault(read(tmp_path, "id,text,may_release_text\na,x,perhaps\n", "t.csv"))
    assert (fault.line, fault.column, fault.field, fault.value) == (2, 5, "may_release_text", "perhaps")


def test_mapping_and_cnn_dailymail_columns(tmp_path):
    content = "key,story\n1,One.\n"
    [record] = records(read(tmp_path, content, "t.csv", mapping={"id": "key", "text": "story"}))
    assert (record.external_id, text_of(record)) == ("1", "One.")
    [cnn] = records(read(tmp_path, 'id,article,highlights\nf,"One, two.","A .\nB ."\n', "t.csv"))
    assert (text_of(cnn), json.loads(cnn.metadata_json)) == ("One, two.", {"highlights": "A .\nB ."})
    fault = only_fault(read(tmp_path, content, "t.csv", format="csv", mapping={"id": "key", "text": "body"}))
    assert fault.field == "body"


def test_formulas_are_only_text(tmp_path):
    [record] = records(read(tmp_path, "id,text,note\na,=1+1,@x\n", "t.csv"))
    assert text_of(record) == "=1+1"
    assert json.loads(record.metadata_json) == {"note": "@x"}


CELL = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)


@given(
    st.lists(st.tuples(CELL.filter(str.strip), CELL), min_size=1, max_size=6),
    st.sampled_from([",", ";", "\t"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_what_the_csv_module_writes_is_read(tmp_path_factory, cells, delimiter, end):
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_ALL)
    writer.writerow(["id", "text", "note"])
    for number, (text, note) in enumerate(cells):
        writer.writerow([str(number), text, note])
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    path.write_bytes(stream.getvalue().encode())
    result = records(list(read_sources(input_file(path))))
    assert [(text_of(record), json.loads(record.metadata_json)["note"]) for record in result] == cells

"""JSON in the layouts that libraries, servers and people write: the entries may be one level deeper."""

import json

import pytest

from epitome.formats.faults import Fault
from epitome.formats.guess import guess_mapping
from epitome.formats.options import ImportOptions
from epitome.formats.reading import UnreadableFile, input_file
from epitome.formats.registry import FORMATS, detect_format
from epitome.formats.sources import read_sources
from tests.formats.helpers import only_fault, read, records, rows, text_of, write

HARBOUR = "The harbour board met on Monday and agreed to widen the north pier."
BAKERY = "A bakery in the old town closed after forty years."
ENTRIES = [{"text": HARBOUR, "summary": "The pier is widened."}, {"text": BAKERY, "summary": "A bakery closed."}]
WITH_IDS = [{"id": "p", **ENTRIES[0]}, {"id": "b", **ENTRIES[1]}]
FRAME = {name: {str(n): entry[name] for n, entry in enumerate(ENTRIES)} for name in ("text", "summary")}


def read_matched(path):
    """The sources as an import reads them: columns matched by name and content."""
    kind = detect_format(input_file(path))
    values = [row.values for row in FORMATS[kind].read_rows(input_file(path)) if not isinstance(row, Fault)]
    mapping = guess_mapping(values, list(dict.fromkeys(name for row in values for name in row)))
    return list(read_sources(input_file(path), ImportOptions(kind, mapping=mapping, row_ids="id" not in mapping)))


@pytest.mark.parametrize(
    "content",
    [
        {"data": ENTRIES},
        {"version": "1.0", "description": "Minutes of the board, and news of the town.", "rows": ENTRIES},
        {"response": {"n": 2, "docs": ENTRIES}},
        {"hits": {"hits": [{"_index": "news", "_source": entry} for entry in ENTRIES]}},
        {"features": [{"name": "text"}], "rows": [{"row_idx": n, "row": row} for n, row in enumerate(ENTRIES)]},
        FRAME,
        {str(n): entry for n, entry in enumerate(ENTRIES)},
        {"columns": ["text", "summary"], "index": [0, 1], "data": [list(entry.values()) for entry in ENTRIES]},
        {"schema": {"fields": []}, "data": ENTRIES},
        {name: list(cells.values()) for name, cells in FRAME.items()},
    ],
    ids=["list", "about", "solr", "elastic", "server", "columns", "index", "split", "table", "lists"],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_rows_inside_one_object_are_read(tmp_path, content, indent):
    result = records(read_matched(write(tmp_path, json.dumps(content, indent=indent), "frame.json")))
    assert [text_of(record) for record in result] == [HARBOUR, BAKERY]
    assert [record.references[0].summary for record in result] == ["The pier is widened.", "A bakery closed."]
    assert [record.external_id for record in result] == ["frame-1", "frame-2"]


def test_objects_keyed_by_their_id_keep_it(tmp_path):
    content = {"p": ENTRIES[0], "b": ENTRIES[1]}
    result = records(read_matched(write(tmp_path, json.dumps(content), "all.json")))
    assert [record.external_id for record in result] == ["p", "b"]


def test_lists_by_split_give_each_row_its_split(tmp_path):
    content = {"train": WITH_IDS[:1], "validation": WITH_IDS[1:], "test": []}
    result = records(read_matched(write(tmp_path, json.dumps(content), "all.json")))
    assert [(record.external_id, record.split) for record in result] == [("p", "train"), ("b", "dev")]


def test_a_cell_that_a_server_cut_short_is_a_fault_with_its_path(tmp_path):
    content = {
        "rows": [{"row_idx": 0, "row": WITH_IDS[0]}, {"row_idx": 1, "row": WITH_IDS[1], "truncated_cells": ["text"]}]
    }
    fault = only_fault(read(tmp_path, json.dumps(content), "answer.json"))
    assert (fault.field, fault.code) == ("rows[1].row.text", "truncated")


def test_an_entry_with_lists_of_its_own_stays_one_entry(tmp_path):
    entry = {"id": "a", "text": HARBOUR, "examples": [{"n": 1}], "documents": [{"n": 2}]}
    for name in ("one.json", "one.jsonl"):
        (record,) = records(read(tmp_path, json.dumps(entry), name))
        assert (record.external_id, text_of(record)) == ("a", HARBOUR)


def test_one_object_that_is_no_entry_is_refused_once_with_a_mend(tmp_path):
    content = json.dumps({"user": "ann", "answers": {"1": {"box": [["summary", 1]]}}, "pages": [{"n": 1}]}, indent=1)
    fault = only_fault(read(tmp_path, content, "user_state.json"))
    assert "one object with the keys user, answers, pages" in fault.message and "under pages" in fault.message


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(ENTRIES),
        json.dumps(ENTRIES, indent=1),
        "\n".join(json.dumps(entry, indent=1) for entry in ENTRIES),
        ",\n".join(json.dumps(entry, indent=1) for entry in ENTRIES),
        ",\n".join(map(json.dumps, ENTRIES)) + ",\r\n",
        "\ufeff" + rows(*ENTRIES),
        rows(*ENTRIES).replace("\n", "\r"),
    ],
    ids=["one line", "indented", "objects", "objects and commas", "lines and commas", "bom", "old line ends"],
)
def test_ids_are_made_of_the_numbers_of_entries(tmp_path, content):
    result = records(read_matched(write(tmp_path, content, "sam.json")))
    assert [record.external_id for record in result] == ["sam-1", "sam-2"]
    assert [text_of(record) for record in result] == [HARBOUR, BAKERY]


def test_a_fault_in_a_list_on_one_line_names_the_column(tmp_path):
    content = json.dumps([WITH_IDS[0], {"id": "b", "text": True}])
    fault = only_fault(read(tmp_path, content, "x.json"))
    assert (fault.line, fault.column) == (1, content.index("true}") + 1)


def test_a_list_with_references_is_not_macsums(tmp_path):
    entries = [{"gem_id": f"x-{n}", "document": HARBOUR, "references": ["Two."]} for n in (1, 2)]
    assert detect_format(input_file(write(tmp_path, json.dumps(entries), "gem.json"))) == "json"


@pytest.mark.parametrize("name", ["talk.txt", "talk.md", "talk"])
@pytest.mark.parametrize(
    "text",
    ["[Music] Good evening. It is nine.", "[1] Smith says so.", "{laughs} Good evening.\n[Music]\n{more} It is nine."],
)
def test_a_text_that_begins_with_a_bracket_is_a_text(tmp_path, text, name):
    (record,) = records(read_matched(write(tmp_path, text, name)))
    assert text_of(record) == text


def test_damaged_json_is_no_text(tmp_path):
    for name, content in (
        ("a.json", "[Music] Good"),
        ("b", '[{"id": "a", "text": "b"'),
        ("c.txt", json.dumps(WITH_IDS)),
    ):
        kind = "json"
        assert detect_format(input_file(write(tmp_path, content, name))) == kind


def test_an_empty_list_is_told(tmp_path):
    with pytest.raises(UnreadableFile, match="holds no record"):
        detect_format(input_file(write(tmp_path, " [ ] ", "a.json")))


@pytest.mark.parametrize(("content", "word"), [([[1, HARBOUR]], "lists"), ([HARBOUR, BAKERY], "texts")])
def test_a_list_without_named_values_is_told_so(tmp_path, content, word):
    fault = only_fault(read(tmp_path, json.dumps(content), "a.json"))
    assert (fault.line, fault.column, fault.fatal) == (1, 2, True)
    assert f"this list holds {word}" in fault.message

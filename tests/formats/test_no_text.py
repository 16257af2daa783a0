"""What stands where a text should and is none is refused, by the row; what most likely is wrong is noted."""

import json

import pytest

from epitome.formats.reading import input_file
from epitome.formats.sources import read_sources
from tests.formats.helpers import only_fault, read, records, rows, text_of, write

PIER = "The harbour board met on Monday and agreed to widen the north pier."


@pytest.mark.parametrize(
    "text",
    [
        "/data/upload/3/5f0c-harbour.txt",
        "/data/local-files/?d=talks/one",
        "https://example.org/article?id=7",
        "s3://bucket/texts/1",
        "C:\\Users\\ann\\My texts\\pier notes.docx",
        "./texts/pier 2.txt",
        "texts/2026/pier.json",
        "pier.pdf",
        "data:text/plain;base64,QQ==",
        "www.example.org/a",
    ],
)
def test_an_address_is_no_text(tmp_path, text):
    items = read(tmp_path, rows({"id": "a", "text": text}, {"id": "b", "text": PIER}))
    fault = only_fault(items)
    assert (fault.line, fault.field, fault.code) == (1, "text", "address") and "--text-from" in fault.message
    assert len(items) == 2


@pytest.mark.parametrize(
    "text", ["Yes.", "and/or", "See www.example.org today.", "He left. She stayed.", "1/2", "TCP/IP works.", "e.g."]
)
def test_short_texts_are_texts(tmp_path, text):
    (record,) = records(read(tmp_path, rows({"id": "a", "text": text})))
    assert text_of(record) == text


@pytest.mark.parametrize("field", ["text", "title", "summary", "segments"])
def test_a_character_lost_in_a_wrong_encoding_is_a_fault(tmp_path, field):
    row = {"id": "a", "text": PIER, field: "Gr\ufffd\ufffde aus Kiel"}
    if field == "segments":
        row = {"id": "a", "segments": [{"speaker": "Ann", "text": row["segments"]}]}
    fault = only_fault(read(tmp_path, rows(row), mapping={"summary": "summary"}))
    assert (fault.field, fault.code, fault.value) == (field, "lost_character", "Gr\ufffd\ufffde aus Kiel")
    assert "replacement character" in fault.message


def test_it_may_stand_in_a_column_that_is_skipped(tmp_path):
    row = {"id": "a", "text": PIER, "title": "Gr\ufffde"}
    assert len(records(read(tmp_path, rows(row), skipped_columns=["title"]))) == 1


def test_a_rounded_id_is_noted(tmp_path):
    content = f"id,text\n1.23457E+12,{PIER}\n2E+10,{PIER} Two.\nE+7,{PIER} Three.\n"
    file = input_file(write(tmp_path, content, "t.csv"))
    assert [record.external_id for record in records(list(read_sources(file)))] == ["1.23457E+12", "2E+10", "E+7"]
    assert file.notes.as_list() == [
        "line 2 and 1 more: the id looks like a number that Excel rounded; format its column as text"
    ]


@pytest.mark.parametrize(
    "entry",
    [
        {"id": 1, "data": {"text": PIER}, "meta": {}},
        {"task": {"id": 1, "data": {"text": PIER}}},
        {"_index": "news", "_id": "1", "_source": {"text": PIER}},
        {"row_idx": 0, "row": {"id": "1", "text": PIER}, "truncated_cells": []},
    ],
)
def test_a_row_one_level_deeper_is_read(tmp_path, entry):
    (record,) = records(read(tmp_path, json.dumps([entry]), "x.json"))
    assert (record.external_id, text_of(record)) == ("1", PIER)


def test_where_the_text_may_be_is_said(tmp_path):
    entry = {"id": "a", "payload": {"text": PIER}}
    fault = only_fault(read(tmp_path, json.dumps([entry]), "x.json"))
    assert fault.field == "text" and "one level deeper, in payload" in fault.message


@pytest.mark.parametrize(
    ("content", "word"),
    [
        ('<?xml version="1.0"?>\n<xmi:XMI xmlns:xmi="a"><cas:Sofa sofaString="Text"/></xmi:XMI>', "XML"),
        ("<!-- saved -->\n<doc><s>Text.</s></doc>", "markup"),
        ("<note id='3'>Text.</note>", "markup"),
    ],
)
@pytest.mark.parametrize("name", ["doc.txt", "doc", "doc.xmi"])
def test_markup_is_no_plain_text(tmp_path, content, word, name):
    fault = only_fault(read(tmp_path, content, name))
    assert fault.fatal and (word in fault.message or "export" in fault.message.lower())


def test_a_text_with_an_angle_bracket_is_a_text(tmp_path):
    for text in ("<3 is a heart.", "<unclear> she said, and left.\nThen <laughs>."):
        items = read(tmp_path, text, "talk.txt")
        assert len(items) == 1

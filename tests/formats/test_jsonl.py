"""Plain JSON lines."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epitome.formats.no_text import find_double_encoding
from epitome.formats.options import ImportOptions
from epitome.formats.reading import input_file
from epitome.formats.sources import read_sources
from epitome.text.words import n_words
from tests.formats.helpers import only_fault, read, records, rows, text_of

TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1).filter(
    lambda text: text.strip() and not find_double_encoding(text)
)


def test_a_document(tmp_path):
    [record] = records(read(tmp_path, rows({"id": "a", "text": "One two. Three!\n\nFour."}), "val.jsonl"))
    assert (record.external_id, record.origin_id, record.title, record.split) == ("a", "a", "", "dev")
    assert [segment["text"] for segment in record.segments] == ["One two.", "Three!", "Four."]
    assert (record.n_words, record.metadata_json, record.may_release_text, record.place) == (4, "{}", None, "line 1")


def test_every_field_and_the_rest_as_metadata(tmp_path):
    row = {
        "z": 1.50, "id": "a", "text": "x", "title": "T", "origin_id": "o", "split": "val", "licence": "CC0",
        "may_release_text": True, "metadata": {"k": [1, {"b": None, "a": "é"}]}, "y": {"2": 1, "1": 2},
    }  # fmt: skip
    [record] = records(read(tmp_path, rows(row)))
    assert (record.title, record.origin_id, record.split) == ("T", "o", "dev")
    assert (record.licence, record.may_release_text) == ("CC0", True)
    assert record.metadata_json == '{"k": [1, {"b": null, "a": "é"}], "z": 1.5, "y": {"2": 1, "1": 2}}'


def test_the_split_asked_for_wins(tmp_path):
    content = rows({"id": "a", "text": "x", "split": "train"}, {"id": "b", "text": "y"})
    assert [r.split for r in records(read(tmp_path, content, "test.jsonl"))] == ["train", "test"]
    assert [r.split for r in records(read(tmp_path, content, "test.jsonl", split="dev"))] == ["dev", "dev"]


def test_a_dialogue(tmp_path):
    segments = [
        {"speaker": "Ann", "text": "Hi there ."},
        {"text": "(noise)"},
        "plain",
        {"speaker": "B", "text": "Yo", "start": 3},
    ]
    [record] = records(read(tmp_path, rows({"id": "a", "segments": segments})))
    assert record.segments == [
        {"speaker": "Ann", "text": "Hi there ."},
        {"speaker": "", "text": "(noise)"},
        {"speaker": "", "text": "plain"},
        {"speaker": "B", "text": "Yo", "start": 3},
    ]
    assert record.n_words == 6


@pytest.mark.parametrize(
    ("row", "field", "code", "column"),
    [
        ({"text": "x"}, "id", "missing", 1),
        ({"id": 5, "text": "x"}, "id", "type", 8),
        ({"id": "", "text": "x"}, "id", "empty", 8),
        ({"id": "a\u202e", "text": "x"}, "id", "character", 8),
        ({"id": "x" * 201, "text": "x"}, "id", "length", 8),
        ({"id": "a"}, "text", "missing", 1),
        ({"id": "a", "text": None}, "text", "missing", 21),
        ({"id": "a", "text": ["x"]}, "text", "type", 21),
        ({"id": "a", "text": " \n"}, "text", "empty", 21),
        ({"id": "a", "text": "x", "segments": [{"text": "x"}]}, "segments", "both", 38),
        ({"id": "a", "segments": "x"}, "segments", "type", 25),
        ({"id": "a", "segments": []}, "segments", "empty", 25),
        ({"id": "a", "segments": [{"text": "x"}, 7]}, "segments[1]", "type", 41),
        ({"id": "a", "segments": [{"text": "x"}, {"speaker": "B"}]}, "segments[1].text", "missing", 41),
        ({"id": "a", "segments": [{"text": "x", "speaker": 3}]}, "segments[0].speaker", "type", 51),
        ({"id": "a", "text": "x", "title": 4}, "title", "type", 35),
        ({"id": "a", "text": "x", "split": "s" * 21}, "split", "length", 35),
        ({"id": "a", "text": "x", "licence": []}, "licence", "type", 37),
        ({"id": "a", "text": "x", "may_release_text": "yes"}, "may_release_text", "type", 46),
        ({"id": "a", "text": "x", "metadata": "m"}, "metadata", "type", 38),
        ({"id": "a", "text": "x", "metadata": {"k": 1}, "k": 2}, "k", "doubled_key", 53),
    ],
)
def test_wrong_rows_name_field_and_column(tmp_path, row, field, code, column):
    items = read(tmp_path, rows({"id": "0", "text": "ok"}, row, {"id": "z", "text": "ok"}))
    fault = only_fault(items)
    assert (fault.line, fault.field, fault.code, fault.column) == (2, field, code, column)
    assert len(items) == 3


@pytest.mark.parametrize("line", ["[1]", '"text"', "7", "null", "true", "id,text", "{", "}", '{"id": "a"'])
def test_lines_that_hold_no_object(tmp_path, line):
    items = read(tmp_path, '{"id": "0", "text": "ok"}\n' + line + '\n{"id": "z", "text": "ok"}\n')
    assert only_fault(items).line == 2
    assert len(items) == 3


def test_an_id_twice_is_a_fault_that_names_both_lines(tmp_path):
    items = read(tmp_path, rows({"id": "a", "text": "x"}, {"id": "b", "text": "x"}, {"id": "a", "text": "y"}))
    fault = only_fault(items)
    assert (fault.line, fault.field, fault.value, fault.code) == (3, "id", "a", "doubled_id")
    assert "line 1" in fault.message
    assert len(items) == 3


def test_column_mapping(tmp_path):
    row = {"docno": "7", "body": "One.", "id": "internal", "lang": "en"}
    [record] = records(read(tmp_path, rows(row), mapping={"id": "docno", "text": "body"}))
    assert (record.external_id, text_of(record)) == ("7", "One.")
    assert json.loads(record.metadata_json) == {"id": "internal", "lang": "en"}
    fault = only_fault(read(tmp_path, rows({"docno": "7"}), mapping={"id": "docno", "text": "body"}))
    assert fault.field == "body"


def test_an_unusable_mapping_is_a_usage_error(tmp_path):
    with pytest.raises(ValueError, match="body"):
        read(tmp_path, rows({"id": "a", "text": "x"}), mapping={"body": "text"})


def test_cnn_dailymail_lines_need_no_mapping(tmp_path):
    row = {"id": "f00", "article": "(CNN)Jackson spoke. He left.", "highlights": "One .\nTwo ."}
    [record] = records(read(tmp_path, rows(row)))
    assert text_of(record) == row["article"]
    assert json.loads(record.metadata_json) == {"highlights": "One .\nTwo ."}
    [mapped] = records(read(tmp_path, rows(row), mapping={"text": "article"}))
    assert mapped.metadata_json == record.metadata_json


def test_max_words_leaves_out_when_asked(tmp_path):
    content = rows({"id": "a", "text": "x " * 6000}, {"id": "b", "text": "x " * 5000})
    assert len(records(read(tmp_path, content))) == 2
    first, second = read(tmp_path, content, max_words=5000)
    assert (first.external_id, first.n_words, second.external_id) == ("a", 6000, "b")
    assert "6,000" in first.reason
    assert "line 1" in first.place


@pytest.mark.parametrize(
    "text",
    [
        "left \u202e right \u2066isolated\u2069 \u202c.",
        "zero\u200bwidth\u200d\u2060 \ufeff.",
        "e" + "\u0301" * 10_000,
        "x" * 1_000_000,
        "cafe\u0301 and caf\u00e9",
        "\r\nOne.\r\n\r\n  Two\t.\u00a0Three \n",
        "👩‍👩‍👧‍👦 🏳️‍🌈. 🇩🇪",
        "=1+1\t@cmd -x",
        "<script>alert(1)</script> {{ x }}",
    ],
)
def test_texts_are_kept_byte_for_byte(tmp_path, text):
    [record] = records(read(tmp_path, rows({"id": "a", "text": text, "title": text, "k": text})))
    assert text_of(record) == text
    assert record.title == text
    assert json.loads(record.metadata_json) == {"k": text}
    [turn] = records(read(tmp_path, rows({"id": "a", "segments": [{"speaker": text, "text": text}]})))
    assert turn.segments == [{"speaker": text, "text": text}]


@given(
    st.dictionaries(st.text(st.characters(categories=["L", "N"]), min_size=1), TEXT, min_size=1),
    st.booleans(),
    st.booleans(),
)
def test_whatever_is_written_is_read(tmp_path_factory, texts, ascii_only, crlf):
    end = "\r\n" if crlf else "\n"
    content = end.join(json.dumps({"id": key, "text": text}, ensure_ascii=ascii_only) for key, text in texts.items())
    path = tmp_path_factory.mktemp("hypothesis") / "in.jsonl"
    path.write_bytes(content.encode())
    result = records(list(read_sources(input_file(path))))
    assert {record.external_id: text_of(record) for record in result} == texts
    assert [record.external_id for record in result] == list(texts)
    assert [record.n_words for record in result] == [n_words(text) for text in texts.values()]


@given(
    st.binary(max_size=200)
    | st.lists(
        st.sampled_from(
            [
                '{"id": "a"',
                ', "text": "b c"',
                "}",
                "\n",
                "[",
                "\r\n",
                '"',
                "id,text\n",
                "@highlight\n",
                "\\",
                "é",
                "\0",
                "PK\3\4",
                "1",
            ]
        ),
        max_size=12,
    ).map(lambda parts: "".join(parts).encode())
)
def test_no_content_breaks_a_reader(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("fuzz") / "in"
    path.write_bytes(content)
    for format in ("auto", "macsum", "qmsum", "jsonl", "csv", "epitome-1", "story"):
        items = list(read_sources(input_file(path), ImportOptions(format)))
        assert all(str(item) for item in items)
        assert items or format == "epitome-1"


def test_the_name_people_know_is_in_the_fault(tmp_path):
    assert str(only_fault(read(tmp_path, "{", name="x.jsonl"))).startswith("x.jsonl")
    path = tmp_path / "8a7c"
    path.write_text("{")
    assert str(only_fault(list(read_sources(input_file(path, "../../my\nfile.jsonl"))))).startswith(
        "../../my\\nfile.jsonl"
    )
    assert input_file(path).name == "8a7c"

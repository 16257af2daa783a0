"""Our own export."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epitome.formats.epitome1 import EpitomeLine, dump_line, read_epitome1, source_data, source_record
from epitome.formats.faults import FieldFault
from epitome.formats.reading import input_file
from epitome.formats.sources import read_sources
from tests.formats.examples import dialogue, document
from tests.formats.helpers import only_fault, read, records, rows, text_of, write


def line(task="source", source_id="a", **more):
    return {"format": "epitome-1", "task": task, "source_id": source_id, **more}


def test_lines_are_sorted_compact_and_readable():
    assert (
        dump_line({"b": "é\u2028", "a": {"d": 1.5, "c": [None]}})
        == '{"a":{"c":[null],"d":1.5},"b":"é\u2028"}\n'.encode()
    )
    for bad in ({"a": float("nan")}, {"a": "\ud800"}):
        with pytest.raises(ValueError):
            dump_line(bad)


def test_raw_lines_with_their_numbers(tmp_path):
    lines = [line(), line("summary", sample_id="a#0", text="x"), line(source_id="b"), line("skip", "b")]
    path = write(tmp_path, b"".join(map(dump_line, lines)))
    items = list(read_epitome1(input_file(path)))
    assert [(item.line, item.data) for item in items] == list(enumerate(lines, 1))


@pytest.mark.parametrize(
    ("bad", "field", "code"),
    [
        (line("summary", "z"), "source_id", "order"),
        (line(), "source_id", "doubled_id"),
        (line(source_id=None), "source_id", "type"),
        (line(source_id=""), "source_id", "empty"),
        (line(task=None), "task", "type"),
        ({**line(), "format": "epitome-2"}, "format", "format"),
        ({"id": "x", "text": "y"}, "format", "format"),
    ],
)
def test_bad_lines(tmp_path, bad, field, code):
    path = write(tmp_path, b"".join(map(dump_line, [line(), bad, line(source_id="c")])))
    items = list(read_epitome1(input_file(path)))
    fault = only_fault(items)
    assert (fault.line, fault.field, fault.code, len(items)) == (2, field, code, 3)


def back(record, tmp_path):
    path = write(tmp_path, dump_line(source_data(record)), "own.jsonl")
    [item] = list(read_epitome1(input_file(path)))
    assert isinstance(item, EpitomeLine)
    assert dump_line(item.data) == path.read_bytes()
    return source_record(item)


def test_sources_come_back_as_they_were(tmp_path):
    result = records(read(tmp_path, json.dumps([dialogue(), document("z")]), "val.json"))
    result += records(
        read(tmp_path, rows({"id": "t", "text": "  One. Two.\n\nThree. ", "z": 1, "a": {"y": 1, "b": 2}, "title": "T"}))
    )
    for record in result:
        again = back(record, tmp_path)
        for field in (
            "external_id",
            "origin_id",
            "title",
            "segments",
            "metadata_json",
            "split",
            "licence",
            "content_hash",
            "n_words",
        ):
            assert getattr(again, field) == getattr(record, field), field
        assert again.may_release_text is None


@given(text=st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])).filter(str.strip))
def test_any_text_comes_back(tmp_path_factory, text):
    folder = tmp_path_factory.mktemp("epitome")
    [record] = records(read(folder, rows({"id": "a", "text": text})))
    again = back(record, folder)
    assert text_of(again) == text
    assert again.content_hash == record.content_hash


def test_a_source_without_its_text(tmp_path):
    path = write(tmp_path, dump_line(line(segments=None, content_hash="ab" * 32, n_words=9)))
    [record] = records(list(read_sources(input_file(path))))
    assert (record.segments, record.content_hash) == ([], "ab" * 32)


def test_a_changed_text_is_seen(tmp_path):
    [record] = records(read(tmp_path, rows({"id": "a", "text": "One. Two."})))
    data = source_data(record)
    data["segments"] = [{"speaker": "", "text": "One. Three."}]
    fault = only_fault(read(tmp_path, dump_line(data)))
    assert (fault.field, fault.code) == ("content_hash", "hash")


@pytest.mark.parametrize(
    "more",
    [
        {"metadata": "[1]"},
        {"metadata": "{"},
        {"metadata": 5},
        {"title": 5},
        {"may_release_text": "no"},
        {"origin_id": 7},
    ],
)
def test_wrong_fields_of_a_source(tmp_path, more):
    assert only_fault(read(tmp_path, dump_line(line(segments=[{"text": "x"}], **more)))).field == next(iter(more))
    item = next(iter(read_epitome1(input_file(tmp_path / "in.jsonl"))))
    with pytest.raises(FieldFault):
        source_record(item)


def test_only_the_sources_are_sources(tmp_path):
    content = b"".join(map(dump_line, [line(segments=[{"text": "x"}]), line("summary"), line("skip")]))
    assert [record.external_id for record in records(read(tmp_path, content))] == ["a"]

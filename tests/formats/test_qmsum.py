"""QMSum meetings, cut into topics."""

import hashlib
import json
from collections import Counter

import pytest

from epitome.formats.faults import LeftOut
from epitome.formats.qmsum import transcript_hash
from epitome.formats.reading import input_file
from epitome.formats.records import SourceRecord
from epitome.formats.registry import detect_format
from epitome.formats.sources import read_sources
from tests.formats.examples import meeting
from tests.formats.helpers import only_fault, read, records, rows, write


def test_one_source_per_topic(tmp_path):
    [first, second] = records(read(tmp_path, rows(meeting([["0", "3"]], [[4, 5], ["7", "7"]])), "val.jsonl"))
    assert first.external_id == first.origin_id + "-0"
    assert second.external_id == first.origin_id + "-1"
    assert (first.title, first.split, first.place) == ("T0", "dev", "line 1, topic_list[0]")
    assert [segment["text"] for segment in second.segments] == ["w4 w4", "w5 w5", "w7 w7"]
    assert second.segments[0] == {"speaker": "S1", "text": "w4 w4"}
    assert second.n_words == 6
    assert json.loads(second.metadata_json) == {
        "topic": "T1",
        "relevant_text_span": [[4, 5], ["7", "7"]],
        "topic_index": 1,
        "turns": [[4, 5], [7, 7]],
        "general_query_list": [{"query": "?", "answer": "!"}],
        "specific_query_list": [],
    }


def test_ranges_out_of_order_or_overlapping_keep_each_turn_once(tmp_path):
    [record] = records(read(tmp_path, rows(meeting([["6", "8"], ["1", "2"], ["2", "3"]])), "val.jsonl"))
    assert [segment["text"].split()[0] for segment in record.segments] == ["w1", "w2", "w3", "w6", "w7", "w8"]


@pytest.mark.parametrize("layout", ["lines", "array", "indented array", "indented objects", "one object"])
def test_layouts_give_the_same_sources(tmp_path, layout):
    meetings = [meeting([["0", "3"]], [["4", "9"]]), meeting([["0", "0"]], turns=3)]
    content = {
        "lines": rows(*meetings),
        "array": json.dumps(meetings),
        "indented array": json.dumps(meetings, indent=1),
        "indented objects": "\n".join(
            json.dumps(other_meeting, indent=4, sort_keys=True) for other_meeting in meetings
        ),
        "one object": json.dumps(meetings[0]),
    }[layout]
    expected = [record.external_id for record in records(read(tmp_path, rows(*meetings)))]
    path = write(tmp_path, content, "x")
    assert detect_format(input_file(path)) == "qmsum"
    external_ids = [record.external_id for record in records(list(read_sources(input_file(path))))]
    assert external_ids == (expected[:2] if layout == "one object" else expected)


def test_the_hash_is_of_the_canonical_transcript():
    turns = [{"speaker": "A", "content": "é"}]
    assert transcript_hash(turns) == transcript_hash([{"content": "é", "speaker": "A"}])
    assert transcript_hash(turns) == hashlib.sha256('[{"content":"é","speaker":"A"}]'.encode()).hexdigest()[:12]
    assert transcript_hash(turns) != transcript_hash([*turns, *turns])


def test_long_units_are_left_out_and_counted(tmp_path):
    content = rows(meeting([["0", "9"]], [["0", "8"]], words=500), meeting([["0", "9"]], words=501, turns=10))
    items = read(tmp_path, content, "val.jsonl")
    assert [type(item) for item in items] == [SourceRecord, SourceRecord, LeftOut]
    assert items[0].n_words == 5000
    assert (items[2].n_words, items[2].external_id[-2:]) == (5010, "-0")
    assert "5,010" in items[2].reason
    assert len(records(read(tmp_path, content, "val.jsonl", max_words=0))) == 3


@pytest.mark.parametrize(
    ("broken", "field", "units"),
    [
        (meeting([["0", "10"]], [["0", "1"]]), "topic_list[0].relevant_text_span[0]", 2),
        (meeting([["0", "1"]], [["5", "4"]]), "topic_list[1].relevant_text_span[0]", 2),
        (meeting([["0", "x"]]), "topic_list[0].relevant_text_span[0][1]", 1),
        (meeting([[0, -1]]), "topic_list[0].relevant_text_span[0][1]", 1),
        (meeting([["0"]]), "topic_list[0].relevant_text_span[0]", 1),
        (meeting([]), "topic_list[0].relevant_text_span", 1),
        (meeting([["0", "1"]], words=0), "topic_list[0].relevant_text_span", 1),
        (meeting(), "topic_list", 1),
        (meeting([["0", "1"]], topic_list=[5]), "topic_list[0]", 1),
        (meeting([["0", "1"]], topic_list=[{"topic": None, "relevant_text_span": [[0, 0]]}]), "topic_list[0].topic", 1),
        (meeting([["0", "1"]], meeting_transcripts={}), "meeting_transcripts", 1),
        (meeting([["0", "1"]], meeting_transcripts=["a"]), "meeting_transcripts[0]", 1),
        (meeting([["0", "1"]], meeting_transcripts=[{"speaker": "A"}]), "meeting_transcripts[0].content", 1),
    ],
)
def test_faults_name_the_field(tmp_path, broken, field, units):
    items = read(tmp_path, rows(meeting([["0", "1"]], turns=3), broken), "val.jsonl")
    fault = only_fault([item for item in items if not isinstance(item, SourceRecord)])
    assert (fault.line, fault.field) == (2, field)
    assert len(items) == 1 + units


def test_a_meeting_twice_is_a_fault(tmp_path):
    items = read(tmp_path, rows(meeting([["0", "1"]]), meeting([["0", "1"]])), "val.jsonl")
    assert (only_fault(items).code, only_fault(items).line) == ("doubled_id", 2)


def test_the_released_file(shared):
    items = list(read_sources(input_file(shared / "data" / "qmsum" / "val.jsonl")))
    assert Counter(type(item).__name__ for item in items) == {"SourceRecord": 143, "LeftOut": 6}
    results = [item for item in items if isinstance(item, SourceRecord)]
    assert len({record.origin_id for record in results}) == 35
    assert len({record.external_id for record in results}) == 143
    assert all(record.n_words <= 5000 and record.split == "dev" for record in results)
    several = [record for record in results if len(json.loads(record.metadata_json)["relevant_text_span"]) > 1]
    assert len(several) == 6
    for record in several:
        spans = json.loads(record.metadata_json)["relevant_text_span"]
        assert len(record.segments) == sum(int(last) - int(first) + 1 for first, last in spans)

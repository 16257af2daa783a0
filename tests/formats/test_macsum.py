"""The released JSON, in and out."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epitome.formats.macsum import parse_turn, split_names, turn_line
from epitome.formats.macsum_out import dump_macsum, released_attributes, write_macsum
from epitome.formats.options import ImportOptions
from epitome.formats.reading import CHUNK, input_file
from epitome.formats.records import ReferenceRecord
from epitome.formats.sources import read_sources
from epitome.schema import load_preset
from tests.formats.examples import SENTENCES, TURNS, dialogue, document, reference
from tests.formats.helpers import only_fault, read, records


def release(*entries):
    return json.dumps(list(entries), indent=2)


def back(found):
    return json.loads(b"".join(dump_macsum(found)))


def same(left, right):
    """Equal values, types and key order."""
    return json.dumps(left) == json.dumps(right)


def test_a_document(tmp_path):
    [record] = records(read(tmp_path, release(document(926)), "val.json", with_references=True))
    assert (record.external_id, record.origin_id, record.split) == ("cnndm-test-926", "cnndm-test-926", "dev")
    assert record.segments == [{"speaker": "", "text": text} for text in SENTENCES]
    assert (record.n_words, record.may_release_text, record.place) == (17, None, "line 2, entry 1")
    assert record.metadata_json == '{"dataset": "cnndm", "split": "test", "file_id": 926}'
    [result] = record.references
    assert result.attributes == {"length": "short", "extractiveness": "full", "specificity": "normal", "topic": []}
    assert result.raw_attributes["extractiveness"] == "fully"
    assert (result.position, result.summary, result.title) == (0, "The mill  closed.", "Mill")
    assert (result.relevant_segments, result.out_of_range, result.raw_extra) == ([[0, 1], 2], [], {})


def test_a_dialogue(tmp_path):
    [record] = records(read(tmp_path, release(dialogue()), "test.json", with_references=True))
    assert (record.external_id, record.origin_id) == ("qmsum-test-339-0-138", "qmsum-test-339")
    assert record.segments == [
        {"speaker": "Ana", "text": "We start at nine : sharp ."},
        {"speaker": "Project Manager", "text": "Fine , {vocalsound} ."},
        {"speaker": "PhD A", "text": "", "raw": "PhD A :"},
        {"speaker": "", "text": "(noise)"},
        {"speaker": "B", "text": "tight", "raw": "B: tight"},
        {"speaker": "C", "text": "x ", "raw": " C : x "},
    ]
    assert record.n_words == 14
    [result] = record.references
    assert (result.attributes["topic"], result.attributes["speaker"]) == (["a", "b"], ["Ana", "X ( Y , Z )"])
    assert result.relevant_segments == [[0, 99], 5, [4, 2]]
    assert result.out_of_range == [[0, 99], [4, 2]]


def test_spans_up_to_the_last_line_are_in_range(tmp_path):
    spans = [[0, 2], 2, [0, 3], 3, -1, [-1, 0]]
    content = release(document(references=[reference(relevant_turns=spans)]))
    [record] = records(read(tmp_path, content, "val.json", with_references=True))
    assert record.references[0].relevant_segments == spans
    assert record.references[0].out_of_range == [[0, 3], 3, -1, [-1, 0]]


def test_pieces_of_one_meeting_share_their_origin_and_splits_do_not(tmp_path):
    other = dialogue(2)
    other["metadata"]["split"] = "train"
    result = records(read(tmp_path, release(dialogue(2), dialogue(2, (139, 150)), other), "val.json"))
    assert [record.origin_id for record in result] == ["qmsum-test-2", "qmsum-test-2", "qmsum-train-2"]
    assert len({record.external_id for record in result}) == 3


def test_references_are_left_out_unless_asked_for(tmp_path):
    broken = document(references=[{"summary": 5}])
    assert records(read(tmp_path, release(broken), "val.json"))[0].references == []
    assert (
        only_fault(read(tmp_path, release(broken), "val.json", with_references=True)).field
        == "references[0].control_attribute"
    )


def test_no_references(tmp_path):
    without = document()
    del without["references"]
    result = records(read(tmp_path, release(without, document(2, references=[])), "val.json", with_references=True))
    assert [record.references for record in result] == [[], []]


@pytest.mark.parametrize("layout", [None, 2, "lines", "one line"])
def test_what_comes_in_goes_out(tmp_path, layout):
    odd = reference("normal", "high", note={"b": 1, "a": [1.5, None]})
    del odd["title"]
    entries = [
        document(1),
        dialogue(),
        document("x7", references=[odd, reference("long", "normal")], url="u", more=[1]),
    ]
    entries[2]["metadata"]["z"] = {"k": "é\u2028"}
    text = {"lines": "\n".join(map(json.dumps, entries)), "one line": json.dumps(entries, ensure_ascii=False)}
    content = text.get(str(layout)) or json.dumps(entries, indent=layout if isinstance(layout, int) else None)
    result = records(read(tmp_path, content, "val.json", with_references=True))
    assert back(result) == entries
    assert [list(entry["references"][0]["control_attribute"]) for entry in back(result)] == [
        list(entry["references"][0]["control_attribute"]) for entry in entries
    ]
    again = records(read(tmp_path, b"".join(dump_macsum(result)), "val.json", with_references=True))
    assert [record.content_hash for record in again] == [record.content_hash for record in result]


LINE = st.text(st.sampled_from("ab: ") | st.characters(exclude_characters="\0", exclude_categories=["Cs"]))


@given(LINE)
def test_every_turn_can_be_put_back(line):
    segment = parse_turn(line)
    assert turn_line(segment) == line
    assert "raw" not in segment or not segment["speaker"] or f"{segment['speaker']} : {segment['text']}" != line


@given(st.lists(LINE, min_size=1))
def test_any_dialogue_round_trips(tmp_path_factory, lines):
    lines = ["Ana : A word .", *lines]
    path = tmp_path_factory.mktemp("macsum") / "val.json"
    entries = [dialogue(source=lines)]
    path.write_text(json.dumps(entries), encoding="utf-8")
    assert back(records(list(read_sources(input_file(path), ImportOptions(with_references=True))))) == entries


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", []),
        ("case", ["case"]),
        ("value , government , different sectors", ["value", "government", "different sectors"]),
        ("a ; b,c;d", ["a", "b", "c", "d"]),
        ("Hon . Navdeep Bains ( Minister of Innovation , Science and Industry ) , Chair", None),
        ("Mr. X ( Edmonton , CPC ) , Y", ["Mr. X ( Edmonton , CPC )", "Y"]),
        ("10,000 dollars , tax", ["10,000 dollars", "tax"]),
        ("a ( b , c", ["a ( b", "c"]),
        (" , ,", []),
    ],
)
def test_names_are_split_outside_of_brackets(text, names):
    expected = names if names is not None else [text.removesuffix(" , Chair"), "Chair"]
    assert split_names(text) == expected


@pytest.mark.parametrize(
    ("change", "field", "code"),
    [
        ({"metadata": None}, "metadata", "type"),
        ({"metadata": {"dataset": "d", "split": "s"}}, "metadata.file_id", "type"),
        ({"metadata": {"dataset": "d", "split": "s", "file_id": True}}, "metadata.file_id", "type"),
        ({"metadata": {"dataset": "d", "split": "s", "file_id": 1, "turns": [0, "9"]}}, "metadata.turns", "type"),
        ({"source": "text"}, "source", "type"),
        ({"source": ["a", 5]}, "source[1]", "type"),
        ({"source": []}, "source", "empty"),
        ({"references": {}}, "references", "type"),
        ({"references": [7]}, "references[0]", "type"),
        ({"references": [reference(), reference("medium")]}, "references[1].control_attribute.length", "value"),
        ({"references": [reference("short", 3)]}, "references[0].control_attribute.extractiveness", "type"),
        ({"references": [reference(summary=None)]}, "references[0].summary", "type"),
        ({"references": [reference(title=3)]}, "references[0].title", "type"),
        ({"references": [reference(relevant_turns=[[1, 2, 3]])]}, "references[0].relevant_turns[0]", "type"),
        ({"references": [reference(relevant_turns=[1, True])]}, "references[0].relevant_turns[1]", "type"),
        ({"references": [reference(relevant_turns="1")]}, "references[0].relevant_turns", "type"),
    ],
)
def test_wrong_entries_name_field_and_line(tmp_path, change, field, code):
    content = release(document(1), document(2, **change), document(3))
    items = read(tmp_path, content, "val.json", with_references=True)
    fault = only_fault(items)
    assert (fault.field, fault.code, len(items)) == (field, code, 3)
    starts = [number for number, line in enumerate(content.split("\n"), 1) if line == "  {"]
    assert starts[1] <= fault.line < starts[2]


def test_the_line_of_a_fault_is_the_values_own(tmp_path):
    content = release(document(1), document(2, references=[reference("medium")]))
    fault = only_fault(read(tmp_path, content, "val.json", with_references=True))
    line = content.split("\n")[fault.line - 1]
    assert line[fault.column - 1 :].startswith('"medium"')
    one_line = json.dumps(json.loads(content.replace("mill", "miłł")), ensure_ascii=False)
    fault = only_fault(read(tmp_path, one_line, "val.json", with_references=True))
    assert (fault.line, one_line[fault.column - 1 :][:8]) == (1, '"medium"')


def test_what_a_schema_does_not_have_is_left_as_it_is(tmp_path):
    content = release(document(references=[reference("medium", formality="x")]))
    schema = load_preset("macsum-doc")
    [record] = records(read(tmp_path, content, "val.json", with_references=True, schema=schema))
    assert record.references[0].attributes["length"] == "medium"


def test_a_sixth_attribute_is_kept(tmp_path):
    control = {**reference()["control_attribute"], "formality": "plain"}
    [record] = records(
        read(
            tmp_path,
            release(document(references=[reference(control_attribute=control)])),
            "val.json",
            with_references=True,
        )
    )
    assert record.references[0].attributes["formality"] == "plain"
    assert back([record])[0]["references"][0]["control_attribute"] == control


@pytest.mark.parametrize(
    ("content", "line", "fatal"),
    [
        ('[\n{"metadata": {}', 2, True),
        ('[\n{"metadata": {}} {"source": []}]', 2, True),
        ('[{"metadata": {}},\n7]', 2, True),
        ('[{"metadata": {}}]\n[]', 2, True),
        ('[\n{"metadata": {}},\n]', 3, True),
        ('[\n{"metadata": {}, "source": [}]', 2, False),
    ],
)
def test_broken_lists(tmp_path, content, line, fatal):
    results = [item for item in read(tmp_path, content, "val.json") if getattr(item, "code", "") == "json"]
    assert (results[0].line, results[0].fatal) == (line, fatal)


def test_a_deep_entry_ends_the_list(tmp_path):
    content = release(document(1))[:-2] + ',\n{"metadata": ' + "[" * 100_000
    items = read(tmp_path, content, "val.json")
    fault = only_fault(items)
    assert (fault.code, fault.fatal, len(items)) == ("depth", True, 2)
    assert (fault.line, fault.column) == (content.count("\n") + 1, 13 + 64)


def test_an_entry_over_the_limit_is_passed_over(tmp_path):
    content = release(document(1), document(2, source=["x" * 17_000_000]), document(3))
    items = read(tmp_path, content, "val.json")
    assert only_fault(items).code == "entry_too_long"
    assert [item.external_id for item in items if hasattr(item, "external_id")] == ["cnndm-test-1", "cnndm-test-3"]


@pytest.mark.parametrize("shift", range(40))
def test_strings_across_chunks(tmp_path, shift):
    """Quotes and backslashes on the border of two chunks."""
    tricky = '"\\{[' * 10
    state_before = json.dumps([document(1, source=["", tricky])]).index('"\\"')
    entry = document(1, source=["x" * (CHUNK - state_before - shift), tricky, "end"])
    content = json.dumps([entry, document(2)])
    assert CHUNK - content.index('"\\"') == shift
    assert back(records(read(tmp_path, content, "val.json", with_references=True))) == [entry, document(2)]


def test_own_summaries_go_out_in_the_words_of_the_release():
    attributes = {
        "topic": ["a", "b"],
        "formality": "plain",
        "specificity": "high",
        "extractiveness": "full",
        "length": "long",
    }
    assert json.dumps(released_attributes(attributes)) == json.dumps(
        {"length": "long", "extractiveness": "fully", "specificity": "high", "topic": "a , b", "formality": "plain"}
    )


def test_writing_counts_and_an_empty_list_is_a_list(tmp_path):
    stream = io.BytesIO()
    assert write_macsum([], stream) == 0
    assert stream.getvalue() == b"[]"
    result = records(read(tmp_path, release(document(1), document(2)), "val.json"))
    assert write_macsum(result, stream) == 2
    assert ReferenceRecord(0, {}, {}, "", "", []).raw_extra == {}


@pytest.mark.parametrize(
    ("folder", "sources", "samples", "flagged"), [("macdoc", 94, 554, 0), ("macdial", 41, 292, 42)]
)
def test_the_released_files_come_back_unchanged(shared, folder, sources, samples, flagged):
    path = shared / "data" / "macsum" / folder / "val.json"
    result = records(list(read_sources(input_file(path), ImportOptions(with_references=True))))
    references = [reference for record in result for reference in record.references]
    assert (len(result), len(references)) == (sources, samples)
    assert sum(len(reference.out_of_range) for reference in references) == flagged
    assert {record.split for record in result} == {"dev"}
    written = b"".join(dump_macsum(result))
    assert same(json.loads(written), json.loads(path.read_bytes()))
    assert written == path.read_bytes()


def test_speakers_of_the_release(shared):
    path = shared / "data" / "macsum" / "macdial" / "val.json"
    results = [
        reference
        for record in read_sources(input_file(path), ImportOptions(with_references=True))
        for reference in record.references
    ]
    assert sum(not reference.attributes["speaker"] for reference in results) == 65
    names = {name for reference in results for name in reference.attributes["speaker"]}
    assert "Hon . Navdeep Bains ( Minister of Innovation , Science and Industry )" in names
    assert TURNS

"""Marks in systems' outputs that Pearmut and factgenie export, as positions in code points."""

import json
from pathlib import Path

import pytest

from epitome.cli.main import main
from epitome.formats.faults import Fault
from epitome.formats.reading import input_file
from epitome.formats.tools.judgments import OutsideMark, read_judgments
from epitome.formats.utf16 import Utf16Offsets
from tests.formats.helpers import write

OUTPUT = "A wolf 🐺 ran in June."


def read_pearmut(folder: Path, *spans: dict) -> list:
    judged = {
        "annotation": [{"sysA": {"score": 34, "error_spans": list(spans), "textfield": "odd"}}],
        "item": [{"src": "x", "tgt": {"sysA": OUTPUT}, "item_id": "wolf-3"}],
        "user_id": "calm-otter",
    }
    return list(read_judgments(input_file(write(folder, json.dumps({"esa": [judged]}), "annotations.json"))))


def read_factgenie(folder: Path, *spans: dict) -> list:
    entry = {
        "dataset": "d",
        "split": "test",
        "example_idx": 0,
        "setup_id": "sysa",
        "output": OUTPUT,
        "annotations": list(spans),
        "metadata": {"annotator_id": "reader", "annotation_span_categories": [{"name": "Contradiction"}]},
        "options": [{"label": "overall", "index": "1", "value": "bad", "optionList": ["Select", "good", "bad"]}],
        "text_fields": [{"label": "comment", "value": ""}],
        "flags": [{"label": "unreadable", "value": True}],
    }
    return list(read_judgments(input_file(write(folder, json.dumps(entry) + "\n"))))


def test_pearmut_counts_utf16_units_with_the_last_one_and_an_omission_stands_behind_the_text(tmp_path):
    first = OUTPUT.index("June")
    units = first + 1  # the wolf is two units
    (judgment,) = read_pearmut(
        tmp_path,
        {"start_i": units, "end_i": units + 3, "category": "date", "severity": "major"},
        {"start_i": len(OUTPUT) + 1, "end_i": len(OUTPUT) + 1, "category": None, "severity": "minor"},
        {"start_i": "missing", "end_i": "missing", "severity": "minor"},
        {"start_i": 7, "end_i": 7, "severity": "minor"},
    )
    assert [OUTPUT[mark.start : mark.end] for mark in judgment.marks] == ["June", "", "", "🐺"]
    assert judgment.marks[0] == OutsideMark(first, first + 4, "major", "date")
    assert [mark.is_omission for mark in judgment.marks] == [False, True, True, False]
    assert (judgment.item, judgment.system, judgment.score) == ("wolf-3", "sysA", 34)
    assert (judgment.rater, judgment.answers) == ("calm-otter", {"comment": "odd"})


def test_a_mark_outside_its_output_is_a_fault(tmp_path):
    (fault,) = read_pearmut(tmp_path, {"start_i": 50, "end_i": 52, "severity": "major"})
    assert isinstance(fault, Fault) and "from 50 to 53 is outside an output of 22 UTF-16 units" in fault.message


@pytest.mark.parametrize("start", [17, 16], ids=["a person's, in UTF-16 units", "a model's, in code points"])
def test_factgenie_marks_are_found_by_their_text(tmp_path, start):
    (judgment,) = read_factgenie(tmp_path, {"type": 0, "text": "June", "start": start})
    (mark,) = judgment.marks
    assert (OUTPUT[mark.start : mark.end], mark.category) == ("June", "Contradiction")
    assert judgment.answers == {"overall": "bad", "unreadable": "yes"}


def test_a_factgenie_mark_whose_text_stands_elsewhere_is_a_fault(tmp_path):
    (fault,) = read_factgenie(tmp_path, {"type": 0, "text": "June", "start": 3})
    assert isinstance(fault, Fault) and "does not stand at its start 3" in fault.message


@pytest.mark.parametrize(("text", "start"), [("", 3), ("June", -5)], ids=["without words", "before the text"])
def test_a_factgenie_mark_without_a_place_is_a_fault(tmp_path, text, start):
    (fault,) = read_factgenie(tmp_path, {"type": 0, "text": text, "start": start})
    assert isinstance(fault, Fault)


def test_a_damaged_entry_of_pearmut_is_named_and_the_others_are_read(tmp_path):
    judged = {
        "annotation": [{"sysA": {"score": "34", "error_spans": []}}],
        "item": [{"src": "x", "tgt": {"sysA": OUTPUT}, "item_id": "wolf-3"}],
        "user_id": "calm-otter",
    }
    damaged = {**judged, "annotation": [{"sysA": {"score": "good", "error_spans": []}}]}
    path = write(tmp_path, json.dumps({"esa": [judged, damaged, {**judged, "item": []}]}), "annotations.json")
    first, *faults = read_judgments(input_file(path))
    assert first.score == 34 and [fault.field for fault in faults] == ["esa[1]", "esa[2]"]


def test_units_inside_a_character_have_no_offset():
    offsets = Utf16Offsets("a🐺b")
    assert [offsets.to_characters(unit) for unit in range(-1, 6)] == [None, 0, 1, None, 2, 3, None]


def test_real_judgments_of_pearmut(shared):
    folder = shared / "data" / "peer-exports" / "pearmut-1.1.6"
    if not folder.is_dir():
        pytest.skip(f"exports of other tools not found in {folder}")
    judgments = list(read_judgments(input_file(folder / "annotations.json")))
    expected = json.loads((folder / "expected.json").read_text())
    assert {(j.rater, j.system): j.score for j in judgments} == {
        (rater, system): score for rater, by_system in expected["scores"].items() for system, score in by_system.items()
    }
    by_system_a = [j for j in judgments if j.system == "sysA"]
    for judgment in by_system_a:
        june, missing = judgment.marks
        assert (june.start, june.end, june.severity) == (35, 39, "major")
        assert judgment.output[35:39] == "June"
        assert (missing.is_omission, missing.severity) == (True, "minor")


def test_real_judgments_of_factgenie(shared):
    folder = shared / "data" / "peer-exports" / "factgenie-1.2.1"
    if not folder.is_dir():
        pytest.skip(f"exports of other tools not found in {folder}")
    first, second = read_judgments(input_file(folder / "0-0-reader_one-1795791655.jsonl"))
    places = [(mark.start, mark.end, first.output[mark.start : mark.end], mark.category) for mark in first.marks]
    assert places == [(31, 35, "June", "Contradiction"), (40, 53, "killed sheep.", "Not checkable")]
    assert (first.rater, first.system) == ("reader_one", "sysa")
    assert first.answers == {"overall": "bad", "comment": "Two errors, one at the end."}
    assert (second.marks, second.answers) == ((), {"overall": "good"})


def test_the_command_compares_what_raters_marked(tmp_path, capsys):
    """Behind a character of two units both marked "June"; one marked the space before it, too."""
    marks = {"calm-otter": [17, 20], "shy-fox": [16, 20]}
    judged = [
        {
            "annotation": [{"sysA": {"error_spans": [{"start_i": first, "end_i": last, "severity": "major"}]}}],
            "item": [{"src": "x", "tgt": {"sysA": OUTPUT}, "item_id": "wolf-3"}],
            "user_id": rater,
        }
        for rater, (first, last) in marks.items()
    ]
    path = write(tmp_path, json.dumps({"esa": judged}), "annotations.json")
    assert main(["agreement", "--spans", str(path), "--json"]) == 0
    scores = json.loads(capsys.readouterr().out)
    assert scores["scores"]["f1"]["value"] == pytest.approx(2 * 4 / 9)

"""`measure` of several files: origins that cross them, and all samples together with an origin as one group."""

import copy
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.metrics.macsum_small import entries, write
from tests.metrics.test_measure_command import as_object, measured, predictions


def meeting(number: int, turns: list[int], words: int) -> dict:
    """A piece of a meeting with one summary of so many words."""
    entry = copy.deepcopy(entries()[0])
    entry["metadata"] = {"dataset": "own", "split": "test", "file_id": number, "turns": turns}
    entry["source"] = ["Ann : word0 word1 word2 stand here.", "Bo : Nothing else does."]
    entry["references"] = entry["references"][:1]
    entry["references"][0]["control_attribute"]["speaker"] = ""
    entry["references"][0]["summary"] = " ".join(f"word{place}" for place in range(words))
    return entry


@pytest.fixture
def two(tmp_path) -> tuple[Path, Path]:
    """Meeting 1 stands in both files, meeting 2 in the second alone."""
    first = write(tmp_path, [meeting(1, [0, 9], 10), meeting(1, [10, 19], 20)], "dev.json")
    return first, write(tmp_path, [meeting(1, [20, 29], 30), meeting(2, [0, 9], 80)], "test.json")


def test_origins_that_cross_files_are_told_with_their_sources(two):
    text = measured(*two)
    assert "Origins: 2 in all, 1 in more than one file." in text
    assert f"  own-test-1: {two[0]} 2, {two[1]} 1" in text
    origins = as_object(*two)["origins"]
    assert origins == {"n": 2, "crossing": {"own-test-1": {str(two[0]): 2, str(two[1]): 1}}}


def test_each_file_is_measured_and_all_together(two):
    result = as_object(*two)
    assert [file["file"] for file in result["files"]] == list(map(str, two))
    assert [file["f"]["length"]["short"] for file in result["files"]] == [15, 55]
    assert result["files"][0] == {"file": str(two[0]), **as_object(two[0])}
    assert (result["pooled"]["samples"], result["pooled"]["f"]["length"]["short"]) == (4, 35)


def test_pieces_of_one_origin_are_drawn_together(two):
    pooled = as_object(*two, "--bootstrap", "300")["pooled"]
    low, high = pooled["ci95"]["f"]["length"]["short"]
    assert (low, high) == (20, 80)  # meeting 1 alone, or meeting 2 alone; single sources would reach from 10
    assert {"drawn:origins", "origins:2", "sources:4"} <= set(pooled["signature"].split("|"))
    text = measured(*two)
    assert "4 samples of 4 sources from 2 origins" in text
    assert "drawn by origin" in text


def test_predictions_are_given_once_for_each_file(two, tmp_path):
    texts = [[reference["summary"] for entry in json.loads(file.read_text()) for reference in entry["references"]]
             for file in two]  # fmt: skip
    files = [predictions(tmp_path / name, *text) for name, text in zip("ab", texts, strict=True) if
             (tmp_path / name).mkdir() is None]  # fmt: skip
    words = [*two, "--predictions", files[0], "--predictions", files[1]]
    result = as_object(*words)
    assert result["pooled"]["cer"]["average"] == 0
    assert [file["rouge"]["rouge1"] for file in result["files"]] == [1, 1]
    with pytest.raises(CommandError, match="2 files and 1 times --predictions") as caught:
        call_command("measure", *map(str, words[:-2]))
    assert caught.value.returncode == 2


def test_files_of_different_domains_are_not_pooled(two, tmp_path):
    documents = write(tmp_path, entries())
    assert as_object(two[0], documents)["pooled"] is None
    assert "Documents and dialogues are not averaged" in measured(two[0], documents)


def test_the_same_file_twice_is_refused(two):
    with pytest.raises(CommandError, match="twice"):
        call_command("measure", str(two[0]), str(two[0].parent / "." / "dev.json"))

"""Turns of transcripts are shown alike by the server and in the browser, and each character keeps its place."""

import json
import re

import pytest

from epitome.text.transcripts import clean_turn
from tests.measures_js import counting

MARKS = re.compile(r"\{[a-z]+\}")
TURNS = [
    ("{vocalsound} Fine , {disfmarker} so we do n't  need it .", "Fine, so we don't need it."),
    ("It 's the team 's plan : {gap} twenty-five Euros ?", "It's the team's plan: twenty-five Euros?"),
    ("{vocalsound}", "{vocalsound}"),
    ("[laughter] Yes , .", "Yes."),
    ("... and then ...", "... and then..."),
    ("The {remote} costs .5 , or 1 . 5 .", "The costs .5, or 1. 5."),
    ("plain text, as written: {1} [2]", "plain text, as written: {1} [2]"),
    ("مرحبا , {pause} نعم .", "مرحبا, نعم."),
    ("🚢 {gap} 👩‍👩‍👧 !", "🚢 👩‍👩‍👧!"),
]


@pytest.mark.parametrize(("turn", "shown"), TURNS)
def test_a_turn_is_shown_without_marks(turn, shown):
    assert clean_turn(turn) == shown


def assert_alike(turns, folder):
    for turn, item in zip(turns, counting.node("shown_text.mjs", turns, folder), strict=True):
        assert item["text"] == clean_turn(turn)
        assert item["text"].split() == item["stored"].split()


def test_the_browser_shows_the_same(tmp_path):
    assert_alike([turn for turn, _shown_text in TURNS], tmp_path)


def test_turns_of_real_meetings_are_shown_alike_and_without_marks(shared, tmp_path):
    lines = (shared / "data/qmsum/val.jsonl").read_text(encoding="utf-8").splitlines()
    turns = [turn["content"] for line in lines for turn in json.loads(line)["meeting_transcripts"]]
    assert len(turns) > 1000
    assert_alike(turns, tmp_path)
    results = [clean_turn(turn) for turn in turns]
    assert not [text for text in results if "{vocalsound}" in text and any(map(str.isalnum, MARKS.sub("", text)))]
    assert not [text for text in results if " , " in text or text.endswith(" .")]

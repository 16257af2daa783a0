"""Sources and requests at the edge: an output, or an empty one, never a crash, and always the same."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from epitome.schema import parse_schema, preset_text
from epitome.systems.controlled_extract.request_targets import attributes_from_schema
from tests.extract.conftest import meeting_segments, news_segments, request_of, requests_of_both

ROOT = Path(__file__).resolve().parents[2]
NORMAL = {"length": "normal", "extractiveness": "normal", "specificity": "normal"}


def said(extract, segments, preset="macsum-doc", **values):
    return extract.generate([request_of(segments, preset, **{**NORMAL, **values})])[0].text


@pytest.mark.parametrize("text", ["", "   ", "...", "!?"])
def test_a_source_without_words_gives_an_empty_summary(extract, text):
    assert said(extract, [{"speaker": "", "text": text}]) == ""


def test_no_segments_give_an_empty_summary(extract):
    assert said(extract, []) == ""


def test_one_sentence_is_its_own_summary(extract):
    assert said(extract, [{"speaker": "", "text": "The council met."}]) == "The council met."


def test_a_turn_without_a_sentence_is_quoted(extract):
    text = said(extract, [{"speaker": "PhD A", "text": "Two red boxes ."}], "macsum-dial", topic=("tests",))
    assert text == 'PhD A said, "Two red boxes."'


@pytest.mark.parametrize("topic", [(), ("zeppelin",), ("", " "), ("…",), ("a" * 90,)])
def test_a_topic_that_is_not_there_changes_nothing_else(extract, topic):
    assert len(said(extract, news_segments(), topic=topic).split()) > 5


def test_a_speaker_who_is_not_there_is_let_go(extract):
    text = said(extract, meeting_segments(), "macsum-dial", topic=("case",), speaker=("Queen of Hearts",))
    assert "case" in text and "Queen" not in text


def test_another_language_keeps_its_sentences_whole(extract):
    german = parse_schema(preset_text("macsum-doc").replace('language = "en"', 'language = "de"'), "german.toml")
    sentences = ["Der Stadtrat hat die neue Linie beschlossen.", "Der Bau kostet 310 Millionen Euro.", "Alle warten."]
    segments = [{"speaker": "", "text": sentence} for sentence in sentences]
    text = said(extract, segments, german)
    assert text and all(word.strip(".") + "." in sentences for word in text.split(". ") if word)


def test_scripts_and_odd_characters_pass(extract):
    segments = [
        {"speaker": "", "text": "市议会批准了新的电车线路。 \ud83d\ude8b 🚋"},
        {"speaker": "", "text": "مرحبا بالعالم."},
    ]
    assert said(extract, segments)


def test_a_request_for_nothing_is_answered(extract):
    output = extract.generate([request_of(news_segments(), "macsum-doc")])[0]
    assert output.text and output.told == {}


def test_it_follows_what_a_schema_measures():
    assert set(attributes_from_schema(request_of([], "macsum-dial").schema)) == {
        "length", "extractiveness", "specificity", "topic", "speaker",
    }  # fmt: skip
    assert set(attributes_from_schema(request_of([], "ccsbench").schema)) == {"length", "keywords", "readability"}


def test_neighbours_in_a_batch_change_nothing(extract):
    requests = [
        request_of(meeting_segments(), "macsum-dial", **NORMAL, topic=("battery",)),
        request_of(news_segments(), "macsum-doc", **NORMAL),
        request_of(meeting_segments(), "macsum-dial", **{**NORMAL, "length": "long"}, topic=("case",)),
    ]
    together = [output.text for output in extract.generate(requests)]
    alone = [extract.generate([request])[0].text for request in reversed(requests)]
    assert together == alone[::-1]


CODE = """
import json
from epitome.systems.registry import config_of, make_system
from tests.extract.conftest import requests_of_both
print(json.dumps([output.text for output in make_system(config_of("controlled-extract")).generate(requests_of_both())]))
"""


def test_another_process_with_other_hashes_gives_the_same_text(extract):
    child = subprocess.run(
        [sys.executable, "-c", CODE],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "4242", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(child.stdout) == [output.text for output in extract.generate(requests_of_both())]

"""Each control moves its own measure the way it is asked to."""

from itertools import pairwise

import pytest

from epitome.measures import SourceIndex, measure_summary, spacy_tagger
from epitome.measures.length import n_tokens
from epitome.measures.readability import fkgl
from epitome.measures.specificity import specificity_many
from tests.extract.conftest import meeting_segments, news_segments, request_of


def test_longer_requests_give_longer_summaries(about_news, about_meeting):
    for ask in (about_news, about_meeting):
        sizes = [n_tokens(ask(length=value).text) for value in ("short", "normal", "long")]
        assert all(first < other for first, other in pairwise(sizes)), sizes


def test_length_is_near_the_guideline_of_the_whole_document(about_news):
    words = sum(len(news_segment["text"].split()) for news_segment in news_segments())
    for value, share in (("short", 0.0525), ("normal", 0.1025), ("long", 0.1525)):
        assert len(about_news(length=value).text.split()) == pytest.approx(share * words, rel=0.35)


def test_a_topic_is_named_and_narrows_the_choice(about_news):
    text = about_news(topic=("trees", "river")).text.lower()
    assert "trees" in text and "river" in text
    assert "battery" not in text and "court" not in text


def test_speakers_asked_for_are_those_who_speak(about_meeting):
    text = about_meeting(topic=("case",), speaker=("User Interface",)).text
    assert text.count("User Interface") >= 1
    assert "Marketing" not in text


def test_full_extractiveness_copies_more_than_normal(about_meeting):
    index = SourceIndex(meeting_segments(), domain="dialogue")
    copied = []
    for value in ("normal", "full"):
        text = about_meeting(extractiveness=value, length="long").text
        copied.append(measure_summary(text, index, {}, measures=["extractiveness"])["extractiveness"].value)
    assert copied[0] < copied[1]


def test_high_specificity_is_denser_than_normal(about_news):
    texts = {
        value: [about_news(specificity=value, topic=(topic,)).text for topic in ("tram", "bridge", "court", "city")]
        for value in ("normal", "high")
    }
    dense = {value: sum(map(float, specificity_many(entry, spacy_tagger()))) for value, entry in texts.items()}
    assert dense["normal"] < dense["high"]


def test_what_it_says_it_measured_is_what_the_library_measures(about_meeting):
    output = about_meeting(speaker=("Industrial Designer", "Marketing"))
    index = SourceIndex(meeting_segments(), domain="dialogue")
    fields = {"topic": ("battery",), "speaker": ("Industrial Designer", "Marketing")}
    by_key = dict(output.decoding["measured"])
    measured = measure_summary(output.text, index, fields, measures=list(by_key), tagger=spacy_tagger())
    assert by_key == {name: pytest.approx(value.value, abs=1e-4) for name, value in measured.items()}


def test_bins_of_words_are_met(extract):
    segments = news_segments() * 2
    for value, (low, high) in (("0", (15, 50)), ("1", (51, 100)), ("2", (101, 150))):
        request = request_of(segments, "ccsbench", length=value, keywords=("tram line",), readability="normal")
        output = extract.generate([request])[0]
        assert low <= len(output.text.split()) <= high
        assert "tram" in output.text
        assert output.told == {"length": value, "keywords": ("tram line",), "readability": "normal"}


def test_high_readability_is_easier_to_read_than_normal(extract):
    grades = []
    for value in ("normal", "high"):
        request = request_of(news_segments(), "ccsbench", length="1", keywords=(), readability=value)
        grades.append(fkgl(extract.generate([request])[0].text).value)
    assert grades[1] < grades[0]

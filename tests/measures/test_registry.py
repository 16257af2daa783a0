"""The measures as attributes name them."""

import pytest

from epitome.measures import MEASURES, NoTagger, SourceIndex, measure_summary

TALK = SourceIndex.from_lines(["Ann : We need cheap buttons .", "Bob : Rubber , please ."], "dialogue")
EVERY = ["length", "extractiveness", "topic", "speaker", "keywords", "readability"]


class Nouns:
    id = "nouns@1"

    def tag(self, batch):
        return [["NN"] * len(words) for words in batch]


def test_one_summary_by_every_measure():
    summary = measure_summary(
        "Ann wants cheap buttons.",
        TALK,
        {"topic": "buttons , price", "speaker": ["Bob"], "keywords": ["button"]},
        measures=[*EVERY, "specificity"],
        tagger=Nouns(),
    )
    assert list(summary) == [*EVERY, "specificity"]
    assert {key: round(float(value), 4) for key, value in summary.items()} == {
        "length": 5,
        "extractiveness": 0.1667,  # one of three 2-grams
        "topic": 0.5,
        "speaker": 0.0,
        "keywords": 1.0,
        "readability": round(0.39 * 4 + 11.8 * 5 / 4 - 15.59, 4),
        "specificity": 2.5,  # 5 tokens, all nouns: 0.2 * 5 + 0.3 * 5
    }


def test_what_was_not_requested_has_no_number():
    summary = measure_summary("Cheap.", TALK, {"topic": "", "speaker": []}, measures=["topic", "speaker", "keywords"])
    assert {key: value.undefined for key, value in summary.items()} == {
        "topic": "no topic requested",
        "speaker": "no speaker requested",
        "keywords": "no keywords requested",
    }


def test_an_empty_summary_has_zeros_but_no_grade():
    fields = {"topic": "price", "speaker": "Ann"}
    summary = measure_summary("", TALK, fields, measures=[*EVERY, "specificity"], tagger=Nouns())
    assert {key: summary[key].value for key in ("length", "extractiveness", "specificity", "speaker", "topic")} == {
        "length": 0, "extractiveness": 0, "specificity": 0, "speaker": 0, "topic": 0,
    }  # fmt: skip
    assert summary["readability"].undefined


def test_what_is_missing_is_said():
    with pytest.raises(NoTagger, match="specificity needs a tagger"):
        measure_summary("Cheap.", TALK, {}, measures=["specificity"])
    with pytest.raises(ValueError, match="no measure 'focus'; there are length"):
        measure_summary("Cheap.", TALK, {}, measures=["focus"])
    with pytest.raises(ValueError, match="SourceIndex"):
        MEASURES["extractiveness"]("Cheap.")
    with pytest.raises(TypeError, match="text or a list of texts"):
        measure_summary("Cheap.", TALK, {"topic": 3}, measures=["topic"])


def test_signatures_say_what_the_number_depends_on():
    measure = MEASURES["extractiveness"]
    assert str(measure.signature(profile="release", domain="dialogue")) == "extractiveness:release|v:4|joiner:</s>"
    assert str(measure.signature(profile="release", domain="document")) == "extractiveness:release|v:4|joiner:blank"
    assert str(measure.signature(profile="literal", domain="dialogue")) == "extractiveness:literal|v:4|joiner:blank"
    specificity = MEASURES["specificity"].signature(tagger_id="en_core@1+ab")
    assert str(specificity) == "specificity:release|v:3|tagger:en_core@1+ab|tokens:sentences+treebank+icu@5"
    with pytest.raises(NoTagger):
        MEASURES["specificity"].signature()
    assert all(len(str(other_measure.signature(tagger_id="x" * 60))) <= 200 for other_measure in MEASURES.values())


def test_each_measure_declares_what_it_needs():
    assert {key for key, value in MEASURES.items() if value.needs_tagger} == {"specificity"}
    assert {key for key, value in MEASURES.items() if value.needs_source} == {"extractiveness", "speaker"}
    assert {key: value.needs_request for key, value in MEASURES.items() if value.needs_request} == {
        "topic": "topic", "speaker": "speaker", "keywords": "keywords",
    }  # fmt: skip

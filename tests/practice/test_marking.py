"""How answers are marked, and what an annotator reads about them."""

import pytest

from annotation.kinds import PayloadRefused
from annotation.services.practice.feedback import write_numbers
from annotation.services.practice.right_answers import check_answer, check_right, mark_answer
from epitome.schema import parse_schema, preset_text
from tests.practice.factories import BAD, GOOD, RIGHT

SCHEMA = parse_schema(preset_text("macsum-doc"), name="schema.toml")
SEGMENTS = [{"speaker": "", "text": "One."}] * 3


def test_an_answer_is_right_with_all_that_is_needed_and_nothing_that_is_not_accepted():
    assert mark_answer(GOOD, RIGHT) == {}
    assert mark_answer({**GOOD, "segments": [1]}, RIGHT) == {}
    assert mark_answer({**GOOD, "chosen": {"topic": [" Topic  2", "TOPIC 3"]}}, RIGHT) == {}


def test_faults_name_what_is_too_much_and_count_what_is_missing():
    assert mark_answer(BAD, RIGHT) == {
        "chosen": {"topic": {"extra": ["topic 1"], "missing": 1}},
        "segments": {"extra": [2], "missing": 1},
        "length": {"words": 2},
    }


def test_the_ends_of_the_band_are_inside():
    for n_words, is_right in ((2, False), (3, True), (6, True), (7, False)):
        assert (mark_answer({**GOOD, "text": "word " * n_words}, RIGHT) == {}) is is_right


def test_where_nothing_is_needed_any_accepted_one_will_do():
    right = {"segments": {"needed": [], "also": [0, 2]}}
    assert mark_answer({"segments": [2]}, right) == {}
    assert mark_answer({"segments": [1]}, right) == {"segments": {"extra": [1], "missing": 1}}


@pytest.mark.parametrize(
    ("right", "field"),
    [
        ({}, "right"),
        ({"other": 1}, "other"),
        ({"chosen": {"length": {"needed": ["short"]}}}, "length"),
        ({"chosen": {"topic": {"needed": [""]}}}, "chosen.topic.needed[0]"),
        ({"chosen": {"topic": {"needed": [], "also": []}}}, "chosen.topic"),
        ({"chosen": {"topic": {"needed": [f"t{n}" for n in range(20)]}}}, "chosen.topic"),
        ({"segments": {"needed": [3]}}, "segments.needed[0]"),
        ({"segments": {"needed": ["1"]}}, "segments.needed[0]"),
        ({"length": {"low": 9, "high": 8}}, "length.high"),
        ({"length": {"low": 9}}, "length.high"),
    ],
)
def test_right_answers_that_cannot_be_right_are_refused_by_name(right, field):
    with pytest.raises(PayloadRefused) as refused:
        check_right(right, schema=SCHEMA, segments=SEGMENTS)
    assert refused.value.field == field


def test_what_is_needed_is_not_accepted_a_second_time():
    right = {"segments": {"needed": [1, 1], "also": [1, 2]}}
    assert check_right(right, schema=SCHEMA, segments=SEGMENTS) == {"segments": {"needed": [1], "also": [2]}}


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"segments": []}, "segments"),
        ({"segments": [3]}, "segments[0]"),
        ({"text": " "}, "text"),
        ({"chosen": {"topic": ["elsewhere"]}}, "chosen.topic[0]"),
        ({"chosen": {}}, "chosen.topic"),
        ({"title": "T"}, "title"),
    ],
)
def test_an_incomplete_answer_is_refused_and_costs_no_try(changed, field):
    with pytest.raises(PayloadRefused) as refused:
        check_answer({**GOOD, **changed}, right=RIGHT, n_segments=3, choices={"topic": ["topic 1", "topic 2"]})
    assert refused.value.field == field


def test_numbers_of_segments_are_written_from_one_with_runs_together():
    assert write_numbers([0, 4, 5, 6, 2]) == "1, 3, 5–7"

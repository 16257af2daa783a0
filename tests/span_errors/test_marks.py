"""Marks as they are stored, and a model's quotes found in the text."""

import json
from dataclasses import replace

import pytest

from epitome.rounds.answer_texts import BadAnswer
from epitome.rounds.config import config_from_dict
from epitome.rounds.config_parsing import parse_round
from epitome.rounds.judge_marks import read_judge_marks
from epitome.rounds.marks import (
    Mark,
    align_quotes,
    character_f1,
    check_places,
    covered_words,
    find_words,
    read_marks,
    write_marks,
)
from epitome.rounds.questions import Question
from epitome.rounds.templates import load_template
from epitome.schema import SchemaError, load_preset
from tests.span_errors.factories import mark, round_text, stored

NEWS = load_preset("macsum-doc")
MQM = load_template("error-spans-mqm").questions[0]
ESA = load_template("error-spans-esa").questions[0]
TEXT = "The council refused to pay for the night ferry until April."


def read(question: Question, *marks: dict) -> str:
    return question.asks.read(question, stored(*marks))


def test_marks_are_stored_in_the_order_of_the_text_with_omissions_last():
    missing = {"category": "omission", "severity": "minor"}
    assert json.loads(read(MQM, missing, mark(12, 19), mark(0, 3, "fluency", "minor"))) == [
        mark(0, 3, "fluency", "minor"),
        mark(12, 19),
        missing,
    ]
    assert read(MQM) == "[]"
    assert read(ESA, {"start": 0, "end": 3, "severity": "minor"}) == '[{"start":0,"end":3,"severity":"minor"}]'


@pytest.mark.parametrize(
    ("question", "marks"),
    [
        (MQM, mark(0, 3, "style")),
        (MQM, mark(0, 3, severity="awful")),
        (MQM, mark(3, 3)),
        (MQM, mark(-1, 3)),
        (MQM, mark(True, 3)),
        (MQM, {**mark(0, 3), "quote": "The"}),
        (MQM, {"start": 0, "end": 3, "severity": "minor"}),
        (MQM, {"category": "accuracy", "severity": "minor"}),
        (ESA, mark(0, 3)),
        (replace(ESA, omission=False), {"category": "omission", "severity": "minor"}),
        (ESA, {"start": 0, "end": 3, "severity": "critical"}),
    ],
)
def test_a_mark_of_an_undeclared_kind_or_without_a_place_is_refused(question, marks):
    with pytest.raises(BadAnswer):
        read(question, marks)


TOO_MANY = stored(*[mark(place, place + 1) for place in range(101)])


@pytest.mark.parametrize("given", ["", "x", "{}", "[1]", "null", None, 3, TOO_MANY])
def test_an_answer_that_is_no_list_of_marks_is_refused(given):
    with pytest.raises(BadAnswer):
        MQM.asks.read(MQM, given)


def test_the_same_words_are_marked_once_in_a_category():
    with pytest.raises(BadAnswer, match="twice"):
        read(MQM, mark(0, 3), mark(0, 3, severity="minor"))
    assert len(json.loads(read(MQM, mark(0, 3), mark(0, 3, "fluency")))) == 2


def test_a_mark_ends_inside_the_text():
    check_places(read_marks(stored(mark(0, len(TEXT)))), TEXT)
    with pytest.raises(ValueError, match="behind the text"):
        check_places(read_marks(stored(mark(0, len(TEXT) + 1))), TEXT)


def test_a_word_is_covered_by_a_mark_that_touches_it():
    words = find_words("ab  cde f")
    assert words == [(0, 2), (4, 7), (8, 9)]
    assert covered_words(words, [Mark("minor", "", 6, 9)]) == [False, True, True]
    assert covered_words(words, [Mark("minor", "", 2, 4), Mark("minor")]) == [False, False, False]
    assert covered_words(words, [Mark("minor", "", 1, 2), Mark("minor", "", 8, 9)]) == [True, False, True]


def test_f1_of_characters_by_hand():
    # 4 characters and 6, of which 2 in common: 2 * 2 / (4 + 6).
    assert character_f1([Mark("minor", "", 0, 4)], [Mark("minor", "", 2, 8)]) == pytest.approx(0.4)
    assert character_f1([Mark("minor", "", 0, 4)], []) == 0
    assert character_f1([], [Mark("minor")]) is None


def test_two_answers_of_one_person_are_alike_if_most_of_the_words_are():
    alike, other = read(MQM, mark(12, 19)), read(MQM, mark(12, 22))
    assert MQM.asks.matches(MQM, alike, other)
    assert not MQM.asks.matches(MQM, alike, read(MQM, mark(18, 30)))
    assert MQM.asks.matches(MQM, "[]", "[]") and not MQM.asks.matches(MQM, "[]", alike)


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("refused", "refused"),
        ("  REFUSED to\n pay ", "refused to pay"),
        ("“the night ferry”", "the night ferry"),
        ("refuses to pay", "refused to pay"),
        ("agreed at once", None),
        ("paid", None),
        ("", None),
    ],
)
def test_a_quote_is_found_word_for_word_or_most_alike(quote, found):
    aligned = align_quotes(TEXT, [(quote, "accuracy", "major")])
    assert [TEXT[other_mark.start : other_mark.end] for other_mark in aligned.marks] == ([found] if found else [])
    assert aligned.unaligned == (() if found else (quote,)) and aligned.n_quotes == 1
    assert aligned.n_fuzzy == (found is not None and found != quote)


def test_a_short_quote_is_rather_a_word_than_a_part_of_one():
    assert align_quotes("The man is mad at the art", [("at", "", "minor")]).marks[0].start == 15
    assert align_quotes("The start", [("art", "", "minor")]).marks[0].start == 6


def test_a_repeated_quote_is_the_next_place_of_the_same_words():
    aligned = align_quotes("until April until May", [("until", "", "minor")] * 3)
    assert [other_mark.start for other_mark in aligned.marks] == [0, 12]


def test_the_answer_of_a_model_is_read_with_labels_in_any_case_and_inside_a_code_block():
    text = """Here you are:
```json
[{"quote": "refused", "category": "ACCURACY", "severity": "Critical"},
 {"quote": "", "category": "Something is missing", "severity": "minor"},
 {"quote": "ferry", "category": "taste", "severity": "minor"},
 {"quote": "nowhere to be seen", "category": "fluency", "severity": "minor"}]
```"""
    marks = read_judge_marks(MQM, TEXT, text)
    assert marks is not None
    assert write_marks(marks.marks) == stored(
        mark(12, 19, severity="critical"), {"category": "omission", "severity": "minor"}
    )
    assert sorted(marks.unaligned) == ["ferry", "nowhere to be seen"]
    assert MQM.asks.read(MQM, write_marks(marks.marks)) == write_marks(marks.marks)


def test_an_empty_list_is_an_answer_and_words_are_none():
    empty = read_judge_marks(MQM, TEXT, "[]")
    assert empty is not None and empty.marks == () and empty.unaligned == ()
    assert read_judge_marks(MQM, TEXT, '{"errors": []}') == empty
    for item in ("It is fine.", "[1, 2]", "", '{"quote": "refused"}', "[" * 5000):
        assert read_judge_marks(MQM, TEXT, item) is None


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ('values = ["a", "a"]', "different categories"),
        ('values = ["omission"]', "omission = true"),
        ("severities = { a = 0 }", "above 0"),
        ("severities = { a = 1, b = 2, c = 3, d = 4, e = 5, f = 6 }", "at most 5"),
        ('about = "pair"', "must be summary"),
    ],
)
def test_a_fault_of_the_declaration_names_its_key(line, place):
    question = f'[[question]]\nkey = "more"\ntype = "span-errors"\ntext = "?"\n{line}\n'
    with pytest.raises(SchemaError) as error:
        parse_round(round_text() + question, NEWS)
    assert place in str(error.value) and "line" in str(error.value)


def test_severities_belong_to_marks_alone():
    question = '[[question]]\nkey = "more"\ntype = "yes-no"\ntext = "?"\nseverities = { a = 1 }\n'
    with pytest.raises(SchemaError, match="span-errors, and only"):
        parse_round(round_text() + question, NEWS)


def test_a_round_keeps_categories_and_weights_when_it_is_stored():
    config = parse_round(round_text(), NEWS)
    assert config_from_dict(json.loads(json.dumps(config.as_dict()))) == config
    assert config.question("errors").severities == (("minor", 1.0), ("major", 5.0), ("critical", 10.0))

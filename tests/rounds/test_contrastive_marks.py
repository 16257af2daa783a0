"""Contrastive examples without a database: which are drawn, which words are marked, what a scorer says of them."""

from collections import Counter

import pytest

from epitome.metrics.scored_texts import read_scored_sample
from epitome.rounds.config_parsing import parse_round
from epitome.rounds.contrastives import Mark, cut_pieces, draw_per_rule, find_marks
from epitome.schema import SchemaError, load_preset
from tests.rounds.examples import check_round

NEWS = load_preset("macsum-doc")


def edit(start, end, was, now):
    return {"start": start, "end": end, "was": was, "now": now}


def marked(gold, text, edits):
    return [(text[mark.start : mark.end], mark.was) for mark in find_marks(gold, text, edits)]


def test_swapped_words_of_different_length_are_marked_where_they_stand_now():
    gold, text = "Storms keep boats in port", "boats keep storms in port"
    edits = [edit(0, 6, "Storms", "boats"), edit(12, 17, "boats", "Storms")]
    assert marked(gold, text, edits) == [("boats", "Storms"), ("storms", "boats")]
    assert marked(gold, text, edits[::-1]) == [("boats", "Storms"), ("storms", "boats")]


def test_without_sound_edits_the_words_that_differ_are_marked():
    gold, text = "Mayor says bridges are safe", "mayor says bridges is safe"
    assert marked(gold, text, []) == [("is", "are")]
    assert marked(gold, text, [edit(0, 5, "Mayor", "pilot")]) == [("is", "are")]
    assert marked("a b", "a new b", []) == [("new", "")]


def test_characters_are_counted_as_python_counts_them():
    gold, text = "\U0001f6a2 boats İn port", "\U0001f6a2 ships İn port"
    assert marked(gold, text, [edit(2, 7, "boats", "ships")]) == [("ships", "boats")]


def test_pieces_put_together_are_the_text():
    text = "boats keep storms in port"
    marks = [Mark(0, 5, "storms").as_list(), Mark(11, 17, "boats").as_list()]
    pieces = cut_pieces(text, marks)
    assert "".join(piece.text for piece in pieces) == text
    assert [piece.was for piece in pieces] == ["storms", None, "boats", None]


def test_every_rule_gives_as_many_and_each_of_its_examples_is_as_likely():
    ids = {"G-N": [f"n{number}" for number in range(10)], "S-P": ["p0"]}
    drawn = draw_per_rule(ids, 2, seed=3)
    assert drawn == draw_per_rule({rule: names[::-1] for rule, names in ids.items()}, 2, seed=3)
    assert Counter(name[0] for name in drawn) == {"n": 2, "p": 1}
    counts = Counter(name for seed in range(500) for name in draw_per_rule(ids, 2, seed) if name != "p0")
    # 2 of 10 in 500 draws: 100 each, standard deviation 9.
    assert len(counts) == 10 and all(60 < n < 140 for n in counts.values())


def list_not_dodged(scores, kind="sum", annotation=1):
    scored = read_scored_sample(scores, kind)
    verdicts = {name: scored.is_dodged(pk=number, public_id=name, annotation=annotation) for number, name in NAMES}
    return [name for name, is_dodged in verdicts.items() if is_dodged is False]


NAMES = [(31, "a"), (32, "b"), (33, "c"), (34, "d")]
TEXTS = {
    "contrastive:a": {"sum": -9.0, "mean": -3.0},
    "contrastive:b": {"sum": -10.0, "mean": -1.0},
    "c": {"sum": -11.0, "mean": -0.5},
    "contrastive:d": {},
}


def test_a_tie_is_not_dodged_and_texts_without_a_score_say_nothing():
    scores = {"gold": {"sum": -10.0, "mean": -2.0}, "texts": TEXTS}
    assert list_not_dodged(scores) == ["a", "b"] and list_not_dodged(scores, "mean") == ["b", "c"]
    assert read_scored_sample({"texts": TEXTS}) is None and read_scored_sample({"gold": {"sum": -1.0}}) is None


def test_an_example_is_held_against_the_gold_that_it_was_made_from():
    texts = {"a": {"sum": -9.0, "of": "contrastive:31"}, "annotation:2": {"sum": -8.0, "of": "annotation:2"}}
    texts |= {"b": {"sum": -8.5, "of": "contrastive:32"}}
    scores = {"gold": {"sum": -10.0, "of": "annotation:1"}, "texts": texts}
    assert list_not_dodged(scores, annotation=1) == ["a", "b"] and list_not_dodged(scores, annotation=2) == []
    assert list_not_dodged(scores, annotation=3) == []


def test_the_file_of_a_check_says_what_is_left_open():
    config = parse_round(check_round().replace("per_rule = 2", ""), NEWS)
    assert config.selection.per_rule == 25 and config.reference == "gold" and config.form == "single"
    assert [question.key for question in config.questions] == ["readability-issue", "discrepancy"]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (check_round(selection="n = 5"), "n does not go with contrastive examples"),
        (check_round(selection='stratify = "length"'), "stratify does not go"),
        (check_round(more='[[target]]\nkind = "gold"'), "only target"),
        (check_round(more='[reference]\nfrom = "metadata:abstract"'), "must be gold"),
        (check_round(more="[quality]\nother_source = 1"), "no foils"),
        (check_round().replace('kind = "contrastive"', 'kind = "contrastive"\nno_control = true'), "no request"),
        (check_round().replace('kind = "contrastive"', 'kind = "contrastive"\nrun = "x"'), "neither a system"),
        (check_round().replace('"contrastive"', '"gold"').replace("per_rule = 2", ""), "marks changed words"),
        (check_round().replace("contrastive-check", "pairwise-preference"), "rated one at a time"),
        (
            '[round]\nname = "A"\ntemplate = "likert"\n[selection]\nper_rule = 2\n[[target]]\nkind = "gold"',
            "per_rule goes with",
        ),
    ],
)
def test_a_fault_names_key_and_line(text, place):
    with pytest.raises(SchemaError) as error:
        parse_round(text, NEWS)
    assert str(error.value).startswith("round.toml, line ") and place in str(error.value).replace(": ", " ")

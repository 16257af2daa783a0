"""Edits: applied, undone, checked and derived."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epitome.contrastives import (
    Edit,
    EditFault,
    MakerOptions,
    apply_edits,
    check_edits,
    derive_edits,
    make_examples,
    set_quotas,
    undo_edits,
)
from tests.contrastives.tagged_texts import read_tagged

WORDS = ("Police/NNS", "men/NNS", "Men/NNS", "dog/NN", "Rome/NNP", "ROME/NNP", "İzmir/NNP", "the/DT/det", "ran/VBD")
WORDS += ("sees/VBZ", "big/JJ", "Straße/JJ", "in/IN/case/obl", "on/IN/case/obl", "and/CC", ",/,", "./.", "'s/POS")
tagged = st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join)


@settings(max_examples=60, deadline=None)
@given(gold=tagged, source=tagged, seed=st.integers(0, 3), per_gold=st.integers(1, 60))
def test_every_example_has_one_or_two_edits_and_undone_they_give_the_gold(gold, source, seed, per_gold):
    text, tokens = read_tagged(gold)
    quotas = set_quotas(per_gold)
    examples = make_examples(
        key="k",
        gold=text,
        gold_tokens=tokens,
        source_tokens=[read_tagged(source)[1]],
        options=MakerOptions(seed=seed, quotas=quotas),
    )
    for example in examples.examples:
        check_edits(text, example.edits)
        assert len(example.edits) == (2 if example.rule.startswith("G") else 1)
        assert apply_edits(text, example.edits) == example.text
        assert undo_edits(example.text, example.edits) == text
        assert example.text.lower() != text.lower()
    lows = [example.text.lower() for example in examples.examples]
    assert len(set(lows)) == len(lows)
    drawn = {rule: counts["drawn"] for rule, counts in examples.counts.items()}
    assert all(drawn[rule] <= quotas[rule] for rule in drawn) and sum(drawn.values()) == len(lows)


@settings(max_examples=60, deadline=None)
@given(gold=st.text("abC. ,'", max_size=24), text=st.text("abC. ,'", max_size=24))
def test_derived_edits_give_the_text_but_for_case(gold, text):
    try:
        edits = derive_edits(gold, text)
    except EditFault:
        return
    assert apply_edits(gold, edits).lower() == text.lower()
    assert undo_edits(apply_edits(gold, edits), edits) == gold
    assert 1 <= len(edits) <= 2


@pytest.mark.parametrize(
    ("gold", "text", "edits"),
    [
        ("Police arrested men.", "police arrested women.", [Edit(16, 19, "men", "women")]),
        ("Police arrested men.", "Men arrested police.", [Edit(0, 6, "Police", "Men"), Edit(16, 19, "men", "police")]),
        ("by the Senate today", "by Congress today", [Edit(3, 13, "the Senate", "Congress")]),
        ("police officer", "officer police", [Edit(0, 14, "police officer", "officer police")]),
        ("two men", "two old men", [Edit(0, 4, "two ", "two old ")]),
        ("two men", "old two men", [Edit(0, 3, "two", "old two")]),
        ("he did not go", "he did go", [Edit(3, 11, "did not ", "did ")]),
    ],
)
def test_edits_are_derived_by_comparing_words(gold, text, edits):
    derived = derive_edits(gold, text)
    assert apply_edits(gold, derived).lower() == text.lower()
    assert list(derived) == edits


@pytest.mark.parametrize(
    ("gold", "text", "why"),
    [
        ("the police saw it", "THE police saw it", "equals"),
        ("x sees y or z, then a b", "u sees v or w, then c b", "in 4 places"),
    ],
)
def test_texts_without_one_or_two_changes_have_no_edits(gold, text, why):
    with pytest.raises(EditFault, match=why):
        derive_edits(gold, text)


@pytest.mark.parametrize(
    ("edits", "why"),
    [
        ([], "one or two"),
        ([Edit(0, 1, "a", "x"), Edit(2, 3, "b", "y"), Edit(4, 5, "c", "z")], "one or two"),
        ([Edit(0, 1, "x", "y")], "has 'a' there"),
        ([Edit(0, 9, "a b c", "y")], "out of range"),
        ([Edit(2, 3, "b", "y"), Edit(0, 1, "a", "y")], "out of order"),
        ([Edit(0, 1, "a", "A")], "not changed"),
    ],
)
def test_edits_that_do_not_fit_are_refused(edits, why):
    with pytest.raises(EditFault, match=why):
        check_edits("a b c", edits)

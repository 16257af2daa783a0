"""Two sentences with one subject become one sentence; two that may have two subjects do not."""

import pytest

from modelbridge.systems.controlled_extract.fusing import read_clause
from modelbridge.systems.controlled_extract.parsing import load_parser
from modelbridge.systems.controlled_extract.sentences import Sentence
from modelbridge.systems.controlled_extract.source_spans import list_source_spans
from modelbridge.systems.controlled_extract.variants import Variant
from modelbridge.systems.controlled_extract.writing import Item, is_fused, write_summary


def items_of(*texts, joined=True):
    """The texts as neighbouring sentences of a document, each after the first one joined to the one before."""
    parser = load_parser()
    assert parser is not None
    clauses = [read_clause(parse) for parse in parser.parse_all(texts)]
    return [
        Item(
            Variant(Sentence(number, number, "", text, 0.0, False), text.rstrip("."), "plain", 0.0, clause=clause),
            joined=joined and number > 0,
        )
        for number, (text, clause) in enumerate(zip(texts, clauses, strict=True))
    ]


@pytest.mark.parametrize(
    ("texts", "fused"),
    [
        (
            ("The council rejected the plan.", "The council voted for a new tram."),
            "The council rejected the plan and voted for a new tram.",
        ),
        (
            ("Brandt opened the bridge on Monday.", "She will leave the city in May."),
            "Brandt opened the bridge on Monday and will leave the city in May.",
        ),
        (
            ("Ann Brandt is a doctor in Marlow.", "Ann Brandt opened a clinic in March."),
            "Ann Brandt, a doctor in Marlow, opened a clinic in March.",
        ),
    ],
)
def test_a_shared_subject_is_said_once(texts, fused):
    items = items_of(*texts)
    assert write_summary(items) == fused
    segments = [{"text": text} for text in texts]
    assert {span[2] for span in list_source_spans(fused, tuple(items), segments)} == {0, 1}


@pytest.mark.parametrize(
    "texts",
    [
        ("The council rejected the plan.", "The mayor voted for a new tram."),  # two subjects
        (
            "The mayor said that the council left.",
            "The mayor voted for a tram.",
        ),  # the council would vote
        ("A man opened the door.", "A man left the house."),  # perhaps two men
        ("Brandt met Ellen Reuter on Monday.", "She will leave the city in May."),  # who will?
    ],
)
def test_what_may_have_two_subjects_keeps_both(texts):
    assert not is_fused(items_of(*texts), 1)


def test_a_sentence_takes_one_predicate_only():
    text = write_summary(items_of("The council met.", "The council voted.", "The council left the town hall."))
    assert text.count("ouncil") == 2


def test_sentences_that_are_not_joined_stay_apart():
    texts = ("The council rejected the plan.", "The council voted for a new tram.")
    assert write_summary(items_of(*texts, joined=False)) == " ".join(texts)

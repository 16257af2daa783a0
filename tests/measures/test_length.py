"""Tokens and sentences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epitome.measures.length import list_sentences, n_tokens, split_tokens


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("He doesn't know.", "He does n't know ."),
        ("Good muffins cost $3.88 in New York.", "Good muffins cost $ 3.88 in New York ."),  # NLTK's own example
        ("They'll save and invest more.", "They 'll save and invest more ."),  # likewise
        ("hi, my name can't hello,", "hi , my name ca n't hello ,"),  # likewise
        ("Gordon's 21-year-old cat", "Gordon 's 21-year-old cat"),
        ("One here. Two there.", "One here . Two there ."),
        ("Mr. Gordon left the U.S. on Friday.", "Mr. Gordon left the U.S. on Friday ."),
        ('He said "yes" (twice); then -- no...', "He said `` yes '' ( twice ) ; then -- no ..."),
        ("tokenised text , as released . Then more .", "tokenised text , as released . Then more ."),
        ("🚢 sank.", "🚢 sank ."),
        ("?!", "? !"),
        ("", ""),
        (" \n\t", ""),
    ],
)
def test_tokens_are_those_of_the_penn_treebank(text, wanted):
    assert split_tokens(text) == wanted.split()
    assert n_tokens(text) == len(wanted.split())


def test_without_sentences_inner_full_stops_would_stay_with_their_words():
    assert n_tokens("One here. Two there.") == 6  # 5 when taken as one sentence


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("It rained. We stayed in!", ["It rained.", "We stayed in!"]),
        ("Dr. No met Mr. Bond. Both smiled.", ["Dr. No met Mr. Bond.", "Both smiled."]),
        (" a fragment; and another ", ["a fragment; and another"]),
        ("", []),
    ],
)
def test_sentences(text, wanted):
    assert list_sentences(text) == wanted


@given(st.text())
def test_every_text_has_a_count_and_no_token_holds_white_space(text):
    result = split_tokens(text)
    assert n_tokens(text) == len(result)
    assert all(token and not any(mark.isspace() for mark in token) for token in result)
    assert bool(result) == bool(text.split())


@given(st.text(st.characters(exclude_characters="\"'`")))
def test_no_letter_is_lost(text):
    assert "".join(split_tokens(text)) == "".join(text.split())

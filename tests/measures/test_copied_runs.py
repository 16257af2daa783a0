"""Copied runs and their places, in code points."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epitome.measures import SourceIndex
from epitome.measures.overlap import copied_runs


def quotes(text: str, lines: list[str], least: int = 3) -> list[tuple[str, list[tuple[int, str]]]]:
    source = SourceIndex.from_lines(lines, "document")
    return [
        (text[run.start : run.end], [(seg, source.texts[seg][start:end]) for seg, start, end in run.places])
        for run in copied_runs(text, source, least)
    ]


def test_a_run_is_quoted_with_every_place():
    result = quotes("He said the old ship sank here.", ["We saw the old ship sank early.", "the old ship sank"])
    assert result == [("the old ship sank", [(0, "the old ship sank"), (1, "the old ship sank")])]


def test_offsets_are_code_points():
    text, line = "🚢🚢 und the 👩‍👩‍👧 sank fast", "🚢 the 👩‍👩‍👧 sank fast"
    (run,) = copied_runs(text, SourceIndex.from_lines([line], "document"))
    assert (run.start, run.end) == (7, 26)
    assert run.places == [(0, 2, 21)]
    assert text[7:26] == line[2:21] == "the 👩‍👩‍👧 sank fast"


@pytest.mark.parametrize(
    ("text", "lines", "wanted"),
    [
        ("the old ship", ["the old  ship"], []),  # another blank
        ("a b c  d", ["a b c d"], ["a b c"]),
        ("the old, ship", ["the old ship"], []),
        ("The old ship", ["the old ship"], []),
        ("the old ship.", ["the old ship, and more"], []),  # "ship," is another word
        ("the old ship.", ["the old ship and more"], ["the old ship"]),  # a full stop at its end is none
        ("in the U.S. today", ["in the U.S. today"], ["in the U.S. today"]),
        ("it sank. We swam", ["it sank. We swam"], ["it sank. We swam"]),
        ("it sank We swam", ["it sank. We swam"], []),
        ("a b", ["a b"], []),
        ("", ["a b c"], []),
        ("a b c", [], []),
        (". . .", [". . ."], []),
        ("a b c d e", ["a b c d", "b c d e"], ["a b c d", "b c d e"]),  # runs may overlap
        ("a b c d e", ["a b c", "a b c d e", "c d e"], ["a b c d e"]),  # none lies in another
        ("a b c x a b c", ["a b c"], ["a b c", "a b c"]),
        ("c d e f", ["a b c", "d e f"], ["d e f"]),  # not over a border
    ],
)
def test_which_words_are_a_run(text, lines, wanted):
    assert [quote for quote, _ in quotes(text, lines)] == wanted


def test_the_least_length_can_be_chosen():
    assert [quote for quote, _ in quotes("x a b y c", ["a b", "c"], 1)] == ["a b", "c"]
    assert [quote for quote, _ in quotes("x a b y c", ["a b", "c"], 2)] == ["a b"]
    with pytest.raises(ValueError, match="at least 1"):
        copied_runs("a", SourceIndex.from_lines(["a"], "document"), 0)


def test_a_speakers_name_is_no_part_of_the_turn():
    talk = SourceIndex.from_lines(["Ann Lee : we go now"], "dialogue")
    assert [(run.start, run.places) for run in copied_runs("Ann Lee : we go now", talk)] == [(10, [(0, 0, 9)])]


_PIECES = st.lists(st.sampled_from(["a ", "b ", "a", "b.", "c. ", " ", ". ", "é", "🚢 ", "👩‍👩‍👧 ", "\n"]), max_size=25)
_TEXT = _PIECES.map("".join)


@given(_TEXT, st.lists(_TEXT, max_size=3), st.integers(1, 4))
def test_every_run_is_the_same_text_in_both_and_none_can_be_longer(text, lines, least):
    source = SourceIndex.from_lines(lines, "document")
    runs = copied_runs(text, source, least)
    for run in runs:
        quote = text[run.start : run.end]
        assert len([word for word in quote.split() if word.strip(".")]) >= least
        assert run.places
        assert len(set(run.places)) == len(run.places)
        assert all(source.texts[seg][start:end] == quote for seg, start, end in run.places)
    for first, state_after in pairwise(runs):
        assert first.start < state_after.start
        assert first.end < state_after.end


@given(_TEXT)
def test_a_copy_is_one_run(text):
    n_words = len([word for word in text.split() if word.strip(".")])
    runs = copied_runs(text, SourceIndex.from_lines([text], "document"))
    assert len(runs) == (n_words >= 3)
    if runs:
        assert text[runs[0].start : runs[0].end] == text.strip(". \n")

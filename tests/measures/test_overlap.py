"""Extractiveness, n-gram precision, novelty, compression."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epitome.measures import SourceIndex
from epitome.measures.overlap import compression, extractiveness, length_ratio, ngram_precision, novelty


def document(*lines: str) -> SourceIndex:
    return SourceIndex.from_lines(lines, "document")


@pytest.mark.parametrize(
    ("text", "lines", "wanted"),
    [
        # 2-grams: the cat, cat sat, sat down -> 2 of 3; 3-grams: the cat sat, cat sat down -> 1 of 2
        ("the cat sat down", ["the cat sat on the mat"], (2 / 3 + 1 / 2) / 2),
        # distinct n-grams: a a is one 2-gram, found; a a a one 3-gram, not found
        ("a a a a", ["a a b"], 0.5),
        # the full stop separates words in both, so n-grams run across sentences
        ("It rained. We stayed", ["It rained.", "We stayed in."], 1.0),
        ("It rained.We stayed", ["It rained.", "We stayed in."], 1.0),
        ("in the U.S. today", ["in the U. S. today"], 1.0),
        # in the, the U, U S, S today -> 1 of 4; in the U, the U S, U S today -> 0 of 3
        ("in the U.S. today", ["in the US today"], 1 / 8),
        # white space alone between two stops is an empty word: rained "", "" Then and no rained Then
        ("It rained. . Then", ["It rained. Then"], (1 / 3 + 0) / 2),
        # case is kept, other marks too
        ("The Cat sat down", ["the cat sat down"], (1 / 3 + 0) / 2),
        ("down, then up", ["down then up"], (1 / 2 + 0) / 2),
        # two words have a 2-gram and no 3-gram
        ("the cat", ["the cat sat"], 0.5),
        ("cat", ["the cat sat"], 0.0),
        ("", ["the cat sat"], 0.0),
        ("...", ["the cat sat"], 0.0),
        ("the cat", [], 0.0),
    ],
)
def test_extractiveness_of_a_document(text, lines, wanted):
    assert extractiveness(text, document(*lines)) == pytest.approx(wanted, abs=1e-12)


def test_turns_of_a_dialogue_are_kept_apart_and_speakers_stay():
    lines = ["Ann : we should go", "Bob : now or never"]
    talk = SourceIndex.from_lines(lines, "dialogue")
    assert float(ngram_precision("should go Bob : now", talk, 2)) == 3 / 4  # not "go Bob"
    assert float(ngram_precision("should go Bob : now", document(*lines), 2)) == 1
    assert float(ngram_precision("Ann : we should", talk, 3)) == 1


def test_the_literal_profile_keeps_full_stops():
    source = document("It rained.", "We stayed in.")
    assert extractiveness("It rained We stayed", source, "release") == 1
    assert extractiveness("It rained We stayed", source, "literal") == pytest.approx((1 / 3 + 0) / 2)
    assert extractiveness("It rained. We stayed", source, "literal") == 1


def test_segments_and_released_lines_give_the_same():
    lines = ["Ann : we should : go", "no speaker here", "PhD A :"]
    segments = [
        {"speaker": "Ann", "text": "we should : go"},
        {"speaker": "", "text": "no speaker here"},
        {"speaker": "PhD A", "text": "", "raw": "PhD A :"},
    ]
    first, other = SourceIndex.from_lines(lines, "dialogue"), SourceIndex(segments, domain="dialogue")  # type: ignore[arg-type]
    assert (first.joined, first.texts, first.speakers) == (other.joined, other.texts, other.speakers)


def test_novelty_is_the_rest():
    source = document("the cat sat on the mat")
    assert float(novelty("the cat sat down", source, 1)) == 1 / 4
    assert float(novelty("the cat sat down", source, 2)) == pytest.approx(1 / 3)
    assert float(novelty("the cat sat down", source, 3)) == 1 / 2
    assert novelty("cat", source, 2).undefined == "the text has no 2-gram"


def test_n_is_at_least_one():
    with pytest.raises(ValueError, match="n >= 1"):
        ngram_precision("a b", document("a b"), 0)


def test_compression_counts_words_without_speakers():
    talk = SourceIndex.from_lines(["Ann : one two three", "Bob : four five six"], "dialogue")
    assert float(compression("just three words", talk)) == 2
    assert compression(" ", talk).undefined == "the summary is empty"
    assert float(length_ratio(5, 100)) == 0.05
    assert length_ratio(5, 0).undefined == "no relevant words"


def test_a_domain_is_one_of_two():
    with pytest.raises(ValueError, match="document or dialogue"):
        SourceIndex([], domain="news")  # type: ignore[arg-type]


_WORDS = st.lists(st.sampled_from(["a", "b", "B", "c.", ".", "é", "🚢", "</s>", ":"]), max_size=12).map(" ".join)


def words_between_stops(text):
    """As PyPI `rouge` cuts: at full stops, then at single blanks, so that a blank alone is one empty word."""
    return [word for piece in text.split(".") if piece for word in " ".join(piece.split()).split(" ")]


@given(_WORDS, st.lists(_WORDS, max_size=4))
def test_it_is_a_share_as_a_plain_count_gives_it(text, lines):
    def grams(words, n):
        return {tuple(words[at : at + n]) for at in range(len(words) - n + 1)}

    result, theirs = words_between_stops(text), words_between_stops(" ".join(lines))
    shares = [
        len(grams(result, n) & grams(theirs, n)) / len(grams(result, n)) if grams(result, n) else 0 for n in (2, 3)
    ]
    assert extractiveness(text, document(*lines)) == pytest.approx(sum(shares) / 2, abs=1e-12)


@given(_WORDS)
def test_a_copy_is_all_extracted(text):
    words = words_between_stops(text)
    result = (len(words) > 1) / 2 + (len(words) > 2) / 2
    assert extractiveness(text, document(text)) == result

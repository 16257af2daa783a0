"""Sentences are cut where a reader would cut them, and nothing of the text is lost."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epitome.text.sentences import Segment, SentenceProfile, join_segments, segments_of, split_sentences
from epitome.text.words import n_words

PIECES = ["Mr.", "U.S.", "e.g.", "3.5", "Go", "on", "No", ".", "!", "?", "…", '"', "”", ")", "(", "J.", "naïve"]
PIECES += [" ", "  ", "\n", "\r\n", "\u2028", "\t", "\u00a0", "\x1c"]


def cut(text: str, profile: SentenceProfile = "import") -> list[str]:
    return [text[start:end] for start, end in split_sentences(text, profile)]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("It rained. We stayed in.", ["It rained.", "We stayed in."]),
        ("Mr. Hill met Dr. Low. They spoke.", ["Mr. Hill met Dr. Low.", "They spoke."]),
        ("The U.S. Army left. It came back.", ["The U.S. Army left.", "It came back."]),
        ("She moved to the U.S. The flat was small.", ["She moved to the U.S.", "The flat was small."]),
        ("Take fruit, e.g. apples. Or take none.", ["Take fruit, e.g. apples.", "Or take none."]),
        ("J. R. Stone wrote it. I read it.", ["J. R. Stone wrote it.", "I read it."]),
        ("So did I. Nobody else did.", ["So did I.", "Nobody else did."]),
        ("Sheriff Rosco P. Coltrane left. See p. 12.", ["Sheriff Rosco P. Coltrane left.", "See p. 12."]),
        ("Samuel I. Newhouse left. They stayed.", ["Samuel I. Newhouse left.", "They stayed."]),
        ("I. Newton wrote it. So did Ann and I. Ben read it.",
         ["I. Newton wrote it.", "So did Ann and I.", "Ben read it."]),
        ("They lost World War I. Germany paid.", ["They lost World War I.", "Germany paid."]),
        ("It cost 3.50 euros. That is cheap.", ["It cost 3.50 euros.", "That is cheap."]),
        ("See No. 7 on Jan. 5. All went well.", ["See No. 7 on Jan. 5.", "All went well."]),
        ('"It works." He smiled.', ['"It works."', "He smiled."]),
        ("“Why?” he asked. “Because.”", ["“Why?” he asked.", "“Because.”"]),
        ("(It was late.) We left!", ["(It was late.)", "We left!"]),
        ("Wait... What was that?! Nothing.", ["Wait...", "What was that?!", "Nothing."]),
        ("At 9 p.m. Monday it closed. The bar too.", ["At 9 p.m. Monday it closed.", "The bar too."]),
        ("A heading\nThe text starts. It ends", ["A heading", "The text starts.", "It ends"]),
        ("A line ends with Mr.\nThe next begins.", ["A line ends with Mr.", "The next begins."]),
        ("One line.  \r\n\r\n  Two lines.\n", ["One line.", "Two lines."]),
        ("They left . Mr . Hill stayed . the end .", ["They left .", "Mr . Hill stayed .", "the end ."]),
        ("Well . . . it ended ? Yes .", ["Well . . .", "it ended ?", "Yes ."]),
        ("Yahoo! is old. He asked “Why?” and left.", ["Yahoo! is old.", "He asked “Why?” and left."]),
        ("no stop at all", ["no stop at all"]),
        ("  \n ", []),
        ("", []),
    ],
)  # fmt: skip
def test_a_text_is_cut_into_the_sentences_a_reader_sees(text: str, sentences: list[str]) -> None:
    assert cut(text) == sentences


MEASURING: list[SentenceProfile] = ["release", "literal"]


@pytest.mark.parametrize("profile", MEASURING)
@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("it rained. we stayed in! did we? yes. so did i. nobody else.",
         ["it rained.", "we stayed in!", "did we?", "yes.", "so did i.", "nobody else."]),
        ("It rained. they said so.", ["It rained.", "they said so."]),
        ("Yahoo! is old.", ["Yahoo!", "is old."]),
        ("they won't. he did not.", ["they won't.", "he did not."]),
        ('he told "no." and left. "it works." he smiled.', ['he told "no."', "and left.", '"it works."', "he smiled."]),
        # what continues a sentence however it is written
        ("mr. hill met dr. low at 9 p.m. in the u.s. army. all spoke.",
         ["mr. hill met dr. low at 9 p.m. in the u.s. army.", "all spoke."]),
        ("j. r. stone wrote it. i read it.", ["j. r. stone wrote it.", "i read it."]),
        ("from jan. to feb. 5 it snowed. no. it rained.", ["from jan. to feb. 5 it snowed.", "no.", "it rained."]),
        ("wait... what was it… then? nothing.", ["wait... what was it… then?", "nothing."]),
        ("“why?” he asked (twice!) and left. then came e.g. rain, etc. and snow.",
         ["“why?” he asked (twice!) and left.", "then came e.g. rain, etc. and snow."]),
        ("Mr. Hill left. The U.S. Army came. J. R. Stone wrote it.",
         ["Mr. Hill left.", "The U.S. Army came.", "J. R. Stone wrote it."]),
    ],
)  # fmt: skip
def test_measures_find_sentences_without_capitals(text: str, sentences: list[str], profile: SentenceProfile) -> None:
    assert cut(text, profile) == sentences


def test_an_import_keeps_what_goes_on_in_small_letters_together() -> None:
    assert cut("It rained. they said so.", "import") == ["It rained. they said so."]


def test_a_title_of_the_commons_ends_a_sentence_in_the_release_profile_alone() -> None:
    text = "The Right Hon. Ann Hill spoke."
    assert cut(text, "release") == ["The Right Hon.", "Ann Hill spoke."]
    assert cut(text, "literal") == cut(text, "import") == [text]


def test_offsets_count_code_points() -> None:
    text = "Snow ❄️ fell on 𝔘lm. Ärger kam auf."
    assert split_sentences(text) == [(0, 20), (21, len(text))]
    assert text[21:] == "Ärger kam auf."


def test_only_unusual_gaps_are_written_down() -> None:
    assert segments_of("\tOne came. Two went.  Three sat.\n") == [
        {"speaker": "", "text": "One came.", "before": "\t"},
        {"speaker": "", "text": "Two went.", "after": "  "},
        {"speaker": "", "text": "Three sat.", "after": "\n"},
    ]


def test_turns_without_gaps_are_joined_by_one_blank() -> None:
    turns: list[Segment] = [{"speaker": "Ann", "text": "Hello ."}, {"speaker": "Ben", "text": "Hi ."}]
    assert join_segments(turns) == "Hello . Hi ."
    assert join_segments([]) == ""


@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join)))
def test_cutting_and_joining_gives_the_text_back(text: str) -> None:
    assert join_segments(segments_of(text)) == text


@given(st.lists(st.sampled_from(PIECES)).map("".join), st.sampled_from(["import", *MEASURING]))
def test_sentences_are_in_order_without_outer_white_space_and_hold_every_word(
    text: str, profile: SentenceProfile
) -> None:
    spans = split_sentences(text, profile)
    assert all(start < end for start, end in spans)
    assert all(state_before[1] <= state_after[0] for state_before, state_after in pairwise(spans))
    assert all(piece == piece.strip() for piece in cut(text, profile))
    assert sum(n_words(piece) for piece in cut(text, profile)) == n_words(text)


def test_published_sentence_breaks_are_found(shared: Path) -> None:
    documents = json.loads((shared / "data" / "macsum" / "macdoc" / "val.json").read_text(encoding="utf-8"))
    hits = wrong = 0
    for document in documents:
        ends, at = set(), 0
        for sentence in document["source"]:
            at += len(sentence)
            ends.add(at)
            at += 1
        results = {end for _, end in split_sentences(" ".join(document["source"]))}
        hits += 2 * len(ends & results)
        wrong += len(ends ^ results)
    assert hits / (hits + wrong) > 0.98


def test_words_are_counted_between_white_space() -> None:
    assert n_words("Well - it's\u00a0done .\n\nNow go!") == 7
    assert n_words(" \n") == 0

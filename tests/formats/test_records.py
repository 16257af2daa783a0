"""Counts, hashes and small rules that all readers share."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epitome.formats.faults import FieldFault
from epitome.formats.records import (
    canonical_split,
    check_column_mapping,
    checked_name,
    count_text_words,
    hash_matches,
    hash_segments,
    hash_text,
    split_of_name,
)
from epitome.text.sentences import segments_of
from epitome.text.unspaced import has_unspaced
from epitome.text.words import n_words

SPACES = " \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000\u200b\u2060\u180e"
WORDY = st.text(st.sampled_from("ab.é—’" + SPACES) | st.characters(exclude_categories=["Cs"]))
SEGMENT = st.fixed_dictionaries(
    {"speaker": st.just("") | WORDY, "text": WORDY}, optional={"after": WORDY, "raw": WORDY}
)


@given(WORDY)
def test_words_are_those_of_every_count(text):
    assert count_text_words(text, text.encode()) == n_words(text)


def test_every_white_space_character_parts_words():
    for code in range(0x110000):
        if chr(code).isspace() or code < 0x3001:
            text = f"a{chr(code)}b"
            if not 0xD800 <= code <= 0xDFFF:
                assert count_text_words(text, text.encode()) == n_words(text), hex(code)
                assert has_unspaced(text) or n_words(text) == len(text.split()), hex(code)


def test_the_borders_of_segments_count():
    def hashed(*pairs):
        return hash_segments([{"speaker": speaker, "text": text} for speaker, text in pairs])

    seen = {
        hashed(("", "ab")), hashed(("", "a"), ("", "b")), hashed(("a", "b")), hashed(("", "a b")),
        hashed(("", "1:a"), ("", "b")), hashed(("", "a"), ("", "b"), ("", "")),
    }  # fmt: skip
    assert len(seen) == 6


def test_a_plain_texts_hash_does_not_depend_on_its_sentences():
    text = " One. Two?  Three\n\nFour "
    assert hash_matches(segments_of(text), hash_text(text.encode()))
    cut = [
        {"speaker": "", "text": "One. Two?", "before": " ", "after": "  "},
        {"speaker": "", "text": "Three\n\nFour", "after": " "},
    ]
    assert hash_matches(cut, hash_text(text.encode()))
    assert hash_matches(cut, hash_segments(cut))
    assert not hash_matches(cut, hash_text(b"One. Two."))


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("val.json", "dev"), ("validation.csv", "dev"), ("dev.jsonl", "dev"), ("macdoc_test.json", ""),
        ("Train-1.jsonl", "train"), ("my.val.json", ""), ("notes.json", ""),
        ("latest.json", ""), ("a/train/x.json", ""),
        ("evaluation.json", ""), ("train-00000-of-00002.parquet", "train"),
        ("qmsum-val.v2.jsonl", ""), ("test drive.txt", ""), ("7.txt", ""),
    ],
)  # fmt: skip
def test_split_of_a_files_name(name, split):
    assert split_of_name(name) == split


def test_split_words():
    assert [canonical_split(name) for name in ("val", "Valid", "train", "part 2")] == ["dev", "dev", "train", "part 2"]


def test_names_are_plain_text_of_bounded_length():
    assert checked_name("Ünïcode id/7 #3", ("id",)) == "Ünïcode id/7 #3"
    for bad in (5, None, "x" * 201, "a\nb", "a\u202eb", "a\u200bb", "\x7f"):
        with pytest.raises(FieldFault):
            checked_name(bad, ("id",))


def test_a_mapping_names_our_fields_once():
    assert check_column_mapping({"text": "article"}, ["id", "text"]) == {"text": "article"}
    for bad in ({"body": "article"}, {"text": ""}, {"text": "a", "id": "a"}):
        with pytest.raises(ValueError, match="column mapping"):
            check_column_mapping(bad, ["id", "text"])

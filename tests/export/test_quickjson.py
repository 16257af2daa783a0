"""The quick writer gives the very text of the plain one, for whatever it is handed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.formats.epitome1 import dump_line
from annotation.formats.quickjson import (
    encode_candidates,
    encode_decisions,
    encode_json,
    encode_segments,
    encode_with_texts,
    parse_stored_json,
)

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
numbers = st.none() | st.integers() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False)


def rows_of(**fields):
    row = st.fixed_dictionaries({key: value | anything for key, value in fields.items()})
    return st.lists(row | st.dictionaries(texts, anything, max_size=6) | anything, max_size=4)


def plain(value) -> str:
    return dump_line({"": value}).decode()[4:-2]


@given(anything)
def test_any_value(value):
    assert encode_json(value) == plain(value)
    assert parse_stored_json(json.dumps(value)) == value


@given(rows_of(speaker=texts, text=texts))
def test_segments(rows):
    assert encode_segments(rows) == plain(rows)


@given(rows_of(text=texts, rank=numbers, score=numbers, mentions=numbers, words=numbers, extractor=texts))
def test_candidates(rows):
    assert encode_candidates(rows) == plain(rows)


@given(rows_of(key=texts, text=texts, action=texts, candidate=texts, rank=numbers, shown=numbers))
def test_decisions(rows):
    assert encode_decisions(rows) == plain(rows)


@given(st.dictionaries(texts, anything, max_size=4), anything, anything)
def test_long_parts_stand_where_they_belong(data, first, second):
    whole = {**data, "a part": first, "another": second}
    assert encode_with_texts(
        {**whole, "a part": 0}, {"a part": encode_json(first), "another": encode_json(second)}
    ) == plain(whole)
    tricky = {"x": '"\\u00000"', "y": "\\u00001", "a part": '"\\u00001"', "another": "\\"}
    assert encode_with_texts(tricky, {key: encode_json(tricky[key]) for key in ("a part", "another")}) == plain(tricky)


def test_not_a_number_is_refused():
    for rows in ([{"score": float("nan"), "text": "", "rank": 1, "mentions": 1, "words": 1, "extractor": ""}],):
        with pytest.raises(ValueError, match="float"):
            encode_candidates(rows)


def test_text_after_the_value_is_refused():
    with pytest.raises(ValueError, match="goes on"):
        parse_stored_json("{} {}")

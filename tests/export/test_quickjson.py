"""The quick writer gives the very text of the standard one, for any value."""

import datetime
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.formats.epitome1 import dump_line
from annotation.formats.quickjson import EncodedJSON, encode_json, encode_object, parse_stored_json

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
floats = st.floats(allow_nan=False, allow_infinity=False) | st.floats(-1e-3, 1e-3)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.integers(-(2**70), 2**70) | floats | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


def plain(value) -> str:
    return dump_line({"": value}).decode()[4:-2]


@given(anything)
def test_any_value(value):
    assert encode_json(value) == plain(value)
    assert parse_stored_json(json.dumps(value)) == value


@pytest.mark.parametrize(
    "value",
    [
        *(1e-07, 1e-05, 0.0001, 0.0, -0.0, 1e16, 1e22, 5e-324, 1.7976931348623157e308, 2**63, 2**64, -(2**63) - 1),
        *("\x7f\u2028\ufeff", {"\uffff": 1, "\U0001f600": 2}, {"é": 1, "z": 2}, (1, "a"), {1: "a"}),
    ],
)
def test_values_that_orjson_would_write_differently_or_refuse(value):
    assert encode_json(value) == plain(value)
    assert encode_object({"key": [value], "other": ""}, {"other": "[]"}).decode() == plain(
        {"key": [value], "other": []}
    )


@given(st.dictionaries(texts, anything, max_size=4), anything, anything)
def test_encoded_values_are_inserted_under_their_keys(data, first, second):
    expected = {**data, "group": first, "metrics": second}
    encoded = {"group": encode_json(first), "metrics": EncodedJSON(encode_json(second))}
    assert encode_object({**expected, "group": 0}, encoded).decode() == plain(expected)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_not_a_number_is_refused(number):
    with pytest.raises(ValueError, match="float"):
        encode_json([{"score": number, "text": ""}])
    with pytest.raises(ValueError, match="float"):
        encode_object({"score": {"value": number}, "group": None}, {"group": "{}"})


@pytest.mark.parametrize("value", [datetime.date(2026, 1, 1), datetime.datetime(2026, 1, 1), b"x", {1}])
def test_values_that_are_not_json_are_refused(value):
    with pytest.raises(TypeError, match="not JSON serializable"):
        encode_json([value])
    with pytest.raises(TypeError, match="not JSON serializable"):
        encode_object({"key": value}, {})


def test_half_a_surrogate_pair_is_refused():
    with pytest.raises(ValueError, match="surrogates"):
        encode_object({"key": "\ud800"}, {})


def test_text_after_the_value_is_refused():
    with pytest.raises(ValueError, match="goes on"):
        parse_stored_json("{} {}")

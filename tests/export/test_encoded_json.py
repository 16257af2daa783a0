"""Exports are written in orjson's form: it reads back as the same value, and what JSON cannot say is refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epitome.formats.encoded_json import EncodedJSON, encode_json, encode_object, parse_stored_json
from epitome.formats.epitome1 import dump_line

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
floats = st.floats(allow_nan=False, allow_infinity=False) | st.floats(-1e-3, 1e-3)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.integers(-(2**70), 2**70) | floats | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


@given(anything)
def test_any_value_reads_back_as_it_was(value):
    assert json.loads(encode_json(value)) == value
    assert parse_stored_json(json.dumps(value)) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": [1.5, None, "é\u2028"]}, '{"a":[1.5,null,"é\u2028"],"b":1}'),
        (1e-07, "1e-7"),
        (0.00001, "0.00001"),
        (0.1, "0.1"),
        (2**64 - 1, "18446744073709551615"),
        ((1, "a"), '[1,"a"]'),
    ],
)
def test_keys_are_sorted_characters_unescaped_and_numbers_short(value, text):
    assert encode_json(value) == text
    assert dump_line({"key": value}) == f'{{"key":{text}}}\n'.encode()


@pytest.mark.parametrize("integer", [2**64, -(2**63) - 1, 10**40])
def test_long_integers_stay_exact(integer):
    assert encode_json({"b": integer, "a": 1}) == f'{{"a":1,"b":{integer}}}'
    assert (
        encode_object({"b": integer, "a": 1e-07, "c": 0}, {"c": "[]"}) == f'{{"a":1e-7,"b":{integer},"c":[]}}'.encode()
    )
    assert parse_stored_json(str(integer)) == integer


@given(st.dictionaries(texts, anything, max_size=4), anything, anything)
def test_encoded_values_are_inserted_under_their_keys(data, first, second):
    expected = {**data, "group": first, "metrics": second}
    encoded = {"group": encode_json(first), "metrics": EncodedJSON(encode_json(second))}
    assert json.loads(encode_object({**expected, "group": 0}, encoded)) == expected


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_not_a_number_is_refused(number):
    with pytest.raises(ValueError, match="float"):
        encode_json([{"score": number, "text": ""}])
    with pytest.raises(ValueError, match="float"):
        encode_json([{"score": number, "id": 2**64}])
    with pytest.raises(ValueError, match="float"):
        encode_object({"score": {"value": (number,)}, "group": None}, {"group": "{}"})


@pytest.mark.parametrize("value", [b"x", {1}, object()])
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

"""A number, or why there is none."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epitome.measures import Signature, Undefined, Value


def test_a_number_is_given_back():
    assert float(Value.of(0.5)) == 0.5
    assert Value.of(0).defined


def test_where_there_is_none_the_reason_is_raised():
    value = Value.none("no topic requested")
    assert (value.value, value.defined) == (None, False)
    with pytest.raises(Undefined, match="no topic requested"):
        float(value)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_value_is_finite(bad):
    with pytest.raises(ValueError, match="finite"):
        Value.of(bad)


@pytest.mark.parametrize(("number", "reason"), [(None, ""), (1.0, "why")])
def test_a_value_is_either_a_number_or_a_reason(number, reason):
    with pytest.raises(ValueError, match="number or a reason"):
        Value(number, reason)


def test_a_signature_is_one_line_with_its_options_sorted():
    signature = Signature("extractiveness:release", "1", (("joiner", "</s>"), ("case", "kept")))
    assert str(signature) == "extractiveness:release|v:1|case:kept|joiner:</s>"
    assert str(signature.with_(n=94, seed=7)) == "extractiveness:release|v:1|case:kept|joiner:</s>|n:94|seed:7"
    assert signature.with_(joiner="blank").with_(joiner="</s>") == signature


def test_a_signature_may_have_colons_in_its_values():
    text = "specificity:release|v:1|tagger:a:b@1"
    assert dict(Signature.parse(text).options) == {"tagger": "a:b@1"}


@pytest.mark.parametrize("text", ["", "length", "length|1", "length|v:1|n", "length|v:1|n:", "length|n:3|v:1"])
def test_anything_else_is_no_signature(text):
    with pytest.raises(ValueError, match="signature"):
        Signature.parse(text)


@pytest.mark.parametrize(
    "options", [[("a|b", "1")], [("a", "x\ny")], [("v", "2")], [("a", "1"), ("a", "2")], [("a:b", "1")]]
)
def test_options_that_could_not_be_read_back_are_refused(options):
    with pytest.raises(ValueError, match="signature"):
        Signature("length:release", "1", tuple(options))


_PART = st.text(st.characters(codec="utf-8", exclude_characters="|\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029"), min_size=1)


@given(_PART, _PART, st.dictionaries(_PART.filter(lambda key: ":" not in key and key != "v"), _PART))
def test_a_signature_is_read_back_as_it_was(name, version, options):
    signature = Signature(name, version, tuple(options.items()))
    assert Signature.parse(str(signature)) == signature

"""A fault is one short line, whatever the file holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epitome.formats.faults import Fault, FieldFault, describe_value, path_text, to_printable


@given(st.text(), st.text(), st.text(), st.text())
def test_always_one_printable_line(name, field, value, message):
    line = str(Fault(name, 3, 7, field, describe_value(value), message, "x"))
    assert len(line) <= 500
    assert line.isprintable()
    line.encode()


@given(st.text(max_size=300))
def test_a_value_is_at_most_60_characters(value):
    assert len(describe_value(value)) <= 60


def test_what_a_line_says():
    fault = Fault("val.json", 12, 5, "references[0].title", "7", "must be text", "type")
    assert str(fault) == "val.json, line 12, column 5, references[0].title: must be text (seen: 7)"


def test_hidden_characters_are_escaped():
    assert to_printable("a\u202eb\u200b\n") == r"a\u202eb\u200b\n"
    assert to_printable("x" * 61) == "x" * 57 + "..."


@pytest.mark.parametrize(
    ("value", "words"),
    [(None, "null"), (True, "true"), ([1, 2], "a list of 2"), ({"a": 1}, "an object of 1 keys"), (1.5, "1.5")],
)
def test_shown(value, words):
    assert describe_value(value) == words


def test_a_very_long_number_is_shown():
    assert describe_value(10**5000) == "a very long number"


def test_paths():
    assert path_text(("references", 0, "control_attribute", "topic")) == "references[0].control_attribute.topic"
    assert FieldFault(("a",), "b").code == "value"

"""Measured numbers on pages: the unit, and the band beside it."""

import pytest

from annotation.views.core.measured_values import add_asked, find_asked_band, write_measured, write_words
from epitome.schema import Attribute, Band

LENGTH = Attribute(
    key="length",
    label="Length",
    code="Len",
    kind="ordinal",
    filled_by="sampler",
    values=("short", "long"),
    measure="length",
    bands={"short": Band("words", 17, 25), "long": Band("relevant_words", 0.1, 0.2)},
)


@pytest.mark.parametrize(
    ("measure", "value", "text"),
    [
        ("extractiveness", 0.2292, ".23 copied"),
        ("topic", 1.0, "1.00 found"),
        ("specificity", 5.06, "5.1 detail"),
        ("readability", 8.04, "grade 8.0"),
    ],
)
def test_no_number_is_without_its_unit(measure, value, text):
    assert write_measured(measure, value) == text


def test_words_stand_beside_the_band_that_was_asked():
    band = find_asked_band(LENGTH, "short", {})
    assert add_asked(write_words(22), band, "length") == "22 words, asked 17 to 25"


def test_the_band_that_the_writer_saw_goes_first():
    band = find_asked_band(LENGTH, "long", {"length": {"from": 98, "to": 114}})
    assert add_asked(write_words(16), band, "length") == "16 words, asked 98 to 114"
    exact = find_asked_band(LENGTH, "long", {"length": {"from": 4, "to": 4}})
    assert add_asked(write_words(1), exact, "length") == "1 word, asked about 4"
    unbounded = find_asked_band(LENGTH, "long", {"length": {"from": 40, "to": None}})
    assert add_asked(write_words(1), unbounded, "length") == "1 word, asked 40 or more"


def test_a_share_of_segments_that_nobody_marked_is_no_band():
    assert find_asked_band(LENGTH, "long", {}) is None
    assert add_asked(write_words(16), None, "length") == "16 words"

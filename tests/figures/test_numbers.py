"""Numbers as people read them: one notation for a number, with or without its sign."""

import pytest

from epitome.figures import numbers
from epitome.figures.numbers import format_difference, format_score, numbers_of_files


@pytest.mark.parametrize(
    ("difference", "digits", "written"),
    [(0.25, 2, "+.25"), (-0.2, None, "−.2"), (0.0, 2, "±0"), (3, None, "+3"), (10.25, 2, "+10.25")],
)
def test_a_difference_has_no_zero_before_the_point_as_a_score_has_none(difference, digits, written):
    assert format_difference(difference, digits) == written
    assert format_score(0.25) == ".25"


def test_a_language_that_keeps_the_zero_keeps_it_in_both(monkeypatch):
    monkeypatch.setattr(numbers, "_read_language", lambda: "de")
    assert (format_difference(0.25, 2), format_score(0.25)) == ("+0,25", "0,25")
    with numbers_of_files():
        assert (format_difference(0.25, 2), format_score(0.25)) == ("+.25", ".25")

"""Doubts of judges: greatest where they contradict each other or stand in the middle."""

import pytest

from epitome.combined.doubts import describe_doubt, fit_doubts, share_chances, size_units
from epitome.combined.judged_items import TooFew
from tests.combined.test_stopping import make_row


def test_doubt_is_greatest_where_judges_contradict_each_other():
    assert describe_doubt([1.0, 1.0]) == (0.0, 0.0, 1.0)
    assert describe_doubt([1.0, 0.0]) == (0.25, 0.25, 0.5)
    assert describe_doubt([0.5]) == (0.25, 0.0, 0.5) == describe_doubt([None]) == describe_doubt([])


def test_units_of_doubt_are_larger():
    sure, torn = describe_doubt([1.0, 1.0]), describe_doubt([1.0, 0.0])
    sizes = size_units({"a": [sure, sure], "b": [sure, torn], "c": [torn, torn], "d": []})
    assert sizes.tolist() == pytest.approx([0.0, 0.25**0.5, 0.5**0.5, 0.0])


def test_a_pilot_teaches_where_the_judge_errs():
    from dataclasses import replace

    rows = []
    for number in range(1, 61):
        other_number = float(number % 2)
        wrong = other_number == 1.0 and number % 3 == 0  # errs only where it says yes
        rows.append(
            replace(make_row(number, "a", 1 - other_number if wrong else other_number, judge="j"), judged=other_number)
        )
    model = fit_doubts(rows)
    yes, no = size_units({"yes": [describe_doubt([1.0])], "no": [describe_doubt([0.0])]}, model)
    assert yes > 2 * no
    with pytest.raises(TooFew):
        fit_doubts(rows[:10])


def test_without_a_pilot_no_chance_is_below_half_the_mean():
    sure, torn = describe_doubt([1.0, 1.0]), describe_doubt([1.0, 0.0])
    doubts = {str(number): [torn if number < 10 else sure] for number in range(100)}
    chances = share_chances(doubts, 30, 0.05)
    assert chances.sum() == pytest.approx(30) and chances[:10].tolist() == [1.0] * 10
    assert chances.min() >= 0.15
    assert share_chances(doubts, 30, 0.2).min() == pytest.approx(0.2, abs=0.03)  # the design asks for more

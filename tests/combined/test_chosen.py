"""Items chosen by the doubts of two yes-or-no judges, as a round chooses them: the intervals hold what they say."""

import pytest

from benchmarks.combined_chosen import DESIGNS, check_chosen


@pytest.mark.parametrize("design", [DESIGNS[1], DESIGNS[3]])
def test_intervals_of_chosen_items_hold_the_truth_and_are_no_wider(design):
    for row in check_chosen(design, 150):
        assert row["coverage_combined"] >= 0.9, row  # .95 but for chance; .75 to .88 with a floor of .05
        assert row["wider"] <= 1.05, row


def test_a_pilot_that_tells_the_errors_keeps_the_coverage():
    (row,) = check_chosen(DESIGNS[0], 100, pilot=60)
    assert row["coverage_combined"] >= 0.9 and row["wider"] < 1

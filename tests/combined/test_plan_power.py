"""A plan's power is what rounds of so many samples have, also where the systems' answers are alike."""

import pytest

from benchmarks.combined_power import DESIGNS, check_power


@pytest.mark.parametrize("design", [DESIGNS[1], DESIGNS[2], DESIGNS[9]])
def test_so_many_samples_find_the_difference_in_four_of_five_rounds(design):
    row = check_power(design, 250)
    assert row["power"] == pytest.approx(0.8, abs=0.06), row  # .46 to .7 where b was not allowed for

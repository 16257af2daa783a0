"""Means and their intervals over sources, beside what is worked out by hand or by numpy alone."""

import numpy as np
import pytest

from annotation.services.statistics.intervals import BOOTSTRAP, mean_cells
from epitome.measures import Signature
from epitome.metrics.aggregate import aggregate_values
from epitome.metrics.bootstrap import DEFAULT_SEED


def test_mean_n_and_the_reason_for_none():
    result = mean_cells([[("a", 1.0), ("a", 2.0), ("b", 6.0)], []], ["no text", "not requested by any summary"])
    assert (result[0].value, result[0].n) == (3.0, 3)
    assert (result[1].value, result[1].undefined, result[1].n) == (None, "not requested by any summary", 0)


def test_one_source_has_no_interval():
    cell = mean_cells([[("a", 1.0), ("a", 2.0)], [("b", 1.0)]], ["", ""])[0]
    assert (cell.value, cell.low, cell.high) == (1.5, None, None)


def test_sources_that_agree_have_an_interval_of_no_width():
    cell = mean_cells([[(number, 4.0) for number in range(9)]], [""])[0]
    assert (cell.low, cell.high) == (4.0, 4.0)


def test_the_interval_is_that_of_whole_sources():
    # 40 sources of five equal summaries each: as if there were 40 numbers, not 200.
    values = np.random.default_rng(3).normal(50, 10, 40)
    cell = mean_cells([[(number, float(value)) for number, value in enumerate(values) for _copy in range(5)]], [""])[0]
    half = 1.96 * values.std() / np.sqrt(40)  # the bootstrap's standard error uses the divisor n
    assert cell.low == pytest.approx(values.mean() - half, abs=0.7)
    assert cell.high == pytest.approx(values.mean() + half, abs=0.7)


def test_the_same_numbers_give_the_same_interval():
    group = [(number % 7, float(number)) for number in range(30)]
    assert mean_cells([group], [""]) == mean_cells([group], [""])


def test_the_order_of_the_groups_does_not_matter():
    first = [(number % 7, float(number)) for number in range(30)]
    second = [(number % 7, float(number * number)) for number in range(30)]
    assert mean_cells([first, second], ["", ""]) == mean_cells([second, first], ["", ""])[::-1]


def test_the_interval_is_the_one_that_the_library_gives():
    group = [(number % 7, float(number)) for number in range(30)]
    expected = aggregate_values(
        [number for _source, number in group], [source for source, _number in group], signature=Signature("f", "1")
    )
    cell = mean_cells([group], [""])[0]
    assert (cell.value, cell.low, cell.high) == (expected.value.value, expected.interval.low, expected.interval.high)
    assert f"seed:{DEFAULT_SEED}" in BOOTSTRAP

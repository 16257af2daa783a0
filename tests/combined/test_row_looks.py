"""The sequence of a round from its exported rows, by the printed formula."""

from dataclasses import replace
from math import log, sqrt

import numpy as np
import pytest

from epitome.combined.stopping import follow_comparisons
from tests.combined.test_group_estimates import make_rows


def rows_with_looks(seed=4, **options):
    order = np.random.default_rng(seed).permutation(20) + 1
    return [replace(row, look=int(order[int(row.source[1:])]) if row.drawn else 0) for row in make_rows(**options)]


def bounds_by_formula(values, alpha=0.05):
    """As printed: the grid values against which neither capital has reached 2 / alpha, one step wider at each end."""
    grid = [step / 1000 for step in range(1001)]
    inside = []
    for m in grid:
        above = below = 1.0
        total, squares, alive = 0.5, 0.25, True
        for t, y in enumerate(values, 1):
            g = sqrt(2 * log(2 / alpha) / (squares / t * t * log(1 + t)))
            above *= 1 + min(g, 0.75 / m if m else g) * (y - m)
            below *= 1 - min(g, 0.75 / (1 - m) if m < 1 else g) * (y - m)
            total += y
            squares += (y - total / (t + 1)) ** 2
            alive = alive and max(above, below) < 2 / alpha
        inside += [m] if alive else []
    return max(0.0, inside[0] - 0.001), min(1.0, inside[-1] + 0.001)


def follow_pair(rows, second="beta"):
    """alpha and beta, or alpha's wins, at the level of a single comparison."""
    (followed,) = follow_comparisons([row for row in rows if row.system in ("alpha", second)])
    return followed.last


def test_an_outsider_finds_the_same_sequence_of_wins():
    rows = [replace(row, other="delta") for row in rows_with_looks() if row.system == "alpha"]
    by_look = {}
    for row in rows:
        if row.look:
            by_look.setdefault(row.look, []).append(row.human)
    values = [sum(by_look[look]) / len(by_look[look]) for look in sorted(by_look)]
    last = follow_pair(rows)
    assert last.n == 20
    assert (last.low, last.high) == pytest.approx(bounds_by_formula(values))


def test_an_outsider_finds_the_same_sequence_of_differences():
    rows = rows_with_looks()
    groups = [[row for row in rows if row.system == system] for system in ("alpha", "beta")]
    differences = [
        np.mean([first.human - second.human for first, second in zip(*groups, strict=True) if first.look == look])
        for look in range(1, 21)
    ]
    low, high = bounds_by_formula([(1 + difference) / 2 for difference in differences])
    last = follow_pair(rows)
    assert (last.low, last.high) == pytest.approx((2 * low - 1, 2 * high - 1))
    assert last.mean == pytest.approx(np.mean(differences))


def test_the_order_of_looks_matters_for_the_bounds_and_not_for_the_mean():
    first, second = (follow_pair(rows_with_looks(seed)) for seed in (4, 5))
    assert first.mean == pytest.approx(second.mean)
    assert (first.low, first.high) != (second.low, second.high)


def test_rows_without_a_sequence():
    assert follow_pair(make_rows()) is None
    with pytest.raises(ValueError, match="unequal chances"):
        follow_pair(make_rows(uneven=True))

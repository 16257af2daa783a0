"""Differences of rates (sums over sums), against all swaps written out."""

from itertools import product

import numpy as np
import pytest

from epitome.metrics.ratio_tests import ratio_permutation


def draw_amounts(rng, n, rate):
    words = rng.integers(20, 120, n)
    return [(float(rng.poisson(rate * count)), float(count)) for count in words]


def swap_by_hand(a, b, sources):
    """p by swapping every source, one combination after the other."""
    names = sorted(set(sources))

    def difference(swapped):
        sides = np.zeros((2, 2))
        for first, second, source in zip(a, b, sources, strict=True):
            pair = (second, first) if swapped[names.index(source)] else (first, second)
            sides += np.array(pair)
        return sides[0, 0] / sides[0, 1] - sides[1, 0] / sides[1, 1]

    seen = abs(difference([False] * len(names)))
    swaps = product([False, True], repeat=len(names))
    return float(np.mean([abs(difference(swapped)) >= seen - 1e-12 for swapped in swaps]))


def test_p_is_the_share_of_all_swaps():
    rng = np.random.default_rng(2)
    a, b = draw_amounts(rng, 12, 0.05), draw_amounts(rng, 12, 0.08)
    sources = [f"s{number // 2}" for number in range(12)]
    test = ratio_permutation(a, b, sources)
    rates = [sum(above for above, _ in side) / sum(below for _, below in side) for side in (a, b)]
    assert float(test.difference) == pytest.approx(rates[0] - rates[1])
    assert float(test.p_value) == pytest.approx(swap_by_hand(a, b, sources))
    assert (test.method, test.sources, test.n) == ("permutation-exact", 6, 12)
    assert test.ci95.low < float(test.difference) < test.ci95.high


def test_random_swaps_of_many_sources_come_close_to_all():
    rng = np.random.default_rng(3)
    a, b = draw_amounts(rng, 24, 0.05), draw_amounts(rng, 24, 0.065)
    drawn = ratio_permutation(a, b, replicates=20_000)
    exact = ratio_permutation(a[:20], b[:20])
    assert drawn.method == "permutation" and 0 < float(drawn.p_value) < 1
    assert exact.signature and float(exact.p_value) == pytest.approx(
        float(ratio_permutation(b[:20], a[:20]).p_value), abs=1e-12
    )


def test_equal_rates_are_called_different_in_one_of_twenty_rounds():
    rng = np.random.default_rng(4)
    p_values = []
    for _round in range(400):
        errs = rng.gamma(1, 1, 12)  # sources differ in how hard they are
        words = rng.integers(20, 120, (2, 12))
        sides = [
            list(zip(rng.poisson(0.05 * errs * row).astype(float), row.astype(float), strict=True)) for row in words
        ]
        p_values.append(float(ratio_permutation(*sides, replicates=500).p_value))
    assert 0.02 <= np.mean(np.array(p_values) < 0.05) <= 0.08


def test_what_cannot_be_compared_is_said():
    assert ratio_permutation([], []).p_value.undefined == "no sample has a value of both systems"
    assert ratio_permutation([(1.0, 2.0)], [(0.0, 2.0)]).ci95.undefined.startswith("only one source")
    with pytest.raises(ValueError, match="1 amounts of one system and 2"):
        ratio_permutation([(1.0, 2.0)], [(1.0, 2.0)] * 2)
    with pytest.raises(ValueError, match="not above 0"):
        ratio_permutation([(1.0, 0.0)], [(1.0, 2.0)])

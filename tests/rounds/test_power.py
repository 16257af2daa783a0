"""What a design can tell: against published figures, R, statsmodels and simulation."""

import itertools
import math

import numpy as np
import pytest
import scipy.stats

from epitome.metrics.significance import paired_permutation
from epitome.rounds.power import (
    estimate_power,
    estimate_preference_power,
    kappa_half_width,
    needed_answers,
    needed_by_rate,
    needed_pairs,
    smallest_difference,
    smallest_preference,
    wilson_half_width,
)


def test_the_half_width_of_a_share_is_that_of_wilson():
    assert wilson_half_width(0.5, 30) == pytest.approx(0.168, abs=0.001)  # Wilson (1927): 15 of 30 is .332 to .668
    assert estimate_power(90).rates[0].half == pytest.approx(0.101, abs=0.001)


@pytest.mark.parametrize(("rate", "half"), [(0.5, 0.290), (0.7, 0.325), (0.85, 0.46), (0.9, 0.58)])
def test_the_half_width_of_kappa_grows_with_the_base_rate(rate, half):
    """Against a simulation of its own, rater by rater; Cohen's formula of 1960 gives .286, .319, .425 and .514."""
    rng = np.random.default_rng(8)
    first = rng.random((20_000, 30)) < rate
    second = np.where(rng.random(first.shape) < 0.6, first, rng.random(first.shape) < rate)
    agree = (first == second).mean(axis=1)
    p, q = first.mean(axis=1), second.mean(axis=1)
    chance = p * q + (1 - p) * (1 - q)
    kappas = ((agree - chance) / np.where(chance < 1, 1 - chance, np.nan))[chance < 1]
    assert kappa_half_width(0.6, 30, rate) == pytest.approx(1.96 * kappas.std(), rel=0.03)
    assert kappa_half_width(0.6, 30, rate) == pytest.approx(half, abs=0.01)


def sum_over_all_tables(kappa, n, rate):
    """1.96 standard deviations of kappa over every table of n items, weighted by its probability: no simulation."""
    both = rate * rate + kappa * rate * (1 - rate)
    cells = [both, rate - both, rate - both, 1 - 2 * rate + both]
    logs = [math.log(cell) for cell in cells]
    weights, kappas = [], []
    for a, b, c in itertools.product(range(n + 1), repeat=3):
        counts = (a, b, c, n - a - b - c)
        first, second = (a + b) / n, (a + c) / n
        chance = first * second + (1 - first) * (1 - second)
        if counts[3] < 0 or chance == 1:
            continue
        ways = math.lgamma(n + 1) - sum(math.lgamma(count + 1) for count in counts)
        weights.append(math.exp(ways + sum(count * log for count, log in zip(counts, logs, strict=True))))
        kappas.append(((a + counts[3]) / n - chance) / (1 - chance))
    mean = np.average(kappas, weights=weights)
    return 1.96 * math.sqrt(np.average((np.array(kappas) - mean) ** 2, weights=weights))


@pytest.mark.parametrize(("rate", "exact"), [(0.5, 0.2902), (0.7, 0.3246), (0.85, 0.4599), (0.9, 0.5796)])
def test_the_half_width_of_kappa_is_that_of_all_possible_tables(rate, exact):
    assert sum_over_all_tables(0.6, 30, rate) == pytest.approx(exact, abs=1e-4)
    assert kappa_half_width(0.6, 30, rate) == pytest.approx(exact, rel=0.01)


def test_the_half_width_of_kappa_is_cohens_for_many_items():
    assert kappa_half_width(0.8, 400, 0.7) == pytest.approx(1.96 * np.sqrt(0.916 * 0.084 / 400) / 0.42, rel=0.03)
    assert kappa_half_width(0.6, 2, 0.9) <= 1


def share_found(signs, n):
    """Share of rounds of n signs whose sum the sign-flip test calls different from 0, exactly: a binomial test."""
    decided, sums = (signs != 0).sum(axis=1), np.abs(signs.sum(axis=1))
    heads = (decided + sums) // 2
    return float((2 * scipy.stats.binom.sf(heads - 1, decided, 0.5) <= 0.05).mean())


@pytest.mark.parametrize(("first", "second"), [(0.7, 0.5), (0.9, 0.75), (0.5, 0.35)])
def test_so_many_samples_find_the_difference_in_four_of_five_rounds(first, second):
    n = needed_answers(first, second)
    rng = np.random.default_rng(4)
    signs = (rng.random((20_000, n)) < first).astype(int) - (rng.random((20_000, n)) < second)
    assert share_found(signs, n) == pytest.approx(0.8, abs=0.03)
    assert smallest_difference(n, first) == pytest.approx(first - second, abs=0.002)


def test_the_report_finds_with_the_needed_answers_what_the_check_promises():
    n = needed_answers(0.7, 0.5)
    assert n == needed_by_rate()[0.7][0.2] == 106
    rng = np.random.default_rng(6)
    rounds = [[(rng.random(n) < rate).astype(float).tolist() for rate in (0.7, 0.5)] for _round in range(200)]
    p_values = [paired_permutation(*both, replicates=1000).p_value.value for both in rounds]
    assert np.mean(np.array(p_values) < 0.05) == pytest.approx(0.8, abs=0.06)
    assert smallest_difference(3, 0.5) is None  # even 50 % against 0 is missed


@pytest.mark.parametrize("ties", [0.0, 0.3])
def test_so_many_pairs_find_the_preference_in_four_of_five_rounds(ties):
    n = needed_pairs(0.3, ties)
    rng = np.random.default_rng(5)
    draws = rng.choice([1, 0, -1], p=[(1 - ties + 0.3) / 2, ties, (1 - ties - 0.3) / 2], size=(20_000, n))
    assert share_found(draws, n) == pytest.approx(0.8, abs=0.03)
    assert smallest_preference(n, ties) == pytest.approx(0.3, abs=0.003)
    assert estimate_preference_power(n).differences[ties] == smallest_preference(n, ties)
    assert smallest_preference(3, ties) is None


def test_what_is_no_difference_is_refused():
    for call in (
        lambda: needed_answers(0.5, 0.5),
        lambda: needed_answers(0.5, 1.1),
        lambda: needed_pairs(0.8, 0.3),
        lambda: estimate_power(0),
        lambda: estimate_preference_power(0),
    ):
        with pytest.raises(ValueError, match=r"give|at least one"):
            call()

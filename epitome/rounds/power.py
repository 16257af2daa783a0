"""What n answers can show: widths of 95 % intervals, the smallest difference found, and the answers it needs.

All formulas take answers as independent: one item of each source. Several items of a source show less.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

BASE_RATES = (0.5, 0.7, 0.8, 0.85, 0.9)
KAPPAS = (0.6, 0.8)
DIFFERENCES = (0.1, 0.15, 0.2, 0.3)
TIE_SHARES = (0.0, 0.3)
ALPHA, POWER = 0.05, 0.8
"""Of the differences: a two-sided test at .05 that finds one in four of five rounds."""
SIMULATED, SEED = 20_000, 12345
"""Rounds simulated for the spread of kappa, and the seed."""
Z = 1.959963984540054
Z_POWER = 0.8416212335729143
"""The 97.5th and the 80th percentile of the normal distribution."""


@dataclass(frozen=True)
class RatePower:
    """What n answers of one rater show at one base rate of yes.

    half: half the width of the 95 % interval of the rate; kappas: kappa of two raters -> the same of kappa. difference:
    the smallest fall from the base rate in a second system on the same samples that the test finds; None if there is
    none, because even a fall to 0 would be missed.
    """

    rate: float
    half: float
    kappas: Mapping[float, float]
    difference: float | None


@dataclass(frozen=True)
class Power:
    """Precision of n answers to one question about one target, at each base rate."""

    n: int
    rates: tuple[RatePower, ...]


@dataclass(frozen=True)
class PreferencePower:
    """What n pairs show: share of ties -> the smallest share of wins minus losses that the test finds, None if none."""

    n: int
    differences: Mapping[float, float | None]


def wilson_half_width(rate: float, n: int) -> float:
    """Half the width of the 95 % Wilson interval of a yes-rate."""
    return Z / (1 + Z * Z / n) * math.sqrt(rate * (1 - rate) / n + Z * Z / (4 * n * n))


@lru_cache(256)
def kappa_half_width(kappa: float, n: int, rate: float) -> float:
    """1.96 standard deviations of Cohen's kappa of two raters who say yes at the same rate; at most 1.

    Over simulated rounds of n items, the few in which kappa is undefined left out. Large-sample formulas (Cohen 1960;
    Fleiss, Cohen and Everitt 1969) agree at a rate of .5 to .7 and are a tenth too small at .9 and n = 30.
    """
    both = rate * rate + kappa * rate * (1 - rate)
    cells = [both, rate - both, rate - both, 1 - 2 * rate + both]
    counts = np.random.default_rng(SEED).multinomial(n, cells, size=SIMULATED)
    shares = counts / n
    first, second = shares[:, 0] + shares[:, 1], shares[:, 0] + shares[:, 2]
    expected = first * second + (1 - first) * (1 - second)
    defined = expected < 1
    if not defined.any():
        return 1.0
    observed = shares[defined, 0] + shares[defined, 3]
    values = (observed - expected[defined]) / (1 - expected[defined])
    return min(1.0, Z * float(values.std()))


def needed_answers(first: float, second: float) -> int:
    """Samples on which both of two systems are judged, to separate their rates by the report's test at `ALPHA`
    (two-sided) with `POWER`, where the systems' answers about one sample are unrelated; related ones need fewer.

    Raises ValueError for equal rates and for rates outside 0 to 1.
    Source: as `needed_pairs`; samples on which the systems differ are the decided ones (McNemar's test).
    """
    if first == second or not (0 <= first <= 1 and 0 <= second <= 1):
        raise ValueError(f"rates {first} and {second}: give two different ones from 0 to 1")
    return _needed_signs(first * (1 - second) + second * (1 - first), abs(first - second))


def needed_pairs(difference: float, ties: float = 0.0) -> int:
    """Pairs to separate a share of wins minus losses from 0. ties: share of pairs without a winner.

    Source: the sign test with ties as zeros, by its normal approximation with the correction for continuity: sums of
    signs go in steps of 2, so the test needs 1 more. Raises ValueError where no such shares exist.
    """
    decided = 1 - ties
    if not 0 < difference <= decided:
        raise ValueError(f"difference is {difference}, ties {ties}: give one above 0 and at most 1 - ties")
    return _needed_signs(decided, difference)


def _needed_signs(decided: float, difference: float) -> int:
    """The smallest n with n d - 1 >= Z sqrt(n q) + Z_POWER sqrt(n (q - d^2)). decided: q, the share of signs that are
    not 0; difference: d, their mean."""
    root = Z * math.sqrt(decided) + Z_POWER * math.sqrt(max(0.0, decided - difference * difference))
    size = (root + math.sqrt(root * root + 4 * difference)) / (2 * difference)
    return math.ceil(size * size - 1e-9)


def smallest_difference(n: int, rate: float) -> float | None:
    """The smallest fall from a rate that n answers of each system find, to .001; None if even one to 0 is missed."""
    falls = (step / 1000 for step in range(1, round(rate * 1000) + 1))
    return next((fall for fall in falls if needed_answers(rate, max(0.0, rate - fall)) <= n), None)


def smallest_preference(n: int, ties: float) -> float | None:
    """The smallest share of wins minus losses that n pairs find, to .001; None if they miss any."""
    differences = (step / 1000 for step in range(1, round((1 - ties) * 1000) + 1))
    return next((difference for difference in differences if needed_pairs(difference, ties) <= n), None)


def estimate_power(n: int) -> Power:
    """The expected precision. n: answers of one rater to one question about one target. Raises ValueError below 1."""
    _check_positive(n)
    rates = (
        RatePower(
            rate,
            wilson_half_width(rate, n),
            {kappa: kappa_half_width(kappa, n, rate) for kappa in KAPPAS},
            smallest_difference(n, rate),
        )
        for rate in BASE_RATES
    )
    return Power(n, tuple(rates))


def estimate_preference_power(n: int) -> PreferencePower:
    """n: pairs of two systems, each judged once. Raises ValueError below 1."""
    _check_positive(n)
    return PreferencePower(n, {ties: smallest_preference(n, ties) for ties in TIE_SHARES})


def needed_by_rate() -> dict[float, dict[float, int]]:
    """Base rate -> difference -> answers that each of two systems needs to show that fall from the base rate."""
    return {rate: {fall: needed_answers(rate, max(0.0, rate - fall)) for fall in DIFFERENCES} for rate in BASE_RATES}


def needed_by_ties() -> dict[float, dict[float, int]]:
    """Share of ties -> wins minus losses -> pairs that are needed."""
    return {ties: {difference: needed_pairs(difference, ties) for difference in DIFFERENCES} for ties in TIE_SHARES}


def _check_positive(n: int) -> None:
    if n < 1:
        raise ValueError(f"n is {n}: at least one answer is needed")

"""Intervals, random draws and tests: the formulas named in the file, with numpy alone.

The generator is numpy's `default_rng(seed)`, anew for every number.
"""

from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from math import atan, gamma, inf, lgamma, pi, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bounds = tuple[float | None, float | None]
NONE: Bounds = (None, None)
EXACT, ROUNDING, BLOCK = 20, 1e-9, 1 << 20
MANY = 1000
"""Degrees of freedom from which on p values are those of the normal distribution."""


def number_sources(sources: Sequence[Hashable]) -> NDArray[np.int64]:
    """Each source as a number from 0, in the order in which they occur first."""
    places: dict[Hashable, int] = {}
    return np.array([places.setdefault(source, len(places)) for source in sources], dtype=np.int64)


def sum_sources(terms: Floats, codes: NDArray[np.int64]) -> Floats:
    """(sources, columns) from (rows, columns)."""
    sums = np.zeros((int(codes.max(initial=-1)) + 1, terms.shape[1]))
    np.add.at(sums, codes, terms)
    return sums


@lru_cache(8)
def draw_counts(n: int, replicates: int, seed: int) -> Floats:
    """(replicates, n): how often each of n sources is drawn, n draws with replacement in each replicate."""
    drawn = np.random.default_rng(seed).integers(0, n, size=(replicates, n))
    counts = np.zeros((replicates, n))
    np.add.at(counts, (np.arange(replicates)[:, None], drawn), 1)
    return counts


def bootstrap(
    terms: Floats, sources: Sequence[Hashable], finish: Callable[[Floats], Floats], replicates: int, seed: int
) -> Bounds:
    """The interval of finish(sums of terms) when whole sources are drawn; NaN is an undefined replicate."""
    sums = sum_sources(terms, number_sources(sources))
    if len(sums) < 2:
        return NONE
    with np.errstate(all="ignore"):
        values = finish(draw_counts(len(sums), replicates, seed) @ sums)
    return middle(values, len(sums))


def middle(values: Floats, n_sources: int, most_undefined: float = 0.5) -> Bounds:
    """The expanded percentile interval of replicates; none where too many are undefined."""
    known = values[np.isfinite(values)]
    if n_sources < 2 or len(values) - len(known) > most_undefined * len(values):
        return NONE
    share = expanded_share(n_sources)
    low, high = np.percentile(known, [50 * (1 - share), 50 * (1 + share)])
    return float(low), float(high)


def expanded_share(n_sources: int) -> float:
    """How many of the replicates the interval holds: more than .95, for few sources."""
    end = sqrt(n_sources / (n_sources - 1)) * t_quantile(n_sources - 1)
    return min(2 * NormalDist().cdf(end) - 1, 1 - 1e-9)


@lru_cache(1)
def _nodes() -> tuple[Floats, Floats]:
    places, weights = np.polynomial.legendre.leggauss(400)
    return np.asarray(places), np.asarray(weights)


@lru_cache(4096)
def t_share(t: float, freedom: int) -> float:
    """The share of Student's t between -t and t; with t = sqrt(v) tan x the density goes with cos(x)^(v - 1)."""
    if t == inf:
        return 1.0
    end = atan(t / sqrt(freedom))
    places, weights = _nodes()
    inner = float(weights @ np.cos(end * (places + 1) / 2) ** (freedom - 1)) * end / 2
    if freedom < 100:
        scale = gamma((freedom + 1) / 2) / gamma(freedom / 2)
    else:
        scale = float(np.exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2)))
    return 2 * inner * scale / sqrt(pi)


@lru_cache(1024)
def t_quantile(freedom: int, share: float = 0.95) -> float:
    """t with this share between -t and t."""
    low, high = 0.0, 2.0
    while t_share(high, freedom) < share:
        high *= 2
    for _halving in range(80):
        between = (low + high) / 2
        low, high = (between, high) if t_share(between, freedom) < share else (low, between)
    return high


def t_p(distance: float, error: float, freedom: int) -> float:
    """Two-sided p of a distance from the null value with this standard error."""
    if not distance:
        return 1.0
    if not error:
        return 0.0
    t = abs(distance) / error
    return 2 * (1 - NormalDist().cdf(t)) if freedom >= MANY else max(0.0, 1 - t_share(t, freedom))


def wilson(share: float, n: float, z: float = NormalDist().inv_cdf(0.975)) -> Bounds:
    """Wilson's score interval of a share of n answers."""
    if n <= 0:
        return NONE
    c = z * z / n
    half = sqrt(c * share * (1 - share) + c * c / 4)
    return max(0.0, (share + c / 2 - half) / (1 + c)), min(1.0, (share + c / 2 + half) / (1 + c))


def effective_n(flags: Sequence[float], sources: Sequence[Hashable]) -> float:
    """How many independent answers a share is worth: n over its design effect."""
    n = len(flags)
    by_source: dict[Hashable, list[float]] = {}
    for flag, source in zip(flags, sources, strict=True):
        by_source.setdefault(source, []).append(flag)
    share, k = sum(flags) / n, len(by_source)
    alike = n * n / sum(len(of_source) ** 2 for of_source in by_source.values())
    if share in (0, 1) or k < 2 or n < 2:
        return alike
    between = (
        k / (k - 1) * sum((sum(source_flags) - share * len(source_flags)) ** 2 for source_flags in by_source.values())
    )
    independent = n * share * (1 - share) * n / (n - 1)
    return n / max(1.0, between / independent)


def flip_p(values: Sequence[float], sources: Sequence[Hashable], swaps: int, seed: int) -> float:
    """Two-sided p of "the sum is 0" when the signs of whole sources are flipped: all ways, or random ones."""
    sums = sum_sources(np.array(values, dtype=float)[:, None], number_sources(sources))[:, 0]
    seen = abs(float(sums.sum())) - ROUNDING * float(np.abs(sums).sum())
    sums = sums[sums != 0]
    k = len(sums)
    if k <= EXACT:
        totals = np.zeros(1)
        for source_flags in sums:
            totals = np.concatenate([totals + source_flags, totals - source_flags])
        return float(np.mean(np.abs(totals) >= seen))
    rng, far, step = np.random.default_rng(seed), 0, max(1, BLOCK // k)
    for start in range(0, swaps, step):
        bits = rng.integers(0, 2, size=(min(step, swaps - start), k), dtype=np.int8)
        far += int(np.sum(np.abs((2.0 * bits - 1.0) @ sums) >= seen))
    return (1 + far) / (1 + swaps)


def holm(p_values: Sequence[float]) -> list[float]:
    """The smallest of m times m, the next times m - 1, and so on; never below one before it, at most 1."""
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    corrected, running_p = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(order):
        running_p = max(running_p, min(1.0, p_values[index] * (len(p_values) - rank)))
        corrected[index] = running_p
    return corrected

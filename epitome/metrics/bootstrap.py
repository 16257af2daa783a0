"""Percentile bootstrap intervals that draw whole sources, because summaries of one source are not independent.

One replicate draws as many clusters (sources) as there are, with replacement, keeps all samples of each drawn cluster
and recomputes the statistic; the interval is the middle `level` of the replicates. Means, ratios and differences
of means need only each cluster's sums, so all replicates are computed at once; any other statistic is a function.
Source: Efron and Tibshirani (1993), "An Introduction to the Bootstrap", ch. 13; Davison and Hinkley (1997), 3.8.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from epitome.agreement.intervals import LEVEL, expanded_level
from epitome.measures import Value

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Number = Value | float | None
Clusters = Sequence[Hashable] | None
Statistic = Callable[[Floats], float]

DEFAULT_SEED = 12345
DEFAULT_REPLICATES = 1000
# Draws held in memory at once; the draws themselves do not depend on it.
CHUNK = 1 << 20
# Largest array of draw counts that is cached for the next statistic (two bytes each, four arrays).
MAX_CACHED_DRAWS = 1 << 23
# Above this share of undefined replicates no interval is reported.
UNDEFINED_SHARE = 0.05


@dataclass(frozen=True)
class Interval:
    """An interval in the statistic's own unit, or why there is none."""

    low: float | None
    high: float | None
    replicates: int
    seed: int
    level: float = 0.95
    clusters: int = 0
    undefined: str = ""

    @property
    def defined(self) -> bool:
        return self.low is not None


def to_floats(values: Sequence[Number], name: str = "values") -> Floats:
    """The values as floats (n,), NaN where undefined. Raises ValueError for NaN or infinity given as a number."""
    out = np.full(len(values), np.nan)
    for index, item in enumerate(values):
        number = item.value if isinstance(item, Value) else item
        if number is None:
            continue
        if not np.isfinite(number):
            raise ValueError(f"{name}[{index}] is {number}: give a finite number, or None where it is undefined")
        out[index] = number
    return out


def cluster_codes(clusters: Clusters, n: int) -> Ints:
    """The cluster of every sample as a number from 0, by first occurrence; without clusters every sample is its own."""
    if clusters is None:
        return np.arange(n)
    if len(clusters) != n:
        raise ValueError(f"{n} values and {len(clusters)} clusters: give the source of every value")
    codes: dict[Hashable, int] = {}
    return np.array([codes.setdefault(label, len(codes)) for label in clusters], dtype=np.int64)


def complete_rows(rows: Floats, codes: Ints) -> tuple[Floats, Ints]:
    """The rows (n, p) without NaN, and their clusters renumbered from 0 without gaps."""
    is_complete = np.isfinite(rows).all(axis=1)
    return rows[is_complete], np.unique(codes[is_complete], return_inverse=True)[1]


def _draw_clusters(n_clusters: int, replicates: int, seed: int) -> Iterator[Ints]:
    """Arrays (some replicates, n_clusters) of drawn clusters; the draws do not depend on the block size."""
    rng = np.random.default_rng(seed)
    step = max(1, CHUNK // n_clusters)
    for start in range(0, replicates, step):
        yield rng.integers(0, n_clusters, size=(min(step, replicates - start), n_clusters))


def _replicate_sums(columns: Sequence[Floats], codes: Ints, replicates: int, seed: int) -> list[Floats]:
    """The sum of each column in every replicate."""
    sums = np.stack([np.bincount(codes, weights=column) for column in columns], axis=1)
    n = len(sums)
    if n * replicates <= MAX_CACHED_DRAWS:
        step = max(1, CHUNK // n)
        counts = cached_draw_counts(n, replicates, seed)
        blocks = [counts[start : start + step].astype(float) @ sums for start in range(0, replicates, step)]
    else:
        blocks = [_count_draws(drawn).astype(float) @ sums for drawn in _draw_clusters(n, replicates, seed)]
    return list(np.concatenate(blocks).T)


@lru_cache(4)
def cached_draw_counts(n_clusters: int, replicates: int, seed: int) -> NDArray[np.uint16]:
    """How often each cluster is drawn in each replicate; cached, because systems are compared on the same sources."""
    counts = np.concatenate([_count_draws(drawn) for drawn in _draw_clusters(n_clusters, replicates, seed)])
    counts.flags.writeable = False  # the cached array is shared
    return counts


def _count_draws(drawn: Ints) -> NDArray[np.uint16]:
    rows, n_clusters = drawn.shape
    flat = (drawn + n_clusters * np.arange(rows)[:, None]).ravel()
    return np.bincount(flat, minlength=rows * n_clusters).reshape(rows, n_clusters).astype(np.uint16)


def _divide_or_nan(above: Floats, below: Floats) -> Floats:
    return np.divide(above, below, out=np.full_like(above, np.nan), where=below != 0)


def replicates_of_mean(values: Floats, codes: Ints, replicates: int, seed: int) -> Floats:
    """The mean in every replicate, shape (replicates,); values (n,) without NaN, codes (n,) from 0 without gaps."""
    first = values[0]  # sum the differences from it, so that constant data gives exactly that constant
    above, below = _replicate_sums([values - first, np.ones(len(values))], codes, replicates, seed)
    return np.asarray(first + above / below)


def replicates_of_function(rows: Floats, codes: Ints, statistic: Statistic, replicates: int, seed: int) -> Floats:
    """Any statistic of the drawn rows in every replicate, NaN where it is undefined."""
    order = np.argsort(codes, kind="stable")
    sizes = np.bincount(codes)
    starts = np.cumsum(sizes) - sizes
    out = []
    for block in _draw_clusters(len(sizes), replicates, seed):
        for drawn in block:
            lengths = sizes[drawn]
            shift = starts[drawn] - (np.cumsum(lengths) - lengths)
            out.append(number_or_nan(statistic, rows[order[np.repeat(shift, lengths) + np.arange(lengths.sum())]]))
    return np.array(out)


def number_or_nan(statistic: Statistic, rows: Floats) -> float:
    """The statistic as a float; NaN where it is not finite or fails with an arithmetic or value error."""
    try:
        number = float(statistic(rows))
    except (ArithmeticError, ValueError):
        return float("nan")
    return number if np.isfinite(number) else float("nan")


def middle_interval(values: Floats, *, clusters: int, seed: int, level: float) -> Interval:
    """The middle `level` of the replicates' values, by linear interpolation; NaN marks an undefined replicate."""
    good = values[np.isfinite(values)]
    missing = len(values) - len(good)
    if missing > UNDEFINED_SHARE * len(values):
        why = f"the statistic is undefined in {missing} of {len(values)} replicates"
        return Interval(None, None, len(values), seed, level, clusters, why)
    low, high = np.percentile(good, [50 * (1 - level), 50 * (1 + level)])
    return Interval(float(low), float(high), len(values), seed, level, clusters)


def _bootstrap_interval(
    codes: Ints, compute: Callable[[], Floats], replicates: int, seed: int, level: float
) -> Interval:
    if replicates < 1:
        raise ValueError(f"replicates is {replicates}: give at least 1, usually 1000")
    if not 0 < level < 1:
        raise ValueError(f"level is {level}: give a share between 0 and 1, usually 0.95")
    clusters = len(np.unique(codes))
    if clusters < 2:
        why = "only one source, so nothing to draw from" if clusters else "no values"
        return Interval(None, None, replicates, seed, level, clusters, why)
    return middle_interval(compute(), clusters=clusters, seed=seed, level=level)


def cluster_bootstrap(
    values: Sequence[Number] | NDArray[Any],
    clusters: Clusters = None,
    statistic: Literal["mean"] | Statistic = "mean",
    replicates: int = DEFAULT_REPLICATES,
    seed: int = DEFAULT_SEED,
    level: float = 0.95,
) -> Interval:
    """Percentile bootstrap interval of a statistic of per-sample values, drawn by cluster.

    values: one number per sample; undefined ones (None or an undefined Value) are left out. For a statistic of several
        numbers per sample an array (n, p), NaN where undefined; rows with a NaN are left out.
    clusters: the source of every sample (any hashable label); None makes every sample a cluster of its own.
    statistic: "mean", or a function of the drawn values ((m,) or (m, p), m varies) that returns one number.
    replicates, seed, level: how many draws, from which seed, and the share of them inside the interval.
    Returns an Interval in the statistic's unit; undefined with its reason for no values, for a single cluster, and for
    a statistic that is undefined in more than 5 % of the replicates (fewer are left out). Constant data has an
    interval of width 0. The same seed and the same clusters give the same draws, so paired results can be compared.
    Raises ValueError (NaN or infinite number, counts that differ, replicates < 1, level outside 0 to 1).
    Source: Efron and Tibshirani (1993), ch. 13; clusters after Davison and Hinkley (1997), 3.8.
    """
    several = isinstance(values, np.ndarray) and values.ndim == 2
    table = np.asarray(values, dtype=float) if several else to_floats(list(values))[:, None]
    rows, codes = complete_rows(table, cluster_codes(clusters, len(table)))
    if not several:
        rows = rows[:, 0]
    if callable(statistic):
        function = statistic
        return _bootstrap_interval(
            codes, lambda: replicates_of_function(rows, codes, function, replicates, seed), replicates, seed, level
        )
    if statistic != "mean" or several:
        raise ValueError(f"statistic is {statistic!r} of {rows.ndim}-d values: give mean (1-d) or a function")
    return _bootstrap_interval(
        codes, lambda: replicates_of_mean(rows, codes, replicates, seed), replicates, seed, level
    )


def expanded_bootstrap(
    values: Sequence[Number] | NDArray[Any],
    clusters: Sequence[Hashable],
    statistic: Literal["mean"] | Statistic = "mean",
    replicates: int = DEFAULT_REPLICATES,
    seed: int = DEFAULT_SEED,
) -> Interval:
    """The 95 % interval of `cluster_bootstrap`, expanded for few sources as those of agreement are.

    clusters: the source of every value; those of undefined values count, too, which makes no difference but with few.
    Source: Hesterberg (2015), see `epitome.agreement.intervals.expanded_level`.
    """
    n_clusters = len(set(clusters))
    level = expanded_level(n_clusters) if n_clusters > 1 else LEVEL
    return replace(cluster_bootstrap(values, clusters, statistic, replicates, seed, level), level=LEVEL)


def replicates_of_ratios(above: Floats, below: Floats, replicates: int, seed: int) -> Floats:
    """sum(above) / sum(below) of every column in every replicate, shape (replicates, p), all from the same draws.

    above, below: (n, p), one row per cluster. NaN where a column's denominators sum to 0 in a replicate.
    """
    n_columns = above.shape[1]
    sums = _replicate_sums([*above.T, *below.T], np.arange(len(above)), replicates, seed)
    return np.stack([_divide_or_nan(sums[p], sums[n_columns + p]) for p in range(n_columns)], axis=1)


def ratio_bootstrap(
    above: Sequence[Number],
    below: Sequence[Number],
    clusters: Clusters = None,
    replicates: int = DEFAULT_REPLICATES,
    seed: int = DEFAULT_SEED,
    level: float = 0.95,
) -> Interval:
    """Interval of sum(above) / sum(below), such as a rate pooled over samples: found / requested keywords.

    above, below: one number per sample each; samples undefined in either are left out. A replicate whose denominators
    sum to 0 is undefined. Else as `cluster_bootstrap`.
    """
    if len(above) != len(below):
        raise ValueError(f"{len(above)} numerators and {len(below)} denominators: give one of each per sample")
    table = np.stack([to_floats(above, "above"), to_floats(below, "below")], axis=1)
    rows, codes = complete_rows(table, cluster_codes(clusters, len(table)))
    return _bootstrap_interval(
        codes, lambda: _divide_or_nan(*_replicate_sums(list(rows.T), codes, replicates, seed)), replicates, seed, level
    )


def difference_bootstrap(
    first: Sequence[Number],
    second: Sequence[Number],
    first_clusters: Clusters = None,
    second_clusters: Clusters = None,
    replicates: int = DEFAULT_REPLICATES,
    seed: int = DEFAULT_SEED,
    level: float = 0.95,
) -> Interval:
    """Interval of mean(first) - mean(second) for two groups of samples, such as requests for high and for normal.

    The groups need not be of one size nor paired; sources that occur in both are drawn for both at once. Without
    clusters every sample is its own. For two systems on the same samples use `significance.paired_bootstrap`.
    A replicate that draws nothing of one group is undefined. Else as `cluster_bootstrap`.
    """
    if (first_clusters is None) != (second_clusters is None):
        raise ValueError("clusters of one group only: give the sources of both groups, or of neither")
    values = np.concatenate([to_floats(first, "first"), to_floats(second, "second")])
    labels = None
    if first_clusters is not None and second_clusters is not None:
        if len(first_clusters) != len(first):
            raise ValueError(f"{len(first)} values and {len(first_clusters)} clusters: give the source of every value")
        labels = [*first_clusters, *second_clusters]
    in_first = np.arange(len(values)) < len(first)
    table = np.stack([values, in_first, ~in_first], axis=1)
    rows, codes = complete_rows(table, cluster_codes(labels, len(table)))
    shifted = rows[:, 0] - rows[0, 0] if len(rows) else rows[:, 0]  # constant data: a difference of exactly 0

    def replicate_differences() -> Floats:
        columns = [shifted * rows[:, 1], rows[:, 1], shifted * rows[:, 2], rows[:, 2]]
        sum_first, n_first, sum_second, n_second = _replicate_sums(columns, codes, replicates, seed)
        return np.asarray(_divide_or_nan(sum_first, n_first) - _divide_or_nan(sum_second, n_second))

    return _bootstrap_interval(codes, replicate_differences, replicates, seed, level)

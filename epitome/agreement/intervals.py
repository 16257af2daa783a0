"""Estimates every agreement statistic with its bootstrap interval.

Each statistic is a function of sums over units (one question about one item), so each unit's terms are computed
once. A bootstrap replicate draws as many clusters (items) as there are, with replacement, adds up their terms and
computes the statistic from the sums; all replicates of all statistics come from one product of matrices. The interval
is the middle of the replicates, expanded for few clusters. A replicate where the statistic is undefined is left out and
counted. Coefficients of agreement in which few clusters disagree have theirs widened, see `few_disagreements`.
Source: Efron and Tibshirani (1993), "An Introduction to the Bootstrap", ch. 13; clusters: Field and Welsh (2007); few
clusters: Hesterberg (2015), "What Teachers Should Know About the Bootstrap", The American Statistician 69 (4).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import sqrt
from statistics import NormalDist

import numpy as np

from epitome.agreement.few_disagreements import bound_agreement
from epitome.agreement.scales import Floats, Ints
from epitome.agreement.student import quantile
from epitome.measures.shares import wilson_bounds
from epitome.measures.values import Value

DEFAULT_SEED = 12345
DEFAULT_REPLICATES = 1000
LEVEL = 0.95
# Numbers held at once; the draws themselves do not depend on it.
BLOCK = 1 << 22
MAX_CACHED_DRAWS = 1 << 21
"""Largest array of draws that is cached (eight bytes each, four arrays), because worker processes are long-lived."""
# Where more replicates than this share are undefined, there is no interval.
MAX_UNDEFINED_SHARE = 0.5
ONE_CLUSTER = "only one item, so nothing to draw from"

Finish = Callable[[Floats], Floats]


@dataclass(frozen=True)
class Statistic:
    """A statistic as a function of column sums over units.

    rows: (units, columns), what each unit adds to the sums.
    finish: sums (..., columns) -> the statistic (...), NaN where it is undefined.
    undefined: why there is no value, where that is known; `otherwise`: what it means if `finish` gives NaN.
    apart, expected: of a coefficient of agreement, (units,) how far each unit's raters disagree, 0 to 1, NaN for a unit
        that does not count; and sums -> the disagreement expected by chance, 1 where there is no correction for it.
    """

    rows: Floats
    finish: Finish
    undefined: str = ""
    otherwise: str = "the expected disagreement is 0"
    apart: Floats | None = None
    expected: Finish | None = None

    def value(self) -> Value:
        """The statistic over all units."""
        if self.undefined:
            return Value.none(self.undefined)
        number = float(self.finish(self.rows.sum(axis=0)))
        return Value.of(number) if np.isfinite(number) else Value.none(self.otherwise)


@dataclass(frozen=True)
class Interval:
    """The interval of nominal coverage `level`, or why there is none; left_out replicates were undefined."""

    low: float | None = None
    high: float | None = None
    undefined: str = ""
    replicates: int = 0
    left_out: int = 0
    level: float = LEVEL


@dataclass(frozen=True)
class Estimate:
    """A statistic with its interval. A value can exist without an interval, but not the other way round."""

    value: Value
    interval: Interval = field(default_factory=lambda: Interval(undefined="no interval was computed"))

    @classmethod
    def none(cls, reason: str) -> "Estimate":
        return cls(Value.none(reason), Interval(undefined=reason))


def undefined_statistic(reason: str) -> Statistic:
    """A statistic that is undefined for these data, with the reason."""
    return Statistic(np.zeros((0, 0)), lambda sums: np.full(sums.shape[:-1], np.nan), reason)


def ratio_or_nan(above: Floats, below: Floats) -> Floats:
    """above / below, NaN where `below` is not above 0."""
    above, below = np.broadcast_arrays(above, below)
    return np.asarray(np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0))


def draw_resamples(n_clusters: int, replicates: int, seed: int) -> Iterator[Floats]:
    """How often each cluster is drawn, in blocks of shape (some replicates, n_clusters); same seed, same draws."""
    if n_clusters * replicates <= MAX_CACHED_DRAWS:
        yield _cached_draws(n_clusters, replicates, seed)
        return
    rng = np.random.default_rng(seed)
    step = max(1, BLOCK // max(1, n_clusters))
    for start in range(0, replicates, step):
        yield _draw_counts(rng, n_clusters, min(step, replicates - start))


@lru_cache(4)
def _cached_draws(n_clusters: int, replicates: int, seed: int) -> Floats:
    """Cached, because the tables of a report repeat draws from the same few numbers of clusters."""
    drawn = _draw_counts(np.random.default_rng(seed), n_clusters, replicates)
    drawn.flags.writeable = False  # the cached array is shared
    return drawn


def _draw_counts(rng: np.random.Generator, n_clusters: int, replicates: int) -> Floats:
    drawn = rng.integers(0, n_clusters, size=(replicates, n_clusters))
    drawn += n_clusters * np.arange(replicates)[:, None]
    return np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape).astype(float)


def estimate_statistics(
    statistics: Mapping[str, Statistic],
    clusters: Ints,
    *,
    replicates: int = DEFAULT_REPLICATES,
    seed: int = DEFAULT_SEED,
    level: float = LEVEL,
) -> dict[str, Estimate]:
    """Each statistic with its interval; all of them use the same replicates.

    clusters: (units,), the cluster of every unit, numbers from 0 without gaps.
    replicates: how many to draw, at least 1.
    Raises ValueError for invalid replicates or an invalid level.
    """
    if replicates < 1:
        raise ValueError(f"replicates is {replicates}: give at least 1, better 1000")
    if not 0 < level < 1:
        raise ValueError(f"level is {level}: give a share between 0 and 1, such as 0.95")
    values = {name: statistic.value() for name, statistic in statistics.items()}
    defined = {name: statistic for name, statistic in statistics.items() if values[name].defined}
    intervals = _bootstrap_intervals(defined, clusters, replicates, seed, level)
    return {
        name: Estimate(value, intervals[name]) if value.defined else Estimate.none(value.undefined)
        for name, value in values.items()
    }


def _bootstrap_intervals(
    statistics: Mapping[str, Statistic], clusters: Ints, replicates: int, seed: int, level: float
) -> dict[str, Interval]:
    n_clusters = int(clusters.max(initial=-1)) + 1
    if n_clusters < 2:
        return dict.fromkeys(statistics, Interval(undefined=ONE_CLUSTER, level=level))
    if not statistics:
        return {}
    sums = np.concatenate(
        [sum_by_cluster(statistic.rows, clusters, n_clusters) for statistic in statistics.values()], axis=1
    )
    totals = np.concatenate([block @ sums for block in draw_resamples(n_clusters, replicates, seed)])
    intervals, start = {}, 0
    for name, statistic in statistics.items():
        stop = start + statistic.rows.shape[1]
        drawn = interval_of(statistic.finish(totals[:, start:stop]), n_clusters, level)
        intervals[name] = widen_interval(drawn, statistic, clusters)
        start = stop
    return intervals


def sum_by_cluster(rows: Floats, clusters: Ints, n_clusters: int) -> Floats:
    """Sums of the rows of each cluster, shape (n_clusters, columns)."""
    if len(rows) == n_clusters and np.array_equal(clusters, np.arange(n_clusters)):
        return rows
    return np.stack([np.bincount(clusters, weights=column, minlength=n_clusters) for column in rows.T], axis=1)


@lru_cache(64)
def expanded_level(n_clusters: int, level: float = LEVEL) -> float:
    """The share of replicates that an interval of coverage `level` must hold; above `level`, near it for many clusters.

    A bootstrap spreads too little by sqrt((n - 1) / n), and takes the normal distribution where t with n - 1 degrees of
    freedom belongs: the plain middle 95 % of 10 sources covers 88 to 90 %. Raises ValueError below 2 clusters.
    Source: Hesterberg (2015), the expanded percentile interval.
    """
    if n_clusters < 2:
        raise ValueError(f"{n_clusters} clusters: at least 2 are needed for an interval")
    end = sqrt(n_clusters / (n_clusters - 1)) * quantile((1 + level) / 2, n_clusters - 1)
    return min(2 * NormalDist().cdf(end) - 1, 1 - 1e-9)


def interval_of(values: Floats, n_clusters: int, level: float = LEVEL) -> Interval:
    """The expanded percentile interval of the replicates' values (linear interpolation); NaN: an undefined replicate.

    n_clusters: how many each replicate draws from; below 2 there is no interval.
    """
    if n_clusters < 2:
        return Interval(undefined=ONE_CLUSTER, level=level)
    good = values[np.isfinite(values)]
    left_out = len(values) - len(good)
    if left_out > MAX_UNDEFINED_SHARE * len(values):
        why = f"the statistic is undefined in {left_out} of {len(values)} bootstrap replicates"
        return Interval(None, None, why, len(values), left_out, level)
    expanded = expanded_level(n_clusters, level)
    low, high = np.percentile(good, [50 * (1 - expanded), 50 * (1 + expanded)])
    return Interval(float(low), float(high), "", len(values), left_out, level)


def widen_interval(interval: Interval, statistic: Statistic, clusters: Ints) -> Interval:
    """The interval of a coefficient of agreement, reaching as far as `few_disagreements` says; others as they are."""
    if statistic.apart is None or statistic.expected is None:
        return interval
    value, chance = (float(finish(statistic.rows.sum(axis=0))) for finish in (statistic.finish, statistic.expected))
    bounds = bound_agreement(statistic.apart, clusters, value, chance, interval.level)
    if bounds is None:
        return interval
    low, high = bounds
    if interval.low is not None and interval.high is not None:
        low, high = min(low, interval.low), max(high, interval.high)
    return replace(interval, low=low, high=high, undefined="")


def wilson_interval(successes: float, n: float) -> Interval:
    """The 95 % Wilson score interval of a share of n independent answers, or of an effective number of them.

    Source: Wilson (1927), "Probable inference, the law of succession, and statistical inference".
    """
    if n <= 0:
        return Interval(undefined="no answers")
    low, high = wilson_bounds(successes, n)
    return Interval(low, high)

"""Intervals of means that stay on their scale, also where nearly everybody says the same, or everybody.

A mean on the scale from 0 to 1 gets Wilson's interval with the effective number of judgements m (1 - m) / SE^2: its
error follows from the mean that is tested, not from the one that was seen, which is near 0 beside the ends. Student's t
has as many degrees of freedom as the ratio SE^2 / (m (1 - m)) is known with: many for yes and no, where only the
resemblance within sources is estimated. Differences get theta +- t SE.
Sources: Wilson (1927), JASA 22, 209-212; Korn and Graubard (1998), Survey Methodology 24, 193-201, for samples of
clusters; Satterthwaite (1946), Biometrics Bulletin 2, 110-114, for the degrees of freedom.
"""

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from epitome.agreement.student import central_share, quantile
from epitome.combined.judged_items import JudgedItems
from epitome.metrics.bootstrap import Floats, Ints

Marks = np.typing.NDArray[np.bool_]
MOST_FREEDOM = 1000
ROUNDING = 1e-12
"""Smaller differences are those of floating-point sums."""
FEW_DEVIATING = 5
"""With fewer sources that differ from the mean, nobody knows how much the items of a source resemble each other."""


class Bounds(NamedTuple):
    low: float
    high: float
    p_value: float


@dataclass(frozen=True)
class Basis:
    """A mean of given values, people's or (alone) the judge's, on which an interval rests.

    part: (n,) each item's influence on it, 0 where it has no value. takes_part: (n,) whether it has one. sources: k,
    with values. even_sources: how many sources of equal weight would count as much. error: its standard error.
    deviating: how many sources of equal weight would make up its variance. inflation: by how much the interval takes
    its variance to be larger, at least 1.
    """

    mean: float
    part: Floats
    takes_part: Marks
    sources: int
    even_sources: float
    error: float
    deviating: float
    inflation: float


@dataclass(frozen=True)
class InfluencedMean:
    """A mean with what its error rests on. influence: (n,) each item's on the value. takes_part: (n,) the items that it
    rests on. freedom: degrees of freedom of the error, at least."""

    value: float
    error: float
    influence: Floats
    takes_part: Marks
    freedom: int


def sum_by_source(values: Floats, sources: Ints) -> Floats:
    """(sources,) the sums over each source."""
    codes = np.unique(sources, return_inverse=True)[1]
    return np.asarray(np.bincount(codes, weights=values), dtype=float)


def make_basis(items: JudgedItems, values: Floats, takes_part: Marks, weights: Floats) -> Basis:
    """values, weights: (m,) of the items that take part."""
    shares = weights / weights.sum()
    mean = float(values[0]) if np.ptp(values) < ROUNDING else float((weights * values).sum() / weights.sum())
    part = np.zeros(len(takes_part))
    part[takes_part] = shares * (values - mean)
    sources = items.sources[takes_part]
    sums, of_sources = sum_by_source(part[takes_part], sources), sum_by_source(shares, sources)
    k = len(sums)
    variance = float(sums @ sums) * k / (k - 1)
    deviating = float(sums @ sums) ** 2 / float((sums**4).sum()) if variance > 0 else 0.0
    inflation = 1.0
    if 0 < deviating < FEW_DEVIATING:
        inflation = max(1.0, float(shares @ (values - mean) ** 2) * float(of_sources @ of_sources) / variance)
    return Basis(
        mean=mean,
        part=part,
        takes_part=takes_part,
        sources=k,
        even_sources=1 / float(of_sources @ of_sources),
        error=sqrt(variance),
        deviating=deviating,
        inflation=inflation,
    )


def bound_mean(items: JudgedItems, mean: InfluencedMean, basis: Basis, level: float, null: float) -> Bounds:
    """The interval and the p-value, two-sided, of "the mean is `null`"."""
    if mean.error < ROUNDING or not basis.error:
        return _bound_constant(items, mean, basis, level, null)
    if (items.low, items.high) != (0.0, 1.0):
        half = quantile((1 + level) / 2, mean.freedom) * mean.error
        p_value = two_sided_p(mean.value - null, mean.error, mean.freedom)
        return Bounds(max(items.low, mean.value - half), min(items.high, mean.value + half), p_value)
    freedom = _match_freedom(items, mean, basis)
    effective = basis.mean * (1 - basis.mean) / (mean.error**2 * basis.inflation)
    low, high = bound_share(mean.value, effective, quantile((1 + level) / 2, freedom))
    null_error = sqrt(null * (1 - null) / effective) if 0 < null < 1 else mean.error
    return Bounds(low, high, two_sided_p(mean.value - null, null_error, freedom))


def bound_share(value: float, effective: float, t: float) -> tuple[float, float]:
    """Wilson's interval of a share of `effective` independent judgements; a value off the scale counts as its end."""
    share, reach = min(1.0, max(0.0, value)), t**2 / effective
    middle, half = share + reach / 2, sqrt(reach * share * (1 - share) + reach**2 / 4)
    return max(0.0, (middle - half) / (1 + reach)), min(1.0, (middle + half) / (1 + reach))


def _match_freedom(items: JudgedItems, mean: InfluencedMean, basis: Basis) -> int:
    """Degrees of freedom of SE^2 / (m (1 - m)), from the sources' influences on its logarithm."""
    rows = mean.takes_part
    sums = sum_by_source(mean.influence[rows], items.sources[rows])
    of_basis = sum_by_source(basis.part[rows], items.sources[rows])
    slope = (1 - 2 * basis.mean) / (basis.mean * (1 - basis.mean))
    shifts = sums**2 / (sums @ sums) - 1 / len(sums) - slope * of_basis
    spread = float(shifts @ shifts)
    return max(mean.freedom, int(2 / spread)) if spread > 2 / MOST_FREEDOM else MOST_FREEDOM


def _bound_constant(items: JudgedItems, mean: InfluencedMean, basis: Basis, level: float, null: float) -> Bounds:
    """All values are the same: how many sources might have others, as Wilson's interval of none of k says."""
    value, k = mean.value, basis.even_sources
    t = quantile((1 + level) / 2, mean.freedom)
    share = t**2 / (k + t**2)
    low, high = value - (value - items.low) * share, value + (items.high - value) * share
    room = value - items.low if null < value else items.high - value
    others = abs(value - null) / room if room else 0.0
    p_value = two_sided_p(sqrt(k * others / (1 - others)), 1.0, mean.freedom) if others < 1 else 0.0
    return Bounds(max(items.low, low), min(items.high, high), p_value)


def two_sided_p(distance: float, error: float, freedom: int) -> float:
    """Of Student's t; 1 for no distance, 0 for a distance without any spread."""
    if not distance:
        return 1.0
    if not error:
        return 0.0
    t = abs(distance) / error
    return 2 * (1 - NormalDist().cdf(t)) if freedom >= MOST_FREEDOM else max(0.0, 1 - central_share(t, freedom))

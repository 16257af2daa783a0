"""Intervals that hold at every look: betting confidence sequences, and evidence against "no difference".

Whoever looks after every source and stops when the interval is narrow enough, or excludes a value, still errs with at
most `1 - level`. Values come one per source, in a random order, each from low to high; the target is their mean.
Source: Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", JRSS B 86 (2024), 1-27:
hedged capital process (theorem 3) with predictable plug-in bets (equation 26), c = 3/4; section 5 for pools.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from epitome.metrics.bootstrap import Floats

LEVEL = 0.95
GRID = 1000
TRUNCATION = 0.75


@dataclass(frozen=True)
class Look:
    """After `n` sources: the interval, and the evidence against the null value (an e-value), the greatest so far.

    rejects: whether the evidence suffices to call the null value wrong, at this or an earlier look.
    """

    n: int
    mean: float
    low: float
    high: float
    evidence: float
    rejects: bool

    @property
    def width(self) -> float:
        return self.high - self.low


@dataclass(frozen=True)
class Scale:
    """The ends of the values."""

    low: float = 0.0
    high: float = 1.0

    def to_unit(self, value: float) -> float:
        """On a scale from 0 to 1. Raises ValueError outside of the ends."""
        if not self.low <= value <= self.high:
            raise ValueError(f"a value is {value}: the scale goes from {self.low} to {self.high}")
        return (value - self.low) / (self.high - self.low)

    def from_unit(self, value: float) -> float:
        return self.low + value * (self.high - self.low)


def follow_mean(
    values: Sequence[float],
    scale: Scale | None = None,
    null: float | tuple[float, float] | None = None,
    level: float = LEVEL,
    pool: int | None = None,
) -> Iterator[Look]:
    """A look after each value. null: the value whose evidence is followed, or the ends of a range of them, all of which
    must be unlikely; None: the middle of the scale. pool: the values are drawn without replacement from so many, and
    the mean of all these is meant; None: the mean of the population that they come from.

    Raises ValueError for a value outside of the scale, and for more values than the pool has.
    """
    scale = scale or Scale()
    ends = [scale.to_unit(end) for end in _null_range(null, scale)]
    grid = np.linspace(0.0, 1.0, GRID + 1)
    means = np.concatenate([grid, ends])
    is_null = (means >= ends[0]) & (means <= ends[1])
    capital = _Capital(means, 1 - level, pool)
    best = np.zeros(int(is_null.sum()))  # the greatest log evidence against each null value so far
    low, high, total = 0.0, 1.0, 0.0
    for n, value in enumerate(values, 1):
        unit = scale.to_unit(float(value))
        total += unit
        capital.bet(unit)
        inside = grid[capital.hedged()[: len(grid)] < log(1 / (1 - level))]
        if len(inside):
            # What is likely between two points of the grid is as likely at one of them, or next to it.
            low = max(low, float(inside[0]) - 1 / GRID)
            high = min(high, float(inside[-1]) + 1 / GRID)
        if low > high:
            low = high = (low + high) / 2
        best = np.maximum(best, capital.averaged()[is_null])
        evidence = float(np.exp(min(700.0, best.min())))
        yield Look(
            n,
            scale.from_unit(total / n),
            scale.from_unit(low),
            scale.from_unit(high),
            evidence,
            evidence >= 1 / (1 - level),
        )


def _null_range(null: float | tuple[float, float] | None, scale: Scale) -> tuple[float, float]:
    if null is None:
        null = (scale.low + scale.high) / 2
    return null if isinstance(null, tuple) else (null, null)


class _Capital:
    """The logarithms of what betters have who bet that the mean is above or below each candidate."""

    def __init__(self, means: Floats, alpha: float, pool: int | None) -> None:
        self._means = means
        self._alpha = alpha
        self._pool = pool
        self._up, self._down = np.zeros(len(means)), np.zeros(len(means))
        self._n, self._sum, self._squares = 0, 0.5, 0.25

    def bet(self, value: float) -> None:
        """The bets depend on earlier values alone."""
        n = self._n + 1
        expected = self._expect()
        possible = (expected >= 0) & (expected <= 1)
        expected = np.clip(expected, 0.0, 1.0)
        stake = np.sqrt(2 * log(2 / self._alpha) / (self._squares / n * n * log(1 + n)))
        with np.errstate(divide="ignore"):
            up, down = np.minimum(stake, TRUNCATION / expected), np.minimum(stake, TRUNCATION / (1 - expected))
        self._up = np.where(possible, self._up + np.log1p(up * (value - expected)), np.inf)
        self._down = np.where(possible, self._down + np.log1p(-down * (value - expected)), np.inf)
        self._n = n
        self._sum += value
        self._squares += (value - self._sum / (n + 1)) ** 2

    def _expect(self) -> Floats:
        """What the next value is on average, for each candidate."""
        if self._pool is None:
            return self._means
        if self._n >= self._pool:
            raise ValueError(f"the pool has {self._pool} values: there cannot be one more")
        return np.asarray((self._pool * self._means - (self._sum - 0.5)) / (self._pool - self._n))

    def hedged(self) -> Floats:
        """Of the better of the two, each with half the money."""
        return np.maximum(self._up, self._down) - log(2)

    def averaged(self) -> Floats:
        """Of both together, each with half the money: a martingale under the candidate."""
        return np.logaddexp(self._up, self._down) - log(2)


def follow_combined(
    human: Sequence[float],
    judge: Sequence[float],
    judge_range: tuple[float, float],
    weight: float,
    scale: Scale | None = None,
    null: float | None = None,
    level: float = LEVEL,
    pool: int | None = None,
) -> Iterator[Look]:
    """People and judge of one source after the other: theta = E[H - l G] + l E[G].

    judge_range: an interval for E[G] from items that people do not see (`bound_judge` with the same level). weight: l,
    0 to 1, chosen beforehand, as in a pilot. The looks hold together with the chance `level`: four fifths of the error
    go to the sequence, one fifth to the judge's interval; evidence is against the null value for every mean of the
    judge in its interval. pool: as in `follow_mean`; the judge's mean over it is known, so both ends are equal.
    The range of H - l G is wider than that of H, and no bet may risk more than the range allows: below some hundreds of
    sources the sequence of people alone is narrower even with a good judge.
    """
    scale = scale or Scale()
    shifted = Scale(scale.low - weight * scale.high, scale.high - weight * scale.low)
    rest = [h - weight * g for h, g in zip(human, judge, strict=True)]
    middle = (scale.low + scale.high) / 2 if null is None else null
    nulls = [min(max(middle - weight * end, shifted.low), shifted.high) for end in reversed(judge_range)]
    centre = weight * sum(judge_range) / 2
    own_level = level if pool else 1 - (1 - level) * 4 / 5
    for look in follow_mean(rest, shifted, (nulls[0], nulls[1]), own_level, pool):
        low = max(scale.low, look.low + weight * judge_range[0])
        high = min(scale.high, look.high + weight * judge_range[1])
        yield Look(look.n, look.mean + centre, low, high, look.evidence, look.rejects)


def bound_judge(judge: Sequence[float], scale: Scale | None = None, level: float = LEVEL) -> tuple[float, float]:
    """The interval for the judge's mean that `follow_combined` takes, from one value per source that people do not see;
    for the same `level` as there."""
    looks = list(follow_mean(judge, scale, level=1 - (1 - level) / 5))
    if not looks:
        scale = scale or Scale()
        return scale.low, scale.high
    return looks[-1].low, looks[-1].high


def follow_preference(outcomes: Sequence[float], level: float = LEVEL) -> Iterator[Look]:
    """Wins of the first system: 1 won, 0.5 tie, 0 lost, or a source's mean of these; evidence against 0.5."""
    return follow_mean(outcomes, Scale(0.0, 1.0), 0.5, level)

"""What certainty costs: people alone, people with a judge, and people shown the items on which the judge errs most.

The squared standard error of a mean, with n items judged by people out of T that the judge scores:
  people alone   Var(H) / n
  combined       Var(H) (1 - r^2 (T - n) / T) / n                      r: correlation of H and G (PPI++)
  active         Var(H) / T + mean(s)^2 / n - mean(s^2) / T            s^2: expected squared error of the judge
each times the design effect 1 + (m - 1) icc, of H or of H - l G, for m items per source that resemble each other.
Between systems whose answers about one sample correlate b, people and judge correlate less in differences than in
answers: r sqrt((1 - b) / (1 - r^2 b)), where the judge errs about each summary by itself.
Sources: as `estimates` and `chances`; Kish (1965), "Survey Sampling", 5.4, for the design effect.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from statistics import NormalDist
from typing import Literal

import numpy as np

from epitome.agreement.student import quantile
from epitome.combined.judged_items import JudgedItems, TooFew
from epitome.metrics.bootstrap import Floats, Ints

Way = Literal["people", "combined", "active"]
WAYS: tuple[Way, ...] = ("people", "combined", "active")
LEAST_PILOT = 20
USUAL_PILOT = 50
SHARES_TRIED = 40
POWER = 0.8
LEAST_JUDGED = 20
"""Sources that people judge, at least, in a plan with a judge: below them its weight is not known well enough."""


@dataclass(frozen=True)
class Assumptions:
    """What a plan rests on, from a pilot or stated.

    variance: of people's judgements (of the differences of two systems, where these are compared). correlation: of
    people and judge, -1 to 1. error_ratio: mean(s)^2 / mean(s^2), at most 1: how evenly the judge errs (1: evenly, and
    choosing items gains nothing). squared_error: mean(s^2). icc, rest_icc: how much items of one source resemble each
    other, in H and in what the judge leaves of it. per_source: items a source.
    """

    variance: float
    correlation: float
    squared_error: float
    error_ratio: float = 1.0
    icc: float = 0.0
    rest_icc: float = 0.0
    per_source: float = 1.0
    n_pilot: int = 0


@dataclass(frozen=True)
class Costs:
    """Of one judgement, in any currency or in hours: of people, and of the judge."""

    human: float
    judge: float = 0.0

    def __post_init__(self) -> None:
        if not self.human > 0 or not self.judge >= 0:
            raise ValueError("a judgement of people costs more than 0, one of the judge at least 0")


@dataclass(frozen=True)
class Plan:
    """half_width: of the 95 % interval, in the scale's unit. n_human: items shown to people; n_judged: items that the
    judge scores, those included."""

    way: Way
    n_human: int
    n_judged: int
    half_width: float
    cost: float


@dataclass(frozen=True)
class Need:
    """Items for people to find a difference at 5 % with `power`. n_human None: `total` items are not enough; `found` is
    then the smallest difference that all of them would find."""

    way: Way
    n_human: int | None
    total: int
    power: float
    found: float


def assume_from(pilot: JudgedItems, features: "np.typing.ArrayLike | None" = None) -> Assumptions:
    """From the items of a pilot with both judgements. features: (n, p) of all items, for the active way.

    Raises TooFew below `LEAST_PILOT` items with both.
    """
    from epitome.combined.chances import fit_errors

    is_shown = pilot.is_human
    n = int(is_shown.sum())
    if n < LEAST_PILOT:
        raise TooFew(f"{n} items with people and judge: a pilot has at least {LEAST_PILOT}, better {USUAL_PILOT}")
    human, judge, sources = pilot.human[is_shown], pilot.judge[is_shown], pilot.sources[is_shown]
    spread = float(human.std() * judge.std())
    covariance = float(((human - human.mean()) * (judge - judge.mean())).mean())
    correlation = covariance / spread if spread > 0 else 0.0
    slope = min(1.0, max(0.0, covariance / float(judge.var()))) if judge.std() > 0 else 0.0
    ratio = 1.0
    if features is not None:
        rows = np.asarray(features, dtype=float)
        predicted = fit_errors(rows[is_shown], human.tolist(), judge.tolist()).predict(rows)
        ratio = float(np.sqrt(predicted).mean() ** 2 / predicted.mean())
    return Assumptions(
        variance=float(human.var(ddof=1)),
        correlation=correlation,
        squared_error=float(((human - judge) ** 2).mean()),
        error_ratio=ratio,
        icc=estimate_icc(human, sources),
        rest_icc=estimate_icc(human - slope * judge, sources),
        per_source=n / len(np.unique(sources)),
        n_pilot=n,
    )


def estimate_icc(values: Floats, sources: Ints) -> float:
    """The share of the variance between sources, 0 to 1, by analysis of variance; 0 where every source has one item.

    Source: Shrout and Fleiss (1979), Psychological Bulletin 86, ICC(1, 1), for unequal sizes by Donner (1986).
    """
    codes = np.unique(sources, return_inverse=True)[1]
    sizes = np.bincount(codes).astype(float)
    k, n = len(sizes), len(values)
    if k < 2 or n == k:
        return 0.0
    means = np.bincount(codes, weights=values) / sizes
    between = float((sizes * (means - values.mean()) ** 2).sum()) / (k - 1)
    within = float(((values - means[codes]) ** 2).sum()) / (n - k)
    size = (n - float((sizes**2).sum()) / n) / (k - 1)
    total = between + (size - 1) * within
    return min(1.0, max(0.0, (between - within) / total)) if total > 0 else 0.0


def squared_error_of(way: Way, about: Assumptions, n: float, total: float) -> float:
    """The squared standard error with n items for people of `total` that the judge scores."""
    effect = 1 + (about.per_source - 1) * about.icc
    rest_effect = 1 + (about.per_source - 1) * about.rest_icc
    if way == "people":
        return about.variance * effect / n
    useful = max(0.0, about.correlation) ** 2
    if way == "combined":
        shared = useful * (total - n) / total
        return about.variance * ((1 - useful) * rest_effect + (useful - shared) * effect) / n
    spent = about.squared_error * (about.error_ratio / n - 1 / total)
    return about.variance * effect / total + max(0.0, spent) * rest_effect


def plan_budget(about: Assumptions, costs: Costs, budget: float, total: int, level: float = 0.95) -> list[Plan]:
    """The best plan of each way for a budget, of at most `total` items; without those that it cannot pay."""
    return [plan for way in WAYS if (plan := _best_plan(way, about, costs, budget, total, level)) is not None]


def follow_budgets(
    about: Assumptions, costs: Costs, budgets: Sequence[float], total: int, level: float = 0.95
) -> Iterator[tuple[float, list[Plan]]]:
    """For a curve: each budget with its plans."""
    for budget in budgets:
        yield budget, plan_budget(about, costs, budget, total, level)


def _best_plan(way: Way, about: Assumptions, costs: Costs, budget: float, total: int, level: float) -> Plan | None:
    z = NormalDist().inv_cdf((1 + level) / 2)
    plans = []
    for judged in _judged_numbers(way, total):
        cost_of_judge = 0.0 if way == "people" else costs.judge * judged
        n = min(judged, int((budget - cost_of_judge) / costs.human + 1e-9))
        if n < 2:
            continue
        half = z * sqrt(squared_error_of(way, about, n, judged))
        plans.append(Plan(way, n, 0 if way == "people" else judged, half, cost_of_judge + n * costs.human))
    return min(plans, key=lambda plan: (plan.half_width, plan.cost), default=None)


def _judged_numbers(way: Way, total: int) -> list[int]:
    if way == "people":
        return [total]
    return sorted({max(2, round(total * share / SHARES_TRIED)) for share in range(1, SHARES_TRIED + 1)})


def correlate_differences(correlation: float, between: float) -> float:
    """The correlation of people and judge in differences of two systems. correlation: in answers; between: of the two
    systems' answers about one sample, below 1. The judge's errors about the two are independent of each other."""
    return correlation * sqrt((1 - between) / (1 - correlation**2 * between))


def find_reach(way: Way, about: Assumptions, n: int, power: float) -> float:
    """How many standard errors a difference must measure to be found two-sided at 5 % with `power`, by Student's t with
    the degrees of freedom of the estimate: a source less than people judge, two where the judge's weight is tuned."""
    freedom = max(1, int(n / about.per_source) - (1 if way == "people" else 2))
    return quantile(0.975, freedom) + quantile(power, freedom)


def find_need(way: Way, about: Assumptions, difference: float, total: int, power: float = POWER) -> Need:
    """Items for people to separate a difference from 0, two-sided at 5 %; about: of the differences of two systems.

    With a judge at least `LEAST_JUDGED` sources, or all. Raises ValueError for a difference that is not above 0 and for
    a power that is not between .5 and 1.
    """
    if not difference > 0:
        raise ValueError(f"the difference is {difference}: give one above 0")
    if not 0.5 < power < 1:
        raise ValueError(f"the power is {power}: give one between 0.5 and 1")

    def smallest(n: int) -> float:
        return find_reach(way, about, n, power) * sqrt(squared_error_of(way, about, n, total))

    if smallest(total) > difference:
        return Need(way, None, total, power, smallest(total))
    low, high = 2 if way == "people" else min(total, ceil(LEAST_JUDGED * about.per_source)), total
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if smallest(middle) <= difference else (middle + 1, high)
    return Need(way, low, total, power, smallest(low))

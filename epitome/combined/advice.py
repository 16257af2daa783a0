"""What to do with a budget: plans, the items that a difference needs, and the plain answer, also where it is no."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import ceil
from statistics import NormalDist
from typing import Any

from epitome.combined.planner import (
    POWER,
    WAYS,
    Assumptions,
    Costs,
    Need,
    Plan,
    Way,
    correlate_differences,
    find_need,
    find_reach,
    plan_budget,
    squared_error_of,
)

CURVE_STEPS = (0.25, 0.5, 1.0, 2.0, 4.0)
WAY_NAMES: dict[Way, str] = {
    "people": "people only",
    "combined": "people and judge",
    "active": "people and judge, items chosen",
}


@dataclass(frozen=True)
class Wish:
    """budget: in `unit` (hours, a currency, or ""); total: items there are; difference: to be found, from 0 to 1.
    subject: what the plan is about, in words. ways: those to plan for; people alone where there is no judge."""

    budget: float
    unit: str
    total: int
    difference: float
    power: float = POWER
    subject: str = "the mean of one system"
    ways: tuple[Way, ...] = WAYS

    def amount(self, cost: float) -> str:
        return f"{cost:,.2f} {self.unit}".strip()


@dataclass(frozen=True)
class PricedNeed:
    """A need with its cost, None where `total` items are not enough. unlimited: items that people alone would have to
    judge if there were as many as wanted."""

    need: Need
    cost: float | None

    @property
    def way(self) -> Way:
        return self.need.way


@dataclass(frozen=True)
class Advice:
    """plans: the best of each way within the budget; curve: the same for other budgets; needs: of each way; unlimited:
    items that people alone would need if there were as many as wanted; answer: what to do, in sentences."""

    about: Assumptions
    costs: Costs
    wish: Wish
    plans: tuple[Plan, ...]
    curve: tuple[tuple[float, tuple[Plan, ...]], ...]
    needs: tuple[PricedNeed, ...]
    unlimited: int
    answer: str

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "assumptions": asdict(self.about),
            "costs": asdict(self.costs),
            **asdict(self.wish),
            "plans": [asdict(plan) for plan in self.plans],
            "curve": [{"budget": budget, "plans": [asdict(plan) for plan in plans]} for budget, plans in self.curve],
            "needs": [{**asdict(need.need), "cost": need.cost} for need in self.needs],
            "people_needed_without_limit": self.unlimited,
            "answer": self.answer,
        }


def advise_plan(about: Assumptions, costs: Costs, wish: Wish) -> Advice:
    """Raises ValueError for a budget, a total or a difference that cannot be planned with."""
    if wish.total < 2 or not wish.budget > 0:
        raise ValueError("a plan has a budget above 0 and at least 2 items")
    plans = _plan_ways(about, costs, wish, wish.budget)
    curve = tuple((wish.budget * step, _plan_ways(about, costs, wish, wish.budget * step)) for step in CURVE_STEPS)
    needs = tuple(_price_need(way, about, costs, wish) for way in wish.ways)
    reach = NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(wish.power)
    unlimited = ceil(squared_error_of("people", about, 1, wish.total) * (reach / wish.difference) ** 2)
    answer = _answer_plainly(about, plans, needs, unlimited, wish)
    return Advice(about, costs, wish, plans, curve, needs, unlimited, answer)


def _plan_ways(about: Assumptions, costs: Costs, wish: Wish, budget: float) -> tuple[Plan, ...]:
    return tuple(plan for plan in plan_budget(about, costs, budget, wish.total) if plan.way in wish.ways)


def _price_need(way: Way, about: Assumptions, costs: Costs, wish: Wish) -> PricedNeed:
    need = find_need(way, about, wish.difference, wish.total, wish.power)
    if need.n_human is None:
        return PricedNeed(need, None)
    of_judge = 0.0 if way == "people" else costs.judge * wish.total
    return PricedNeed(need, need.n_human * costs.human + of_judge)


def _answer_plainly(
    about: Assumptions, plans: Sequence[Plan], needs: Sequence[PricedNeed], unlimited: int, wish: Wish
) -> str:
    what = f"a difference of {wish.difference:g} with power {wish.power:g}"
    priced = [need for need in needs if need.cost is not None]
    if not priced:
        smallest = min(need.need.found for need in needs)
        return (
            f"No. All {wish.total:,} items judged by people find differences from {smallest:.3f} on; no budget finds "
            f"{what} among so few. People alone would need about {unlimited:,} items: take more sources, or ask a "
            "question with a larger difference."
        )
    cheapest = min(priced, key=lambda need: (need.cost, WAYS.index(need.way)))
    assert cheapest.cost is not None
    deed = (
        f"{WAY_NAMES[cheapest.way]}: {cheapest.need.n_human:,} of {wish.total:,} items by people, "
        f"{wish.amount(cheapest.cost)}"
    )
    if cheapest.cost <= wish.budget:
        compared = _compare_people(cheapest, needs) if len(needs) > 1 else ""
        return f"Yes. {what.capitalize()} is found by {deed}{compared}."
    reachable = _found_with(about, plans, wish.power)
    within = f"; {wish.amount(wish.budget)} find differences from {reachable:.3f} on" if reachable else ""
    return f"No, not with {wish.amount(wish.budget)}. {what.capitalize()} takes {deed}{within}."


def _compare_people(cheapest: PricedNeed, needs: Sequence[PricedNeed]) -> str:
    alone = next(need for need in needs if need.way == "people")
    if cheapest.way == "people":
        return "; a judge of this quality saves nothing"
    if alone.need.n_human is None:
        return "; people alone could not find it among so few items"
    return f"; people alone would judge {alone.need.n_human:,}"


def _found_with(about: Assumptions, plans: Sequence[Plan], power: float) -> float | None:
    """The smallest difference that the best plan finds."""
    z = NormalDist().inv_cdf(0.975)
    reaches = [plan.half_width / z * find_reach(plan.way, about, plan.n_human, power) for plan in plans]
    return min(reaches, default=None)


def state_assumptions(
    rate: float, correlation: float, *, between: float | None = None, icc: float = 0.0, per_source: float = 1.0
) -> Assumptions:
    """Assumptions without a pilot. rate: share of yes (or win rate, or mean on the scale from 0 to 1), whose variance
    is at most rate (1 - rate); correlation: of people and judge. between: None for one mean; for the difference of two
    systems, the correlation of their answers about one sample, where the judge errs about each of the two by itself.

    Raises ValueError outside of the ranges.
    """
    if not 0 < rate < 1 or not -1 <= correlation <= 1 or not (between is None or -1 <= between < 1):
        raise ValueError("a rate is between 0 and 1, correlations are from -1 to 1 (between systems below 1)")
    if not 0 <= icc <= 1 or per_source < 1:
        raise ValueError("the share of variance between sources is from 0 to 1, and a source has at least 1 item")
    of_one = rate * (1 - rate)
    squared_error = 2 * of_one * (1 - correlation)
    if between is None:
        variance, shared = of_one, correlation
    else:
        variance, shared = 2 * of_one * (1 - between), correlate_differences(correlation, between)
        squared_error *= 2
    return Assumptions(
        variance=variance,
        correlation=shared,
        squared_error=max(1e-9, squared_error),
        icc=icc,
        rest_icc=icc,
        per_source=per_source,
    )

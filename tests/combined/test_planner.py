"""Plans: the squared errors are those of simulations, budgets are kept, and too small a budget is told."""

import numpy as np
import pytest
import scipy.stats

from epitome.combined.chances import draw_items, estimate_by_chance, share_out
from epitome.combined.estimates import estimate_combined, estimate_people
from epitome.combined.judged_items import JudgedItems, TooFew
from epitome.combined.planner import (
    Assumptions,
    Costs,
    assume_from,
    estimate_icc,
    find_need,
    follow_budgets,
    plan_budget,
    squared_error_of,
)

GOOD = Assumptions(variance=0.24, correlation=0.8, squared_error=0.1)


def test_without_a_use_of_the_judge_people_alone_are_as_good():
    bad = Assumptions(variance=0.24, correlation=0.0, squared_error=0.5)
    assert squared_error_of("combined", bad, 100, 1000) == squared_error_of("people", bad, 100, 1000) == 0.0024


def test_many_items_of_the_judge_gain_one_over_one_minus_r_squared():
    gain = squared_error_of("people", GOOD, 100, 1e9) / squared_error_of("combined", GOOD, 100, 1e9)
    assert gain == pytest.approx(1 / (1 - 0.8**2), rel=1e-6)


def test_items_of_one_source_cost_certainty():
    alike = Assumptions(variance=0.24, correlation=0.0, squared_error=0.5, icc=0.5, per_source=5)
    assert squared_error_of("people", alike, 100, 1000) == pytest.approx(0.0024 * 3)


def test_plans_keep_the_budget_and_people_are_the_dearest_way():
    plans = {plan.way: plan for plan in plan_budget(GOOD, Costs(human=1.0, judge=0.01), 120, 3000)}
    assert all(plan.cost <= 120 for plan in plans.values())
    assert plans["people"].n_human == 120
    assert plans["combined"].half_width < 0.75 * plans["people"].half_width
    assert plans["combined"].n_judged > plans["combined"].n_human


def test_a_dear_judge_is_asked_about_fewer_items():
    cheap, dear = (
        {plan.way: plan for plan in plan_budget(GOOD, Costs(human=1.0, judge=price), 120, 3000)}["combined"]
        for price in (0.001, 0.2)
    )
    assert dear.n_judged < cheap.n_judged
    assert dear.half_width > cheap.half_width


def test_a_curve_falls_with_the_budget():
    curve = list(follow_budgets(GOOD, Costs(1.0, 0.01), [50, 100, 200], 3000))
    widths = [plans[0].half_width for _budget, plans in curve]
    assert widths == sorted(widths, reverse=True)
    assert list(follow_budgets(GOOD, Costs(1.0), [1], 3000)) == [(1, [])]


def test_needed_items_find_the_difference_and_one_less_does_not():
    need = find_need("combined", GOOD, 0.1, 3000)
    for n, found in ((need.n_human, True), (need.n_human - 1, False)):
        reach = scipy.stats.t.ppf(0.975, n - 2) + scipy.stats.t.ppf(0.8, n - 2)
        assert (reach**2 * squared_error_of("combined", GOOD, n, 3000) <= 0.01) == found
    assert need.n_human < find_need("people", GOOD, 0.1, 3000).n_human


def test_a_difference_that_all_items_cannot_find_is_told():
    need = find_need("people", GOOD, 0.01, 300)
    assert need.n_human is None
    assert need.found == pytest.approx((1.967930 + 0.842797) * np.sqrt(0.24 / 300), rel=1e-4)  # t of 299
    with pytest.raises(ValueError, match="above 0"):
        find_need("people", GOOD, 0.0, 300)
    with pytest.raises(ValueError, match=r"between 0.5 and 1"):
        find_need("people", GOOD, 0.1, 300, power=0.4)


def test_a_judge_needs_some_sources_to_be_known():
    assert find_need("combined", GOOD, 0.9, 3000).n_human == 20
    assert find_need("people", GOOD, 0.9, 3000).n_human < 10


def test_the_planned_error_is_that_of_simulated_rounds():
    """Each round draws anew its items and who is asked; the judge errs on hard items, which it knows."""
    rng = np.random.default_rng(1)
    people, combined, active = [], [], []
    for seed in range(200):
        truth = (rng.uniform(size=400) < 0.6).astype(float)
        hard = (rng.uniform(size=400) < 0.3).astype(float)
        judge = np.where(rng.uniform(size=400) < np.where(hard, 0.4, 0.04), 1 - truth, truth)
        items = draw_items([0.2] * 400, seed)
        even = JudgedItems(_fill(truth, items), judge, np.full(400, 0.2), np.arange(400))
        people.append(estimate_people(even).value)
        combined.append(estimate_combined(even).value)
        chances = share_out(np.sqrt(np.where(hard, 0.4, 0.04)), 80)
        chosen = JudgedItems(_fill(truth, draw_items(chances, seed)), judge, chances, np.arange(400))
        active.append(estimate_by_chance(chosen).value)
    mean_square = 0.3 * 0.4 + 0.7 * 0.04
    ratio = (0.3 * np.sqrt(0.4) + 0.7 * np.sqrt(0.04)) ** 2 / mean_square
    rate = 0.6 * (1 - mean_square) + 0.4 * mean_square
    correlation = 0.24 * (1 - 2 * mean_square) / np.sqrt(0.24 * rate * (1 - rate))
    about = Assumptions(0.24, correlation, mean_square, ratio)
    for way, values in (("people", people), ("combined", combined), ("active", active)):
        assert np.std(values) == pytest.approx(np.sqrt(squared_error_of(way, about, 80, 400)), rel=0.17), way


def _fill(truth, asked):
    human = np.full(len(truth), np.nan)
    human[asked] = truth[asked]
    return human


def test_assumptions_from_a_pilot():
    rng = np.random.default_rng(2)
    truth = np.repeat((rng.uniform(size=30) < 0.5).astype(float), 2)
    judge = np.where(rng.uniform(size=60) < 0.9, truth, 1 - truth)
    about = assume_from(JudgedItems.of(truth.tolist(), judge.tolist(), [place // 2 for place in range(60)]))
    assert about.n_pilot == 60
    assert about.per_source == 2
    assert about.icc == pytest.approx(1.0)
    assert about.correlation == pytest.approx(np.corrcoef(truth, judge)[0, 1])
    assert about.squared_error == pytest.approx(np.mean(truth != judge))
    with pytest.raises(TooFew, match="at least 20"):
        assume_from(JudgedItems.of([1.0] * 5, [1.0] * 5))


def test_the_icc_of_independent_items_is_about_zero():
    rng = np.random.default_rng(4)
    assert estimate_icc(rng.uniform(size=600), np.arange(600) // 3) < 0.1
    assert estimate_icc(np.array([1.0, 0.0]), np.array([0, 1])) == 0.0

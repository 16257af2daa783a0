"""Plans in words: what a budget buys, and the plain no."""

import pytest

from epitome.combined.advice import Wish, advise_plan, state_assumptions
from epitome.combined.pilots import NoPilot, assume_from_rows
from epitome.combined.planner import Costs
from tests.combined.test_group_estimates import make_rows

ABOUT = state_assumptions(0.7, 0.8, between=0.2)


def advise(budget=100.0, total=3000, difference=0.1, about=ABOUT, judge=0.001):
    return advise_plan(about, Costs(0.2, judge), Wish(budget, "EUR", total, difference))


def test_the_variance_of_a_difference_of_two_systems():
    assert ABOUT.variance == pytest.approx(2 * 0.7 * 0.3 * 0.8)
    assert state_assumptions(0.7, 0.8).variance == pytest.approx(0.21)


def test_people_and_judge_correlate_less_in_differences_of_alike_systems():
    assert state_assumptions(0.7, 0.8).correlation == 0.8
    assert state_assumptions(0.7, 0.8, between=0.0).correlation == 0.8
    assert state_assumptions(0.7, 0.8, between=0.5).correlation == pytest.approx(0.8 * (0.5 / (1 - 0.64 * 0.5)) ** 0.5)
    # The judge errs about both texts: the squared error of a difference is twice that of an answer, however alike.
    assert state_assumptions(0.7, 0.8, between=0.5).squared_error == pytest.approx(2 * 2 * 0.21 * 0.2)


def test_a_budget_that_suffices_names_the_cheapest_way():
    advice = advise()
    by_way = {need.way: need for need in advice.needs}
    # (1.969 + 0.8430)^2 * 0.336 / 0.1^2 = 265.7, with Student's t of 265 degrees of freedom
    assert by_way["people"].need.n_human == 266
    assert by_way["people"].cost == pytest.approx(53.2)
    assert advice.answer.startswith("Yes. A difference of 0.1 with power 0.8 is found by people and judge: ")
    assert advice.answer.endswith("people alone would judge 266.")


def test_a_worthless_judge_is_not_recommended():
    advice = advise(about=state_assumptions(0.7, 0.0, between=0.2))
    assert "found by people only: 266" in advice.answer
    assert "saves nothing" in advice.answer


def test_a_budget_that_is_too_small_says_what_it_finds():
    answer = advise(budget=10).answer
    assert answer.startswith("No, not with 10.00 EUR.")
    assert "10.00 EUR find differences from 0." in answer


def test_no_budget_will_do_where_there_are_too_few_items():
    advice = advise(budget=1e9, total=200, difference=0.02)
    assert advice.answer.startswith("No. All 200 items judged by people find differences from 0.11")
    assert advice.unlimited == pytest.approx((1.959964 + 0.841621) ** 2 * 0.336 / 0.02**2, abs=1)
    assert all(need.cost is None for need in advice.needs)


def test_the_curve_narrows_with_the_budget():
    widths = [plans[0].half_width for _budget, plans in advise(budget=20).curve]
    assert widths == sorted(widths, reverse=True)


@pytest.mark.parametrize("changes", [{"budget": 0.0}, {"total": 1}, {"difference": 0}])
def test_what_cannot_be_planned_is_refused(changes):
    with pytest.raises((ValueError, ZeroDivisionError), match="above 0"):
        advise(**changes)


@pytest.mark.parametrize("numbers", [(0.0, 0.5), (0.5, 1.5), (1.0, 0.5)])
def test_assumptions_that_cannot_be_are_refused(numbers):
    with pytest.raises(ValueError, match="between 0 and 1"):
        state_assumptions(*numbers)


def test_a_pilot_of_rows():
    rows = make_rows(n_sources=200, asked=200)
    of_one = assume_from_rows(rows)
    # Around the systems' own rates .8, .55, .5: the mean of p (1 - p).
    assert of_one.variance == pytest.approx((0.16 + 0.2475 + 0.25) / 3, rel=0.1)
    of_two = assume_from_rows(rows, "fluent", ["alpha", "beta"])
    assert of_two.variance == pytest.approx(0.16 + 0.2475, rel=0.15)
    assert of_two.n_pilot == 400
    assert of_one.correlation == pytest.approx(0.8, abs=0.1)


@pytest.mark.parametrize(
    ("question", "systems", "words"),
    [
        ("topic", None, "choose a question with --question: fluent"),
        ("fluent", ["alpha", "delta"], "no system 'delta': there are alpha, beta, gamma"),
    ],
)
def test_a_pilot_that_does_not_say_what_to_plan(question, systems, words):
    with pytest.raises(NoPilot, match=words):
        assume_from_rows(make_rows(), question, systems)


def test_a_pilot_that_is_too_small():
    with pytest.raises(NoPilot, match="a pilot has at least 20"):
        assume_from_rows(make_rows(asked=3), "fluent", ["alpha", "beta"])

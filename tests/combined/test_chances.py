"""Unequal chances: they sum to the number wanted, draws respect them, and estimates have no bias."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epitome.combined.chances import draw_items, estimate_by_chance, estimate_weighted, fit_errors, share_out
from epitome.combined.estimates import estimate_people
from epitome.combined.judged_items import JudgedItems, TooFew


@given(
    sizes=st.lists(st.floats(0, 1e6), min_size=1, max_size=60),
    share=st.floats(0, 1),
    floor=st.floats(0.01, 0.5),
)
@settings(max_examples=200, deadline=None)
def test_chances_sum_to_the_number_and_keep_floor_and_ceiling(sizes, share, floor):
    number = int(np.ceil(floor * len(sizes)))
    n = number + round(share * (len(sizes) - number))
    chances = share_out(sizes, n, floor)
    assert chances.sum() == pytest.approx(n)
    assert (chances >= floor - 1e-12).all()
    assert (chances <= 1).all()


def test_beyond_floor_and_ceiling_chances_are_proportional():
    assert share_out([1, 2, 3, 100], 2, floor=0.01).tolist() == pytest.approx([1 / 6, 2 / 6, 3 / 6, 1])


@pytest.mark.parametrize(("n", "words"), [(5, "5 of 4 items"), (0, "0 of 4 items")])
def test_a_number_that_cannot_be_is_refused(n, words):
    with pytest.raises(ValueError, match=words):
        share_out([1, 1, 1, 1], n)


def test_each_item_is_drawn_with_its_chance_and_always_as_many():
    chances = share_out([1, 2, 3, 4, 10], 2, floor=0.05)
    drawn = [draw_items(chances, seed).tolist() for seed in range(1500)]
    assert {len(items) for items in drawn} == {2}
    shares = [np.mean([item in items for items in drawn]) for item in range(5)]
    assert shares == pytest.approx(chances.tolist(), abs=0.045)


def test_the_same_seed_draws_the_same():
    assert draw_items([0.5] * 10, 3).tolist() == draw_items([0.5] * 10, 3).tolist()
    assert draw_items([], 3).tolist() == []


def make_population(seed=2, total=400):
    """Items of which a third are hard for the judge, and it knows which."""
    rng = np.random.default_rng(seed)
    truth = (rng.uniform(size=total) < 0.6).astype(float)
    hard = rng.uniform(size=total) < 0.33
    wrong = rng.uniform(size=total) < np.where(hard, 0.5, 0.03)
    return truth, np.where(wrong, 1 - truth, truth), hard.astype(float)


@pytest.mark.parametrize("weight", [1.0, None])
def test_chosen_items_give_an_estimate_without_bias_and_with_less_spread(weight):
    truth, judge, hard = make_population()
    chances = share_out(np.where(hard, 0.7, 0.17), 80)
    uniform = np.full(400, 0.2)
    fields = {"chosen": [], "uniform": [], "people": []}
    for seed in range(150):
        for name, pi in (("chosen", chances), ("uniform", uniform)):
            human = np.full(400, np.nan)
            places = draw_items(pi, seed)
            human[places] = truth[places]
            items = JudgedItems(human, judge, pi, np.arange(400))
            fields[name].append(estimate_by_chance(items, weight=weight).value)
        fields["people"].append(estimate_people(items).value)
    assert np.mean(fields["chosen"]) == pytest.approx(truth.mean(), abs=0.012)
    assert np.std(fields["chosen"]) < np.std(fields["uniform"]) < np.std(fields["people"])


def test_the_weighted_mean_is_hajeks():
    items = JudgedItems.of([1, 0, 1, None], [0.5] * 4, None, [0.5, 1.0, 0.25, 0.5])
    assert estimate_weighted(items).value == pytest.approx((2 + 4) / (2 + 1 + 4))


def test_with_equal_chances_the_weighted_mean_is_that_of_people():
    items = JudgedItems.of([1, 0, 1, 1, None], [0.5] * 5)
    weighted, people = estimate_weighted(items), estimate_people(items)
    assert (weighted.value, weighted.error) == pytest.approx((people.value, people.error))


def test_the_worked_example_of_the_formula():
    """1/4 (1 + 0 + 1 + 0) + 1/4 ((1 - 1) / .5 + (1 - 0) / .5) + nothing for those not asked."""
    items = JudgedItems.of([1, 1, None, None, 0], [1, 0, 1, 0, 0], None, [0.5, 0.5, 0.5, 0.5, 0.5])
    assert estimate_by_chance(items).value == pytest.approx((2 + 2) / 5)


def test_the_model_of_errors_finds_the_hard_items():
    truth, judge, hard = make_population()
    model = fit_errors(hard[:100, None], truth[:100].tolist(), judge[:100].tolist())
    easy_error, hard_error = model.predict([[0.0], [1.0]])
    assert hard_error == pytest.approx(0.5, abs=0.15)
    assert easy_error < 0.12
    assert model.best_sizes([[1.0]])[0] == pytest.approx(np.sqrt(hard_error))
    with pytest.raises(TooFew, match="at least 20"):
        fit_errors([[0.0]] * 5, [1] * 5, [1] * 5)

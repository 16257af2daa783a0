"""Intervals beside the ends of the scale: as the printed formulas say, and right where few sources differ."""

from math import sqrt

import numpy as np
import pytest
from scipy import stats

from epitome.combined.chances import estimate_by_chance, estimate_weighted
from epitome.combined.estimates import estimate_combined, estimate_judge, estimate_people
from epitome.combined.intervals import bound_share
from epitome.combined.judged_items import JudgedItems
from tests.combined.outsider import find_inflation, share_interval


def draw_items(seed, *, sources=60, asked=30, rate=0.9, size=2, chance=None):
    """Yes or no about `size` items a source; people judge the first `asked` sources, the judge errs on a tenth."""
    rng = np.random.default_rng(seed)
    truth = (rng.uniform(size=sources * size) < rate).astype(float)
    judge = np.where(rng.uniform(size=len(truth)) < 0.9, truth, 1 - truth)
    labels = [place // size for place in range(len(truth))]
    human = [value if label < asked else None for value, label in zip(truth, labels, strict=True)]
    return JudgedItems.of(human, judge.tolist(), labels, chance)


@pytest.mark.parametrize("rate", [0.6, 0.9, 0.95])
@pytest.mark.parametrize("seed", range(4))
def test_both_intervals_are_those_of_the_printed_formulas(seed, rate):
    items = draw_items(seed, rate=rate)
    human = items.human[:60].reshape(30, 2)
    mean, k = human.mean(), 30
    of_people = (human - mean).sum(axis=1) / 60
    error = sqrt(of_people @ of_people * k / (k - 1))
    inflation = find_inflation(human, of_people, error, np.full(k, 1 / k), mean)
    people = estimate_people(items)
    assert (people.low, people.high) == pytest.approx(
        share_interval(mean, error, of_people, of_people, mean, k - 1, inflation)
    )
    judged = items.judge.reshape(60, 2)
    of_judge = np.concatenate(
        [(judged[:30] - judged[:30].mean()).sum(axis=1) / 60, -(judged[30:] - judged[30:].mean()).sum(axis=1) / 60]
    )
    padded = np.concatenate([of_people, np.zeros(30)])
    weight = min(1.0, max(0.0, padded @ of_judge / (of_judge @ of_judge)))
    both = estimate_combined(items)
    if not both.weight:
        assert both == people
        return
    sums = padded - weight * of_judge
    error = sqrt(sums @ sums * k / (k - 2))
    theta = mean - weight * (judged[:30].mean() - judged[30:].mean())
    expected = share_interval(theta, error, sums, padded, mean, k - 2, inflation)
    assert (both.value, both.error) == pytest.approx((theta, error))
    assert (both.low, both.high) == pytest.approx(expected)


def test_where_all_say_yes_the_interval_has_a_width():
    """None of 20 sources has a no: the share of those with one is below q = t^2 / (20 + t^2)."""
    items = JudgedItems.of([1] * 40 + [None] * 60, [1, 0] * 50, [place // 2 for place in range(100)])
    people = estimate_people(items)
    q = stats.t.ppf(0.975, 19) ** 2 / (20 + stats.t.ppf(0.975, 19) ** 2)
    assert (people.low, people.high) == pytest.approx((1 - q, 1.0)) and people.error == 0
    assert estimate_combined(items) == people  # nobody knows what the judge is worth
    assert estimate_weighted(items).low == pytest.approx(people.low)
    same = JudgedItems.of([0.0] * 20, [0.5] * 20, None, low=-1.0)
    difference = estimate_people(same)
    assert (difference.low, difference.high) == pytest.approx((-q, q)) and difference.p_value == 1.0
    constant = estimate_judge(JudgedItems.of([None] * 20, [1.0] * 20))
    assert constant.low == pytest.approx(1 - q) and constant.high == 1.0


def test_a_judge_is_not_believed_where_people_differ_in_two_sources():
    human = [0, 0] + [1] * 28 + [None] * 100
    judge = [0, 0] + [1] * 28 + [1] * 80 + [0] * 20
    items = JudgedItems.of(human, judge)
    assert estimate_combined(items).weight == 0 and estimate_people(items).deviating < 3
    third = JudgedItems.of([0, 0, 0, *human[3:]], [0, 0, 0, *judge[3:]])
    assert estimate_combined(third).weight > 0 and estimate_people(third).deviating >= 3


def test_the_interval_and_the_p_value_of_wins_agree():
    """An even share lies outside the interval just where p is below .05."""
    for wins in range(30, 61):
        items = JudgedItems.of([1] * wins + [0] * (60 - wins), [0.5] * 60, [place % 30 for place in range(60)])
        people = estimate_people(items, null=0.5)
        assert (people.low > 0.5) == (people.p_value < 0.05), wins


@pytest.mark.parametrize("value", [-0.1, 0.0, 0.02, 0.5, 1.0, 1.2])
def test_an_interval_stays_on_its_scale(value):
    low, high = bound_share(value, 30, 2.0)
    assert 0 <= low <= min(1, max(0, value)) <= high <= 1 and high - low > 0.05


@pytest.mark.parametrize(("rate", "size"), [(0.65, 1), (0.65, 2), (0.95, 1), (0.95, 2), (0.98, 2)])
def test_the_truth_is_in_the_interval_beside_the_end_too(rate, size):
    """Seeded, 1,000 rounds of 30 sources each; the whole simulation is a command of its own."""
    array = np.zeros((1000, 2))
    for seed in range(len(array)):
        items = draw_items(seed, sources=120, rate=rate, size=size)
        for place, item in enumerate((estimate_people(items), estimate_combined(items))):
            array[seed, place] = item.low <= rate <= item.high
    assert (array.mean(axis=0) >= 0.92).all(), array.mean(axis=0)


def test_chosen_items_have_the_interval_of_their_effective_number():
    rng = np.random.default_rng(8)
    chance = np.where(rng.uniform(size=200) < 0.5, 0.2, 0.6)
    items = draw_items(5, sources=200, asked=0, size=1, rate=0.93, chance=chance.tolist())
    drawn = rng.uniform(size=200) < chance
    truth = (rng.uniform(size=200) < 0.93).astype(float)
    items = JudgedItems(np.where(drawn, truth, np.nan), items.judge, items.chance, items.sources)
    weighted = estimate_weighted(items)
    inverse = 1 / chance[drawn]
    shares, values = inverse / inverse.sum(), truth[drawn]
    mean = shares @ values
    result = shares * (values - mean)
    error = sqrt(result @ result * len(result) / (len(result) - 1))
    expected = share_interval(mean, error, result, result, mean, len(result) - 1, 1.0)
    assert (weighted.low, weighted.high) == pytest.approx(expected)
    assert estimate_by_chance(items, weight=None).high <= 1

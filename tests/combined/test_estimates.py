"""Combined estimates: worked examples, agreement with the papers' formulas, and what a bad judge must not do."""

import numpy as np
import pytest

from epitome.combined.estimates import (
    estimate_combined,
    estimate_judge,
    estimate_people,
    holm_estimates,
    replicate_estimates,
)
from epitome.combined.intervals import two_sided_p
from epitome.combined.judged_items import JudgedItems, TooFew, subtract_systems


def make_items(n=40, rest=160, accuracy=0.8, seed=1, sources=None, rate=0.6):
    rng = np.random.default_rng(seed)
    total = n + rest
    truth = (rng.uniform(size=total) < rate).astype(float)
    judge = np.where(rng.uniform(size=total) < accuracy, truth, 1 - truth)
    human = [value if place < n else None for place, value in enumerate(truth)]
    return JudgedItems.of(human, judge.tolist(), sources), truth


def test_a_worked_example():
    """H = 1 1 0 0 with G = 1 1 0 1, and G = 1 0 0 0 on four more."""
    items = JudgedItems.of([1, 1, 0, 0, None, None, None, None], [1, 1, 0, 1, 1, 0, 0, 0])
    human, judged, alone = np.array([1, 1, 0, 0]), np.array([1, 1, 0, 1]), np.array([1, 0, 0, 0])
    covariance = ((human - 0.5) * (judged - 0.75)).sum() / 16
    spread = ((judged - 0.75) ** 2).sum() / 16 + ((alone - 0.25) ** 2).sum() / 16
    weight = covariance / spread
    combined = estimate_combined(items)
    if combined.weight:  # the judge may not pay on so few
        assert combined.weight == pytest.approx(weight)
        assert combined.value == pytest.approx(0.5 - weight * (0.75 - 0.25))
    assert estimate_people(items).value == 0.5
    assert estimate_people(items).error == pytest.approx(np.std(human, ddof=1) / 2)


def test_the_weight_is_that_of_the_paper_where_every_item_is_a_source():
    items, _truth = make_items(200, 800)
    is_human = items.is_human
    human, judged, alone = items.human[is_human], items.judge[is_human], items.judge[~is_human]
    n, rest = len(human), len(alone)
    covariance = np.mean((human - human.mean()) * (judged - judged.mean()))
    pooled = judged.var() / n + alone.var() / rest
    assert estimate_combined(items).weight == pytest.approx(covariance / n / pooled)
    # PPI++ divides by (1 + n / N) times one variance of G: equal up to the difference of the two variances.
    assert estimate_combined(items).weight == pytest.approx(covariance / ((1 + n / rest) * items.judge.var()), rel=0.1)


def test_a_perfect_judge_makes_all_items_count():
    items, truth = make_items(50, 450, accuracy=1.0)
    combined = estimate_combined(items)
    assert combined.weight == pytest.approx(0.9, abs=0.1)
    assert combined.effective_n == pytest.approx(500, rel=0.15)
    assert combined.value == pytest.approx(truth.mean(), abs=0.02)


def test_a_judge_that_says_nothing_changes_nothing():
    rng = np.random.default_rng(5)
    human = (rng.uniform(size=60) < 0.5).astype(float).tolist()
    constant = JudgedItems.of([*human, *[None] * 100], [0.5] * 160)
    assert estimate_combined(constant) == estimate_people(constant)


@pytest.mark.parametrize("seed", range(20))
def test_a_judge_never_makes_the_interval_wider(seed):
    items, _truth = make_items(30, 70, accuracy=0.5, seed=seed)
    assert estimate_combined(items).width <= estimate_people(items).width


def test_a_judge_with_a_strong_bias_does_not_move_the_estimate():
    """The judge says yes far too often; over many draws of who is asked, the combined mean is that of the people."""
    rng = np.random.default_rng(3)
    truth = (rng.uniform(size=600) < 0.3).astype(float)
    judge = np.maximum(truth, rng.uniform(size=600) < 0.5).astype(float)
    combined, people = [], []
    for _draw in range(400):
        array = np.zeros(600, bool)
        array[rng.permutation(600)[:100]] = True
        items = JudgedItems(np.where(array, truth, np.nan), judge, np.full(600, 1 / 6), np.arange(600))
        combined.append(estimate_combined(items).value)
        people.append(estimate_people(items).value)
    assert judge.mean() > truth.mean() + 0.25
    assert np.mean(combined) == pytest.approx(truth.mean(), abs=0.006)
    assert np.std(combined) < np.std(people)


def test_items_of_one_source_count_as_one():
    values = [0.0, 1.0, 1.0, 0.0, 1.0]
    alone = estimate_people(JudgedItems.of(values, [0.5] * 5))
    twice = estimate_people(JudgedItems.of(values * 3, [0.5] * 15, [*"abcde"] * 3))
    assert (twice.value, twice.error, twice.low, twice.high) == pytest.approx(
        (alone.value, alone.error, alone.low, alone.high)
    )
    assert twice.sources == alone.sources == 5


def test_the_bootstrap_of_whole_sources_agrees_with_the_formula():
    items, _truth = make_items(120, 480, sources=[f"s{place % 60}" for place in range(600)])
    combined = estimate_combined(items)
    spread = np.nanstd(replicate_estimates(items, 400, seed=1))
    assert spread == pytest.approx(combined.error, rel=0.15)


def test_differences_of_two_systems():
    first = JudgedItems.of([1, 1, 1, None], [1, 1, 0, 1], [*"abcd"])
    second = JudgedItems.of([0, 1, 0, None], [0, 1, 0, 0], [*"abcd"])
    difference = subtract_systems(first, second)
    assert difference.human[:3].tolist() == [1, 0, 1]
    assert (difference.low, difference.high) == (-1, 1)
    assert estimate_people(difference).value == pytest.approx(2 / 3)
    with pytest.raises(ValueError, match="same items"):
        subtract_systems(first, JudgedItems.of([0, 1, 0, None], [0, 1, 0, 0], [*"abcc"]))


def test_too_few_sources_are_refused():
    with pytest.raises(TooFew, match="2 sources with people's judgements: at least 3"):
        estimate_people(JudgedItems.of([1, 0, None], [1, 0, 1]))
    with pytest.raises(TooFew, match="at least 3"):
        estimate_judge(JudgedItems.of([1, 0], [1, 0]))


@pytest.mark.parametrize(
    ("human", "judge", "chance", "words"),
    [
        ([1, 2], [0, 1], None, "a human value is 2.0: the scale goes from 0.0 to 1.0"),
        ([1, None], [0, float("nan")], None, "a judge value is nan"),
        ([1], [0, 1], None, "1 human and 2 judge values"),
        ([1, None], [0, 1], [0.5, 0.0], "a chance is not above 0"),
    ],
)
def test_what_cannot_be_is_refused(human, judge, chance, words):
    with pytest.raises(ValueError, match=words):
        JudgedItems.of(human, judge, None, chance)


def test_p_values_are_those_of_student(t=2.0, freedom=10):
    from scipy import stats

    assert two_sided_p(t, 1.0, freedom) == pytest.approx(2 * stats.t.sf(t, freedom))
    assert two_sided_p(0.0, 0.0, freedom) == 1.0
    assert two_sided_p(0.1, 0.0, freedom) == 0.0
    items, _truth = make_items()
    assert holm_estimates([estimate_people(items, null=0.6)] * 3)[0] == pytest.approx(
        min(1, 3 * estimate_people(items, null=0.6).p_value)
    )

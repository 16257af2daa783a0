"""Confidence sequences: they cover at every look, shrink, and reject what is wrong; worked bets by hand."""

from itertools import pairwise

import numpy as np
import pytest

from epitome.combined.sequences import (
    Scale,
    bound_judge,
    follow_combined,
    follow_mean,
    follow_preference,
)


def test_the_first_bet_by_hand():
    """Nothing is known at first: the variance is 1/4, so the stake is min(sqrt(2 ln 40 / (1/4 ln 2)), 3/4 / m)."""
    (look,) = follow_mean([1.0], null=0.5)
    up, down = 1 + 1.5 * 0.5, 1 - 1.5 * 0.5  # at m = 1/2, c / m is 3/2
    assert look.evidence == pytest.approx(max(1.0, (up + down) / 2))
    assert (look.low, look.high) == (0.0, 1.0)


def test_the_intervals_shrink_round_the_mean():
    rng = np.random.default_rng(1)
    looks = list(follow_mean((rng.uniform(size=400) < 0.8).astype(float).tolist()))
    widths = [look.width for look in looks]
    assert all(later <= earlier + 1e-12 for earlier, later in pairwise(widths))
    assert looks[-1].low < 0.8 < looks[-1].high
    assert widths[-1] < 0.17
    assert looks[-1].rejects


def test_values_on_another_scale():
    values = [-1.0, 0.0, 1.0, 1.0] * 20
    looks = list(follow_mean(values, Scale(-1.0, 1.0)))
    on_unit = list(follow_mean([(value + 1) / 2 for value in values]))
    assert looks[-1].low == pytest.approx(2 * on_unit[-1].low - 1)
    assert looks[-1].evidence == pytest.approx(on_unit[-1].evidence)
    with pytest.raises(ValueError, match=r"a value is 2\.0: the scale goes from -1\.0 to 1\.0"):
        list(follow_mean([2.0], Scale(-1.0, 1.0)))


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
def test_the_true_mean_is_inside_at_all_looks(rate):
    rng = np.random.default_rng(7)
    missed = 0
    for _replay in range(50):
        values = (rng.uniform(size=80) < rate).astype(float).tolist()
        missed += any(not look.low <= rate <= look.high for look in follow_mean(values))
    assert missed <= 7  # 2.5 expected at most; 8 or more has a chance of .004


def test_looking_after_every_source_does_not_find_differences_that_are_not_there():
    rng = np.random.default_rng(11)
    number = 0
    for _replay in range(60):
        outcomes = rng.choice([0.0, 0.5, 1.0], p=[0.4, 0.2, 0.4], size=100).tolist()
        number += any(look.rejects for look in follow_preference(outcomes))
    assert number <= 8


def test_evidence_against_a_range_is_that_against_its_likeliest_value():
    values = [1.0, 1.0, 0.0, 1.0] * 30
    of_range = list(follow_mean(values, null=(0.3, 0.5)))[-1].evidence
    assert of_range == pytest.approx(list(follow_mean(values, null=0.5))[-1].evidence)
    assert of_range < list(follow_mean(values, null=0.3))[-1].evidence


def make_sources(rng, n, accuracy, rate=0.65):
    truth = (rng.uniform(size=(n, 4)) < rate).astype(float)
    judge = np.where(rng.uniform(size=(n, 4)) < accuracy, truth, 1 - truth)
    return truth.mean(axis=1), judge.mean(axis=1)


def test_a_good_judge_narrows_the_sequence_of_a_pool():
    rng = np.random.default_rng(3)
    human, judge = make_sources(rng, 1500, 0.95)
    known = (judge.mean(), judge.mean())
    combined = list(follow_combined(human[:600].tolist(), judge[:600].tolist(), known, 0.9, pool=1500))
    people = list(follow_mean(human[:600].tolist(), pool=1500))
    assert combined[-1].width < 0.8 * people[-1].width
    assert combined[-1].low < human.mean() < combined[-1].high


def test_a_pool_that_was_seen_whole_is_known():
    values = [1.0, 0.0, 0.0, 1.0, 1.0] * 20
    looks = list(follow_mean(values, pool=100))
    assert looks[-1].low == pytest.approx(0.6, abs=0.02)
    assert looks[-1].high == pytest.approx(0.6, abs=0.02)
    with pytest.raises(ValueError, match="the pool has 100 values"):
        list(follow_mean([*values, 1.0], pool=100))


def test_the_mean_of_a_pool_is_inside_at_all_looks():
    rng = np.random.default_rng(9)
    missed = 0
    for _replay in range(50):
        values = (rng.uniform(size=60) < 0.5).astype(float)
        missed += any(not look.low <= values.mean() <= look.high for look in follow_mean(values.tolist(), pool=60))
    assert missed <= 7


def test_the_combined_sequence_covers_with_a_biased_judge():
    rng = np.random.default_rng(5)
    missed = 0
    for _replay in range(25):
        human, judge = make_sources(rng, 60, 0.9)
        judge = np.minimum(1.0, judge + 0.2)
        _unseen, alone = make_sources(rng, 300, 0.9)
        bounds = bound_judge(np.minimum(1.0, alone + 0.2).tolist())
        looks = follow_combined(human.tolist(), judge.tolist(), bounds, 0.8)
        missed += any(not look.low <= 0.65 <= look.high for look in looks)
    assert missed <= 4


def test_a_weight_of_zero_is_people_alone_at_a_stricter_level():
    values = [1.0, 0.0, 1.0, 1.0] * 15
    combined = list(follow_combined(values, values, (0.0, 1.0), 0.0))[-1]
    people = list(follow_mean(values, level=1 - 0.05 * 4 / 5))[-1]
    assert (combined.low, combined.high, combined.evidence) == pytest.approx((people.low, people.high, people.evidence))


def test_no_unseen_items_bound_nothing():
    assert bound_judge([]) == (0.0, 1.0)

"""Intervals where one answer is common: those of a bootstrap alone hold the truth in .5 to .8 of rounds."""

import numpy as np
import pytest

from epitome.agreement.design_effect import estimate_share
from epitome.agreement.intervals import estimate_statistics
from epitome.agreement.report import build_statistics
from epitome.agreement.table import Ratings

NAMES = ("percent", "cohen_kappa", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1")
KAPPA = 0.6


def make_ratings(counts):
    """Two raters with so many items of both yes, only the first yes, only the second yes, both no."""
    first = np.repeat([1, 1, 0, 0], counts)
    second = np.repeat([1, 0, 1, 0], counts)
    units = np.arange(len(first))
    answers = np.concatenate([first, second]).astype(np.int64)
    raters = np.repeat([0, 1], len(first))
    return Ratings(np.tile(units, 2), raters, answers, ("no", "yes"), units, 2)


def expect_values(cells):
    estimates = estimate_statistics(build_statistics(make_ratings(cells)), np.arange(sum(cells)), replicates=1)
    return {name: float(estimates[name].value) for name in NAMES}


@pytest.mark.parametrize(("n", "rate"), [(20, 0.9), (30, 0.95)])
def test_intervals_hold_the_truth_where_one_answer_is_common(n, rate):
    off = (1 - KAPPA) * rate * (1 - rate)
    cells = [rate - off, off, off, 1 - rate - off]
    truth = expect_values([round(100_000 * cell) for cell in cells])
    held = {name: [] for name in NAMES}
    for counts in np.random.default_rng(1).multinomial(n, cells, size=150):
        ratings = make_ratings(counts)
        for name, estimate in estimate_statistics(build_statistics(ratings), ratings.clusters, replicates=200).items():
            if name in NAMES and estimate.value.defined:
                interval = estimate.interval
                held[name].append(interval.low - 1e-9 <= truth[name] <= interval.high + 1e-9)
    assert {name: np.mean(values) >= 0.9 for name, values in held.items()} == dict.fromkeys(NAMES, True), held


def test_perfect_agreement_has_wilsons_interval_put_through_the_coefficient():
    ratings = make_ratings([18, 0, 0, 2])
    estimates = estimate_statistics(build_statistics(ratings), ratings.clusters, replicates=200)
    low = 20 / (20 + 1.959964**2)  # Wilson's lower end of 20 of 20
    assert estimates["percent"].interval.low == pytest.approx(low, abs=1e-5)
    assert estimates["gwet_ac1"].interval.low == pytest.approx(1 - (1 - low) / (1 - 2 * 0.9 * 0.1), abs=1e-5)
    assert estimates["cohen_kappa"].interval.low == pytest.approx(1 - (1 - low) / (2 * 0.9 * 0.1), abs=1e-5)
    assert estimates["pabak"].interval.low == pytest.approx(2 * low - 1, abs=1e-5)
    assert {estimates[name].interval.high for name in (*NAMES, "pabak")} == {1.0}


def test_three_raters_widen_the_mean_over_pairs_too():
    answers = np.ones((20, 3), dtype=np.int64)
    answers[0, :] = 0
    units, raters = np.repeat(np.arange(20), 3), np.tile(np.arange(3), 20)
    ratings = Ratings(units, raters, answers.ravel(), ("no", "yes"), np.arange(20), 3)
    estimates = estimate_statistics(build_statistics(ratings), ratings.clusters, replicates=200)
    for name in ("percent", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1", "cohen_kappa_pairs_mean"):
        assert estimates[name].interval.low < 0.9 and estimates[name].interval.high == 1, name


def test_where_many_disagree_the_bootstrap_stands():
    ratings = make_ratings([30, 10, 10, 10])
    statistics = build_statistics(ratings)
    alone = {name: type(one)(one.rows, one.finish) for name, one in statistics.items()}
    ours, plain = (estimate_statistics(them, ratings.clusters, replicates=200) for them in (statistics, alone))
    assert {name: ours[name].interval for name in NAMES} == {name: plain[name].interval for name in NAMES}


def test_a_share_of_ties_takes_halves():
    share = estimate_share([1, 0.5, 0.5, 0], list("abcd"))
    assert float(share.value) == 0.5 and (share.interval.low, share.interval.high) == pytest.approx(
        (0.15, 0.85), abs=0.01
    )
    with pytest.raises(ValueError, match="from 0 to 1"):
        estimate_share([2.0], ["a"])

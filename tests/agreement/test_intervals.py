"""Bootstrap intervals against a slow loop that draws items itself, and by how often they cover the truth."""

import krippendorff
import numpy as np
import pytest

from epitome.agreement.alpha import alpha_statistic, ordinal_alpha_statistic
from epitome.agreement.design_effect import estimate_share
from epitome.agreement.effective_number import effective_numbers
from epitome.agreement.fleiss import fleiss_statistic
from epitome.agreement.gwet import gwet_ac1, gwet_statistic
from epitome.agreement.intervals import (
    Statistic,
    draw_resamples,
    estimate_statistics,
    expanded_level,
    interval_of,
    sum_by_cluster,
    wilson_interval,
)
from epitome.agreement.kappa import kappa_statistic, pairs_mean_statistic
from epitome.agreement.percent import percent_statistic
from epitome.agreement.rates import yes_rates
from epitome.agreement.scales import disagreement_matrix
from epitome.agreement.table import Ratings, ratings_of_rows
from epitome.measures.values import Value

REPLICATES, SEED = 200, 7
APART = disagreement_matrix("nominal", 3)


def noisy_answers(rng, n_items, raters=2, labels=3, right=0.7):
    truth = rng.integers(0, labels, size=(n_items, 1))
    return np.where(rng.random((n_items, raters)) < right, truth, rng.integers(0, labels, size=(n_items, raters)))


def drawn_items(n_items):
    """The items of each replicate, one by one: what `resamples` drew, as lists of items."""
    for block in draw_resamples(n_items, REPLICATES, SEED):
        for times in block:
            yield np.repeat(np.arange(n_items), times.astype(int))


def counts_of(table, labels=3):
    return np.stack([(table == answer).sum(axis=1) for answer in range(labels)], axis=1)


@pytest.fixture
def table():
    return noisy_answers(np.random.default_rng(3), 40)


def middle(values, n_clusters=40):
    """The expanded percentile interval, written out with scipy's distributions."""
    from scipy.stats import norm, t

    tail = norm.cdf(-np.sqrt(n_clusters / (n_clusters - 1)) * t.ppf(0.975, n_clusters - 1))
    return np.percentile(values, [100 * tail, 100 * (1 - tail)])


def interval(parts, n_items):
    other_interval = estimate_statistics({"it": parts}, np.arange(n_items), replicates=REPLICATES, seed=SEED)[
        "it"
    ].interval
    return [other_interval.low, other_interval.high]


@pytest.mark.parametrize("weights", ["nominal", "linear"])
def test_kappa_interval_is_that_of_a_slow_loop(table, weights):
    from sklearn.metrics import cohen_kappa_score

    result = None if weights == "nominal" else weights
    slow = [cohen_kappa_score(*table[items].T, weights=result, labels=[0, 1, 2]) for items in drawn_items(len(table))]
    outcome = kappa_statistic(*table.T, disagreement_matrix(weights, 3))
    assert interval(outcome, len(table)) == pytest.approx(middle(slow), abs=1e-9)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alpha_interval_is_that_of_a_slow_loop(table, level):
    counts = counts_of(table)
    counts[0], counts[1] = [1, 0, 0], [0, 2, 1]  # rated once, rated three times
    slow = [
        krippendorff.alpha(value_counts=counts[items], value_domain=[0, 1, 2], level_of_measurement=level)
        for items in drawn_items(len(table))
    ]
    square = disagreement_matrix("quadratic", 3)
    result = (
        ordinal_alpha_statistic(counts)
        if level == "ordinal"
        else alpha_statistic(counts, APART if level == "nominal" else square)
    )
    assert interval(result, len(table)) == pytest.approx(middle(slow), abs=1e-9)


def test_ac1_interval_is_that_of_a_slow_loop(table):
    slow = [float(gwet_ac1(counts_of(table[items]))) for items in drawn_items(len(table))]
    assert interval(gwet_statistic(counts_of(table), APART), len(table)) == pytest.approx(middle(slow), abs=1e-9)


def test_whole_items_are_drawn_when_an_item_has_several_questions():
    rng = np.random.default_rng(5)
    table = np.repeat(noisy_answers(rng, 30), 3, axis=0)  # three questions answered alike: no news in two of them
    clusters = np.repeat(np.arange(30), 3)
    fields = {"it": fleiss_statistic(counts_of(table), APART)}
    together = estimate_statistics(fields, clusters, replicates=REPLICATES, seed=SEED)["it"]
    once = estimate_statistics(
        {"it": fleiss_statistic(counts_of(table[::3]), APART)}, np.arange(30), replicates=REPLICATES, seed=SEED
    )
    assert together.interval.low == pytest.approx(once["it"].interval.low, abs=1e-9)
    assert together.interval.high == pytest.approx(once["it"].interval.high, abs=1e-9)
    apart = estimate_statistics(fields, np.arange(90), replicates=REPLICATES, seed=SEED)["it"].interval
    assert apart.high - apart.low < 0.75 * (together.interval.high - together.interval.low)


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    rng = np.random.default_rng(11)
    # Two raters, each right with .7 or guessing among 2: they agree with chance .7^2 + (1 - .7^2) / 2.
    truth, covered, rounds = 0.745, 0, 120
    for _ in range(rounds):
        counts = counts_of(noisy_answers(rng, 80, labels=2), labels=2)
        other_interval = estimate_statistics({"it": percent_statistic(counts)}, np.arange(80), replicates=300, seed=1)[
            "it"
        ].interval
        covered += other_interval.low <= truth <= other_interval.high
    assert 0.89 <= covered / rounds <= 0.99


def simulated_rates(rng, n_sources, items, spread):
    """Two raters' shares of yes about items whose sources differ: log-odds of .7, normal with this spread."""
    chance = 1 / (1 + np.exp(-(np.log(0.7 / 0.3) + spread * rng.standard_normal(n_sources))))
    result = (rng.random((n_sources, items, 2)) < chance[:, None, None]).astype(np.int64)
    units = np.repeat(np.arange(n_sources * items), 2)
    raters = np.tile([0, 1], n_sources * items)
    clusters = np.repeat(np.arange(n_sources), items)
    ratings = Ratings(units, raters, result.reshape(-1), ("no", "yes"), clusters, 2)
    return yes_rates(ratings, ("one", "two"))


def covered_shares(n_sources, items, spread, rounds=400):
    """How often the intervals of the pooled share and of one rater's share hold the true share."""
    rng = np.random.default_rng(2)
    truth = (1 / (1 + np.exp(-(np.log(0.7 / 0.3) + spread * rng.standard_normal(1_000_000))))).mean()
    results = [simulated_rates(rng, n_sources, items, spread) for _round in range(rounds)]
    estimates = [[item.pooled.interval for item in results], [item.raters["one"].interval for item in results]]
    return [
        np.mean([other_interval.low <= truth <= other_interval.high for other_interval in intervals])
        for intervals in estimates
    ]


@pytest.mark.parametrize(("n_sources", "items"), [(10, 2), (15, 4)])
def test_intervals_of_few_sources_cover(n_sources, items):
    for share in covered_shares(n_sources, items, 1.0, rounds=1000):
        assert 0.92 <= share <= 0.98


def test_one_raters_interval_covers_where_items_share_their_source(monkeypatch):
    assert 0.92 <= covered_shares(30, 6, 2.0)[1] <= 0.98
    plain = "epitome.agreement.rates.effective_numbers"
    monkeypatch.setattr(plain, lambda groups, clusters, flags, n_groups: np.bincount(groups).astype(float))
    assert covered_shares(30, 6, 2.0)[1] < 0.85  # Wilson's own interval takes items as independent


def test_the_expanded_level_is_that_of_hesterberg():
    # n 10: sqrt(10 / 9) x 2.262 = 2.385 standard errors; n 1000: nearly the normal 1.96.
    assert expanded_level(10) == pytest.approx(1 - 2 * 0.00855, abs=2e-4)
    assert expanded_level(1000) == pytest.approx(0.9505, abs=2e-4)
    assert expanded_level(2) < 1
    assert interval_of(np.array([0.2, 0.4]), 1).undefined == "only one item, so nothing to draw from"


def test_the_effective_number_is_that_of_the_answers_where_each_has_its_own_source():
    flags = np.array([1.0, 1, 1, 0, 0, 0])
    array = np.zeros(6, dtype=int)
    assert effective_numbers(array, np.arange(6), flags, 1).tolist() == [6]
    assert effective_numbers(array, np.array([0, 0, 0, 1, 1, 1]), flags, 1)[0] == pytest.approx(
        1.2
    )  # sources decide all
    assert effective_numbers(array, np.array([0, 1, 2, 0, 1, 2]), flags, 1).tolist() == [6]  # less than chance: no gain
    alike = effective_numbers(np.array([0, 0, 0, 2, 2, 2]), np.array([0, 0, 1, 0, 1, 2]), np.ones(6), 3)
    assert alike.tolist() == [9 / 5, 0, 3]
    share = estimate_share([True] * 5 + [False], list("abcdef"))
    assert (share.interval.low, share.interval.high) == pytest.approx(
        (wilson_interval(5, 6).low, wilson_interval(5, 6).high)
    )


def test_undefined_replicates_are_left_out_and_counted():
    # One item of twelve differs: a replicate without it has one answer only, about (11/12)^12 = .35 of them.
    first = np.array([1] + [0] * 11)
    it = estimate_statistics(
        {"it": kappa_statistic(first, first, disagreement_matrix("nominal", 2))}, np.arange(12), seed=2
    )["it"]
    assert it.value == Value.of(1)
    assert 280 <= it.interval.left_out <= 430
    # The replicates say [1, 1]; Wilson's of 12 of 12 agreeing is [.757, 1], and chance agreement 1 - 22/144.
    assert (it.interval.low, it.interval.high) == (pytest.approx(1 - 0.24249 / (22 / 144), abs=1e-4), 1)


def test_no_interval_where_most_replicates_are_undefined():
    other_interval = interval_of(np.array([np.nan] * 6 + [0.5] * 4), 30)
    assert (other_interval.low, other_interval.high, other_interval.left_out) == (None, None, 6)
    assert other_interval.undefined == "the statistic is undefined in 6 of 10 bootstrap replicates"


def test_one_item_has_a_value_and_no_interval():
    it = estimate_statistics({"it": percent_statistic(np.array([[2, 0]]))}, np.zeros(1, dtype=int))["it"]
    assert it.value == Value.of(1)
    assert it.interval.low is None and "only one item" in it.interval.undefined


def test_the_seed_decides_and_the_size_of_the_blocks_does_not(table, monkeypatch):
    result = kappa_statistic(*table.T, APART)
    state_before = interval(result, len(table))
    assert interval(result, len(table)) == state_before
    monkeypatch.setattr("epitome.agreement.intervals.BLOCK", 100)
    assert interval(result, len(table)) == pytest.approx(state_before, abs=1e-12)
    other = estimate_statistics({"it": result}, np.arange(len(table)), replicates=REPLICATES, seed=SEED + 1)[
        "it"
    ].interval
    assert [other.low, other.high] != state_before


def test_mean_over_pairs_is_the_mean_of_the_pairs():
    from sklearn.metrics import cohen_kappa_score

    table = noisy_answers(np.random.default_rng(4), 50, raters=3)
    result = pairs_mean_statistic(ratings_of_rows(table.tolist()), APART)
    pairs = [(i, j) for i in range(3) for j in range(i)]
    expected = np.mean([cohen_kappa_score(table[:, i], table[:, j]) for i, j in pairs])
    assert float(result.value()) == pytest.approx(expected, abs=1e-12)
    slow = [
        np.mean([cohen_kappa_score(table[items, i], table[items, j]) for i, j in pairs])
        for items in drawn_items(len(table))
    ]
    assert interval(result, len(table)) == pytest.approx(middle(slow, 50), abs=1e-9)


@pytest.mark.parametrize(("yes", "n"), [(0, 10), (3, 10), (10, 10), (25, 30), (1, 1)])
def test_wilson_is_that_of_statsmodels(yes, n):
    from statsmodels.stats.proportion import proportion_confint

    result = wilson_interval(yes, n)
    assert [result.low, result.high] == pytest.approx(proportion_confint(yes, n, method="wilson"), abs=1e-9)


def test_rows_are_added_up_by_cluster():
    rows = np.array([[1.0, 2], [3, 4], [5, 6]])
    assert sum_by_cluster(rows, np.array([1, 0, 1]), 2).tolist() == [[3, 4], [6, 8]]


@pytest.mark.parametrize("wrong", [{"replicates": 0}, {"level": 1.0}])
def test_unusable_numbers_are_refused(wrong):
    fields = {"it": Statistic(np.ones((2, 1)), lambda sums: sums[..., 0])}
    with pytest.raises(ValueError, match="give a"):
        estimate_statistics(fields, np.arange(2), **wrong)

"""Intervals: against scipy with the same draws, against exact distributions worked by hand, and by their coverage."""

import numpy as np
import pytest

from epitome.measures import Signature, Value
from epitome.metrics import bootstrap
from epitome.metrics.aggregate import aggregate_values
from epitome.metrics.bootstrap import cluster_bootstrap, difference_bootstrap, ratio_bootstrap

# Efron and Tibshirani (1993), table 2.1: survival of treated and control mice, in days.
TREATED = [94.0, 197.0, 16.0, 38.0, 99.0, 141.0, 23.0]
CONTROL = [52.0, 104.0, 146.0, 10.0, 51.0, 30.0, 40.0, 27.0, 46.0]


def of_scipy(data, statistic, replicates=2000, seed=7, level=0.9):
    from scipy.stats import bootstrap as scipy_bootstrap

    result = scipy_bootstrap(
        data,
        statistic,
        n_resamples=replicates,
        rng=np.random.default_rng(seed),
        confidence_level=level,
        method="percentile",
        vectorized=True,
    )
    return result.confidence_interval


def test_the_mean_has_the_interval_of_scipy_from_the_same_seed():
    values = np.random.default_rng(1).gamma(2, size=60).tolist()

    ours = cluster_bootstrap(values, replicates=2000, seed=7, level=0.9)

    theirs = of_scipy((values,), np.mean)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_clusters_have_the_interval_of_scipy_drawing_clusters():
    rng = np.random.default_rng(2)
    clusters = rng.permutation(np.repeat(np.arange(15), rng.integers(1, 8, 15)))
    values = rng.normal(size=len(clusters))
    order = list(dict.fromkeys(clusters.tolist()))
    sums = np.array([values[clusters == item].sum() for item in order])
    sizes = np.array([(clusters == item).sum() for item in order])

    ours = cluster_bootstrap(
        values.tolist(), [f"source {cluster}" for cluster in clusters], replicates=2000, seed=7, level=0.9
    )

    theirs = of_scipy((np.arange(15),), lambda drawn, axis: sums[drawn].sum(axis) / sizes[drawn].sum(axis))
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)
    assert ours.clusters == 15


def test_a_function_draws_the_same_samples_as_the_quick_mean():
    rng = np.random.default_rng(3)
    values, clusters = rng.normal(size=50), rng.integers(0, 9, 50).tolist()

    quick = cluster_bootstrap(values.tolist(), clusters, "mean", 300, 5)
    slow = cluster_bootstrap(values.tolist(), clusters, np.mean, 300, 5)

    assert (quick.low, quick.high) == pytest.approx((slow.low, slow.high), abs=1e-12)


def test_a_function_of_several_numbers_per_sample_has_the_interval_of_scipy():
    rng = np.random.default_rng(4)
    x = rng.normal(size=40)
    y = x + rng.normal(size=40)

    ours = cluster_bootstrap(np.stack([x, y], axis=1), None, lambda rows: np.corrcoef(rows.T)[0, 1], 500, 7, 0.9)

    indexes = np.arange(40)
    theirs = of_scipy(
        (indexes,), lambda drawn, axis: np.apply_along_axis(lambda i: np.corrcoef(x[i], y[i])[0, 1], axis, drawn), 500
    )
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_a_ratio_has_the_interval_of_scipy():
    rng = np.random.default_rng(5)
    result = rng.integers(1, 6, 40)
    outcome = rng.binomial(result, 0.7)

    ours = ratio_bootstrap(outcome.tolist(), result.tolist(), None, 2000, 7, 0.9)

    theirs = of_scipy((np.arange(40),), lambda drawn, axis: outcome[drawn].sum(axis) / result[drawn].sum(axis))
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_the_published_standard_error_of_the_mice():
    codes = np.arange(7)

    means = bootstrap.replicates_of_mean(np.array(TREATED), codes, 200_000, 1)

    assert means.std() == pytest.approx(23.36, rel=0.01)  # Efron and Tibshirani (1993), table 2.2, infinitely many


def test_two_sources_give_the_three_outcomes_worked_by_hand():
    # Both draws hit the first source (1/4), one each (1/2), both the second (1/4).
    means = bootstrap.replicates_of_mean(np.array([0.0, 1.0]), np.arange(2), 40_000, 3)

    shares = [float(np.mean(means == number)) for number in (0, 0.5, 1)]

    assert shares == pytest.approx([0.25, 0.5, 0.25], abs=0.01)
    interval = cluster_bootstrap([0.0, 1.0])
    assert (interval.low, interval.high) == (0, 1)


def test_a_source_of_many_samples_is_drawn_as_one():
    # One source of three ones and one of a zero: mean 1, 3/4 or 0, never anything between.
    means = bootstrap.replicates_of_mean(np.array([1.0, 1.0, 1.0, 0.0]), np.array([0, 0, 0, 1]), 500, 3)

    assert set(means.tolist()) == {0.0, 0.75, 1.0}


def test_the_interval_of_clustered_data_covers_the_mean_as_often_as_it_says():
    """30 sources of 6 samples, most of the spread between sources: 95 % holds by source, and fails by sample."""
    rng = np.random.default_rng(11)
    clusters = np.repeat(np.arange(30), 6).tolist()
    by_source = by_sample = 0
    for trial in range(300):
        values = (np.repeat(rng.normal(size=30), 6) + 0.5 * rng.normal(size=180)).tolist()
        right = cluster_bootstrap(values, clusters, replicates=400, seed=trial)
        wrong = cluster_bootstrap(values, None, replicates=400, seed=trial)
        by_source += right.low <= 0 <= right.high
        by_sample += wrong.low <= 0 <= wrong.high

    assert 0.90 <= by_source / 300 <= 0.98
    assert by_sample / 300 < 0.75


def test_the_draws_do_not_depend_on_how_many_are_held_at_once(monkeypatch):
    values = np.random.default_rng(1).normal(size=33).tolist()
    result = cluster_bootstrap(values, replicates=101)

    monkeypatch.setattr(bootstrap, "CHUNK", 100)
    bootstrap.cached_draw_counts.cache_clear()  # else the draws of the whole are taken again

    outcome = cluster_bootstrap(values, replicates=101)
    # Matrix products add in another order for another number of rows: the last bit may differ, and nothing before it.
    assert (outcome.low, outcome.high) == pytest.approx((result.low, result.high), rel=1e-13)


def test_another_seed_gives_another_interval_and_the_same_seed_the_same():
    values = TREATED

    assert cluster_bootstrap(values, seed=1) == cluster_bootstrap(values, seed=1)
    assert cluster_bootstrap(values, seed=1) != cluster_bootstrap(values, seed=2)


def test_the_names_of_the_sources_do_not_matter():
    result = cluster_bootstrap(TREATED, ["b", "b", "z", "a", "a", "a", "k"])
    numbered = cluster_bootstrap(TREATED, [1, 1, 2, 3, 3, 3, 4])

    assert result == numbered


@pytest.mark.parametrize("constant", [0.1, 0.0, -7.3, 1e-9])
def test_constant_data_has_an_interval_of_no_width(constant):
    interval = cluster_bootstrap([constant] * 13, [1, 1, 1, 2, 2, 3, 3, 3, 3, 4, 5, 5, 6])

    assert (interval.low, interval.high) == (constant, constant)


@pytest.mark.parametrize(
    ("values", "clusters", "why"),
    [
        ([0.2, 0.4, 0.9], ["a", "a", "a"], "only one source"),
        ([0.2], None, "only one source"),
        ([], None, "no values"),
        ([None, Value.none("no topic requested")], ["a", "b"], "no values"),
        ([0.5, None], ["a", "b"], "only one source"),
    ],
)
def test_too_little_to_draw_from_is_undefined_with_its_reason(values, clusters, why):
    interval = cluster_bootstrap(values, clusters)

    assert not interval.defined
    assert (interval.low, interval.high) == (None, None)
    assert why in interval.undefined


def test_undefined_samples_are_left_out():
    with_gaps = cluster_bootstrap([1.0, None, Value.of(3.0), Value.none("empty"), 5.0], ["a", "a", "b", "c", "d"])
    without = cluster_bootstrap([1.0, 3.0, 5.0], ["a", "b", "d"])

    assert with_gaps == without


def test_a_statistic_that_is_often_undefined_has_no_interval():
    # The denominator is 0 where only the first or second source is drawn: (2/3)^3 = 30 % of the replicates.
    interval = ratio_bootstrap([1.0, 1.0, 1.0], [0.0, 0.0, 2.0])

    assert not interval.defined
    assert "undefined in" in interval.undefined
    assert "of 1000 replicates" in interval.undefined


def test_rare_undefined_replicates_are_left_out():
    result = [0.0] + [1.0] * 3

    interval = ratio_bootstrap([0.0, 1.0, 1.0, 0.0], result)  # no denominator in (1/4)^4 of the replicates

    assert (interval.low, interval.high) == (0, 1)


def test_the_difference_of_two_groups_is_near_normal_theory():
    # Mice: the difference is 30.63 days; 23.36 and 13.33 are the groups' standard errors, 26.9 that of the difference.
    interval = difference_bootstrap(TREATED, CONTROL, replicates=20_000, level=0.6827)

    assert interval.low == pytest.approx(30.63 - 26.9, abs=4)
    assert interval.high == pytest.approx(30.63 + 26.9, abs=4)


def test_groups_that_share_sources_are_drawn_together():
    # Each source has one high and one normal request, 1 apart: the difference never varies though the level does.
    high, normal = [1.0, 6.0, 11.0, 31.0], [0.0, 5.0, 10.0, 30.0]

    together = difference_bootstrap(high, normal, "abcd", "abcd")
    apart = difference_bootstrap(high, normal, "abcd", "efgh")

    assert (together.low, together.high) == pytest.approx((1, 1), abs=1e-12)
    assert apart.high - apart.low > 10


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: cluster_bootstrap([1.0, float("nan")]), r"values\[1\] is nan"),
        (lambda: cluster_bootstrap([1.0, float("inf")]), r"values\[1\] is inf"),
        (lambda: cluster_bootstrap([1.0, 2.0], ["a"]), "2 values and 1 clusters"),
        (lambda: cluster_bootstrap([1.0, 2.0], replicates=0), "replicates is 0"),
        (lambda: cluster_bootstrap([1.0, 2.0], level=95), "level is 95"),
        (lambda: cluster_bootstrap([1.0, 2.0], statistic="median"), "'median'"),
        (lambda: ratio_bootstrap([1.0], [1.0, 2.0]), "1 numerators and 2 denominators"),
        (lambda: difference_bootstrap([1.0], [1.0], ["a"]), "clusters of one group only"),
        (lambda: difference_bootstrap([1.0], [1.0], ["a", "b"], []), "1 values and 2 clusters"),
    ],
)
def test_a_wrong_call_names_what_is_wrong(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_an_aggregate_carries_its_interval_its_n_and_its_signature():
    values = [0.2, 0.4, None, 0.9, Value.none("no topic requested")]
    result = aggregate_values(
        values, ["a", "a", "b", "b", "c"], signature=Signature("topic", "1"), replicates=200, seed=9
    )

    assert result.value.value == pytest.approx(0.5)
    assert (result.n, result.left_out) == (3, 2)
    assert result.interval.low <= 0.5 <= result.interval.high
    assert Signature.parse(str(result.signature)) == result.signature
    assert {("n", "3"), ("seed", "9"), ("sources", "2"), ("replicates", "200")} <= set(result.signature.options)


def test_an_aggregate_of_nothing_says_why():
    nothing = aggregate_values([], signature=Signature("topic", "1"))
    undefined = aggregate_values([None, None], signature=Signature("topic", "1"))

    assert nothing.value.undefined == "no samples"
    assert undefined.value.undefined == "undefined for all 2 samples"
    assert undefined.interval.undefined == "no values"


def test_an_aggregate_of_one_source_has_a_value_but_no_interval():
    result = aggregate_values([0.1, 0.1, 0.1], "aaa", signature=Signature("topic", "1"))

    assert result.value == Value.of(0.1)
    assert "only one source" in result.interval.undefined


def test_an_aggregate_may_be_any_statistic():
    result = aggregate_values(TREATED, signature=Signature("days", "1"), statistic=np.median)

    assert result.value.value == 94
    assert result.interval.low < 94 < result.interval.high

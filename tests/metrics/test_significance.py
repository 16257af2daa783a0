"""Paired tests: Fisher's count of 1935, scipy's test, hand-worked cases, and what clusters change."""

import numpy as np
import pytest

from epitome.agreement.intervals import expanded_level
from epitome.measures import Signature, Value
from epitome.metrics import significance
from epitome.metrics.bootstrap import cluster_bootstrap
from epitome.metrics.significance import compare_systems, holm, paired_bootstrap, paired_permutation, sign_flip_test

# Darwin's maize, crossed minus self-fertilised in eighths of an inch: Fisher (1935), "The Design of Experiments".
MAIZE = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
ZERO = [0.0] * len(MAIZE)


def test_fishers_count_of_darwins_maize():
    result = paired_permutation(MAIZE, ZERO)

    assert result.p_value.value == 1726 / 32768  # 863 of 32,768 on each side, section 21
    assert result.difference.value == pytest.approx(314 / 15)
    assert result.method == "permutation-exact"
    assert (result.n, result.sources) == (15, 15)


def test_the_interval_is_expanded_for_few_sources():
    plain = cluster_bootstrap(MAIZE, replicates=2000, seed=3)
    wide = cluster_bootstrap(MAIZE, replicates=2000, seed=3, level=expanded_level(15))

    result = paired_permutation(MAIZE, ZERO, replicates=2000, seed=3)

    assert (result.ci95.low, result.ci95.high) == (wide.low, wide.high)
    assert wide.low < plain.low and plain.high < wide.high and result.ci95.level == 0.95


def test_signs_are_flipped_by_whole_sources():
    result = sign_flip_test([1, 1, 1, 1, 0, 1], ["a", "a", "b", "c", "d", "e"])

    assert result.p_value.value == 2 / 2**4  # four sources prefer the first, one is even
    assert result.difference.value == pytest.approx(5 / 6)


def test_random_swaps_come_near_the_exact_count(monkeypatch):
    monkeypatch.setattr(significance, "EXACT_SOURCES", 10)

    result = paired_permutation(MAIZE, ZERO, replicates=20_000)

    assert result.p_value.value == pytest.approx(1726 / 32768, abs=0.005)
    assert result.method == "permutation"
    assert result == paired_permutation(MAIZE, ZERO, replicates=20_000)


def test_random_swaps_never_give_a_p_of_zero():
    a = np.linspace(5, 6, 40).tolist()

    result = paired_permutation(a, [0.0] * 40, replicates=999)

    assert result.p_value.value == 1 / 1000


def test_scipy_gives_the_same_exact_p():
    from scipy.stats import permutation_test

    rng = np.random.default_rng(3)
    a, b = rng.normal(0.4, 1, 12), rng.normal(0, 1, 12)

    theirs = permutation_test(
        (a, b), lambda x, y, axis: (x - y).mean(axis=axis), permutation_type="samples", n_resamples=np.inf
    )

    assert paired_permutation(a.tolist(), b.tolist()).p_value.value == pytest.approx(theirs.pvalue, abs=1e-12)


def test_the_order_of_systems_changes_the_sign_alone():
    forward, back = paired_permutation(MAIZE, ZERO), paired_permutation(ZERO, MAIZE)

    assert forward.p_value == back.p_value
    assert forward.difference.value == -back.difference.value
    assert (forward.ci95.low, forward.ci95.high) == pytest.approx((-back.ci95.high, -back.ci95.low))


def test_a_source_is_swapped_as_one():
    # Three sources, always the same winner: 2 of 2^3 swaps are as far. By sample it would be 2 of 2^9.
    a, b, clusters = [1.0] * 9, [0.0] * 9, "aaabbbccc"

    assert paired_permutation(a, b, clusters).p_value.value == 2 / 8
    assert paired_permutation(a, b).p_value.value == 2 / 512


def test_swaps_that_tie_but_for_rounding_count_as_far():
    # 0.1 + 0.2 is not 0.3 in floats; of the 8 swaps of .1, .2 and -.3, all but +-(.1+.2+.3) and six others reach 0.
    result = paired_permutation([0.1, 0.2, -0.3], [0.0] * 3)

    assert result.p_value.value == 1


@pytest.mark.parametrize("test", [paired_permutation, paired_bootstrap])
def test_equal_systems_do_not_differ(test):
    result = test([0.1, 0.5, 0.7], [0.1, 0.5, 0.7])

    assert result.difference.value == 0
    assert result.p_value.value == 1
    assert (result.ci95.low, result.ci95.high) == (0, 0)


def test_the_bootstrap_p_of_three_sources_is_near_the_one_worked_by_hand():
    # Differences 0, 0, 3 (mean 1): the mean of a replicate is k with k of 3 draws hitting the 3, k ~ Bin(3, 1/3).
    # As far from 1 as 1 is from 0: k = 0 (8/27), 2 (6/27), 3 (1/27): 15/27.
    result = paired_bootstrap([0.0, 0.0, 3.0], [0.0] * 3, replicates=40_000)

    assert result.p_value.value == pytest.approx(15 / 27, abs=0.01)


def test_the_bootstrap_agrees_with_normal_theory_on_many_samples():
    rng = np.random.default_rng(5)
    a = rng.normal(0.15, 1, 200)
    z = a.mean() / (a.std() / np.sqrt(200))

    result = paired_bootstrap(a.tolist(), [0.0] * 200)

    from scipy.stats import norm

    assert result.p_value.value == pytest.approx(2 * norm.sf(z), abs=0.015)
    assert result.ci95.low == pytest.approx(a.mean() - 1.96 * a.std() / np.sqrt(200), abs=0.02)


@pytest.mark.parametrize("test", [paired_permutation, paired_bootstrap])
def test_without_a_true_difference_p_below_five_percent_is_as_rare_as_that(test):
    """25 sources of 4 samples whose difference is shared by the source: by sample, the tests cry wolf."""
    rng = np.random.default_rng(8)
    clusters = np.repeat(np.arange(25), 4).tolist()
    by_source = by_sample = 0
    for trial in range(200):
        a = (np.repeat(rng.normal(size=25), 4) + 0.3 * rng.normal(size=100)).tolist()
        by_source += test(a, [0.0] * 100, clusters, replicates=300, seed=trial).p_value.value <= 0.05
        by_sample += test(a, [0.0] * 100, None, replicates=300, seed=trial).p_value.value <= 0.05

    assert by_source / 200 <= 0.10
    assert by_sample / 200 >= 0.20


def test_samples_undefined_in_either_system_are_left_out_and_counted():
    result = paired_permutation([0.9, None, 0.8, 0.4], [0.1, 0.2, Value.none("empty"), 0.2], "abcd")

    assert (result.n, result.left_out, result.sources) == (2, 2, 2)
    assert result.difference.value == pytest.approx(0.5)


def test_nothing_to_compare_is_undefined_with_its_reason():
    result = paired_permutation([None, 0.2], [0.1, None])

    assert result.difference.undefined == "no sample has a value of both systems"
    assert result.p_value.undefined == "no sample has a value of both systems"
    assert result.ci95.undefined == "no values"


def test_one_source_tells_nothing():
    drawn = paired_bootstrap([0.9, 0.8], [0.1, 0.2], "aa")
    swapped = paired_permutation([0.9, 0.8], [0.1, 0.2], "aa")

    assert "only one source" in drawn.p_value.undefined
    assert drawn.difference.value == pytest.approx(0.7)
    assert swapped.p_value.value == 1
    assert not swapped.ci95.defined


def test_a_test_carries_its_signature():
    result = paired_bootstrap(MAIZE, ZERO, replicates=500, seed=4)

    assert {("n", "15"), ("seed", "4"), ("sources", "15"), ("replicates", "500")} <= set(result.signature.options)
    assert Signature.parse(str(result.signature)) == result.signature
    assert (result.seed, result.method, result.ci95.replicates) == (4, "bootstrap", 500)


def test_counts_that_differ_are_refused():
    with pytest.raises(ValueError, match="2 values of one system and 1 of the other"):
        paired_permutation([1.0, 2.0], [1.0])


def test_holm_worked_by_hand():
    # Four hypotheses: .005 x 4, .01 x 3, .03 x 2, then .04 x 1 raised to the one before it.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_holm_never_exceeds_one_and_keeps_order():
    assert holm([0.5, 0.6, 0.7]) == [1, 1, 1]
    assert holm([]) == []
    assert holm([0.2]) == [0.2]


def test_statsmodels_gives_the_same_holm_p():
    from statsmodels.stats.multitest import multipletests

    rng = np.random.default_rng(6)
    for size in (1, 2, 3, 10, 57):
        p_values = np.round(rng.beta(0.4, 2, size), 2).tolist()  # rounded, so that some tie
        assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1].tolist(), abs=1e-12)


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan")])
def test_holm_refuses_what_is_no_p_value(wrong):
    with pytest.raises(ValueError, match=r"p_values\[1\]"):
        holm([0.1, wrong])


def test_systems_are_compared_by_pairs_with_holms_correction():
    from statsmodels.stats.multitest import multipletests

    systems = {"crossed": MAIZE, "selfed": ZERO, "worse": [-100.0] * 15, "silent": [None] * 15}

    by_key = {
        (compare_system.first, compare_system.second): compare_system for compare_system in compare_systems(systems)
    }

    assert len(by_key) == 6
    raw = [
        by_key[pair].test.p_value.value for pair in (("crossed", "selfed"), ("crossed", "worse"), ("selfed", "worse"))
    ]
    result = multipletests(raw, method="holm")[1]  # the undefined pairs are no tests
    assert by_key["crossed", "selfed"].holm_p.value == pytest.approx(result[0])
    assert by_key["selfed", "worse"].holm_p.value == pytest.approx(result[2])
    assert by_key["crossed", "silent"].holm_p.undefined == "no sample has a value of both systems"


def test_systems_may_be_compared_with_one_alone():
    systems = {"hp": MAIZE, "gold": ZERO, "sp": [1.0] * 15}

    result = compare_systems(systems, against="gold", method="bootstrap", replicates=200)

    assert [(item.first, item.second) for item in result] == [("hp", "gold"), ("sp", "gold")]
    with pytest.raises(ValueError, match="no system 'base'"):
        compare_systems(systems, against="base")
    with pytest.raises(ValueError, match="method is 't-test'"):
        compare_systems(systems, method="t-test")

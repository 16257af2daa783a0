"""Agreement against other libraries, and what must hold for any ratings."""

import warnings

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from epitome.agreement.alpha import krippendorff_alpha
from epitome.agreement.fleiss import fleiss_kappa
from epitome.agreement.gwet import gwet_ac1, gwet_ac2
from epitome.agreement.indices import agreement_indices
from epitome.agreement.kappa import cohen_kappa, contingency_table
from epitome.agreement.percent import percent_agreement
from epitome.agreement.table import ratings_of_rows

SCALE = 4


def pair(size=SCALE):
    return st.integers(1, 60).flatmap(lambda n: arrays(np.int64, (2, n), elements=st.integers(0, size - 1)))


def table_of(shape=None):
    """Answers of items x raters, -1 where missing."""
    sizes = st.tuples(st.integers(1, 25), st.integers(2, 5)) if shape is None else st.just(shape)
    return sizes.flatmap(lambda size: arrays(np.int64, size, elements=st.integers(-1, SCALE - 1)))


def counts_of(table):
    return np.stack([(table == answer).sum(axis=1) for answer in range(SCALE)], axis=1)


@given(pair())
@pytest.mark.parametrize("weights", ["nominal", "linear", "quadratic"])
def test_cohen_is_that_of_scikit_learn(weights, answers):
    from sklearn.metrics import cohen_kappa_score

    a, b = answers
    result = cohen_kappa(a, b, weights=weights, n_labels=SCALE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outcome = None if weights == "nominal" else weights
        expected = cohen_kappa_score(a, b, weights=outcome, labels=list(range(SCALE)))
    if np.isnan(expected):
        assert not result.defined
    else:
        assert float(result) == pytest.approx(expected, abs=1e-9)


@given(st.integers(2, 6).flatmap(lambda raters: arrays(np.int64, (15, raters), elements=st.integers(0, SCALE - 1))))
def test_fleiss_is_that_of_statsmodels(table):
    from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

    counts = counts_of(table)
    assume((counts.sum(axis=0) > 0).sum() > 1)
    assert float(fleiss_kappa(counts)) == pytest.approx(statsmodels_fleiss(counts), abs=1e-9)


@given(table_of())
@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alpha_is_that_of_the_krippendorff_package(level, table):
    counts = counts_of(table)
    result = krippendorff_alpha(counts, level=level)
    pairable = counts[counts.sum(axis=1) >= 2]
    if (pairable.sum(axis=0) > 0).sum() < 2:
        assert not result.defined
        return
    outcome = counts.sum(axis=1) > 0
    expected = krippendorff.alpha(
        value_counts=counts[outcome], value_domain=np.arange(SCALE), level_of_measurement=level, dtype=np.float64
    )
    assert float(result) == pytest.approx(expected, abs=1e-9)


@given(table_of())
def test_ac1_and_fleiss_follow_gwet_written_out(table):
    """The formulas of Gwet (2014), section 2.4, item by item, in plain Python."""
    counts = counts_of(table)
    assume((counts.sum(axis=1) >= 2).any() and (counts.sum(axis=0) > 0).sum() > 1)
    agreement, shares, rated = [], [0.0] * SCALE, 0
    for row in counts.tolist():
        total = sum(row)
        if total >= 2:
            agreement.append(sum(k * (k - 1) for k in row) / (total * (total - 1)))
        if total:
            rated += 1
            shares = [share + k / total for share, k in zip(shares, row, strict=True)]
    seen = sum(agreement) / len(agreement)
    shares = [share / rated for share in shares]
    by_gwet = sum(share * (1 - share) for share in shares) / (SCALE - 1)
    by_fleiss = sum(share**2 for share in shares)
    assert float(percent_agreement(counts)) == pytest.approx(seen, abs=1e-12)
    assert float(gwet_ac1(counts)) == pytest.approx((seen - by_gwet) / (1 - by_gwet), abs=1e-9)
    assert float(fleiss_kappa(counts)) == pytest.approx((seen - by_fleiss) / (1 - by_fleiss), abs=1e-9)


@given(table_of(), st.permutations(range(SCALE)))
def test_names_of_the_answers_do_not_matter(table, order):
    renamed = np.append(np.array(order), -1)[table]
    for statistic in (fleiss_kappa, gwet_ac1, krippendorff_alpha, percent_agreement):
        state_before, state_after = statistic(counts_of(table)), statistic(counts_of(renamed))
        assert state_before.undefined == state_after.undefined
        if state_before.defined:
            assert float(state_after) == pytest.approx(float(state_before), abs=1e-9)
    state_before, state_after = cohen_kappa(*table.T[:2], n_labels=SCALE), cohen_kappa(*renamed.T[:2], n_labels=SCALE)
    assert state_before.undefined == state_after.undefined
    assert (
        state_before.value == pytest.approx(state_after.value, abs=1e-9)
        if state_before.defined
        else state_after.value is None
    )


@given(st.lists(st.integers(0, SCALE - 1), min_size=2, max_size=40), st.integers(2, 5))
def test_perfect_agreement_is_exactly_one(truth, raters):
    assume(len(set(truth)) > 1)
    answers = np.array(truth)
    counts = counts_of(np.repeat(answers[:, None], raters, axis=1))
    assert cohen_kappa(answers, answers).value == 1.0
    assert cohen_kappa(answers, answers, weights="quadratic").value == 1.0
    for statistic in (fleiss_kappa, gwet_ac1, gwet_ac2, krippendorff_alpha, percent_agreement):
        assert statistic(counts).value == 1.0
    assert krippendorff_alpha(counts, level="ordinal").value == 1.0


@given(pair(2))
def test_kappa_follows_from_prevalence_bias_and_pabak(answers):
    """Byrt, Bishop and Carlin (1993), their equation for kappa."""
    a, b = answers
    kappa, result = cohen_kappa(a, b, n_labels=2), agreement_indices(a, b)
    if not kappa.defined:
        return
    prevalence, bias = float(result.prevalence_index), float(result.bias_index)
    expected = (float(result.pabak) - prevalence**2 + bias**2) / (1 - prevalence**2 + bias**2)
    assert float(kappa) == pytest.approx(expected, abs=1e-9)


@given(table_of((20, 2)))
def test_cohen_leaves_out_items_that_one_rater_missed(table):
    a, b = table.T
    both = (a >= 0) & (b >= 0)
    assert cohen_kappa(a, b, n_labels=SCALE) == cohen_kappa(a[both], b[both], n_labels=SCALE)


@pytest.mark.parametrize("kind", ["int8", "uint8", "int32", "uint64"])
def test_every_kind_of_whole_number_counts_alike(kind):
    a, b = np.array([0, 1, 2, 2]), np.array([0, 2, 2, 1])
    assert (contingency_table(a.astype(kind), b.astype(kind)) == contingency_table(a, b)).all()


def test_points_of_the_scale_count_as_the_same_scale_with_unused_answers():
    from sklearn.metrics import cohen_kappa_score

    a, b = np.array([0, 1, 2, 0, 2]), np.array([0, 2, 2, 1, 2])
    spread, places = np.array([1, 2, 5]), [1.0, 2.0, 5.0]
    expected = cohen_kappa_score(spread[a], spread[b], weights="quadratic", labels=[1, 2, 3, 4, 5])
    assert float(cohen_kappa(a, b, weights="quadratic", points=places)) == pytest.approx(expected, abs=1e-12)


def test_rows_with_missing_ratings_become_counts():
    ratings = ratings_of_rows([["yes", "no", None], [None, None, None], ["no", None, "no"]])
    assert ratings.labels == ("no", "yes")
    assert ratings.counts().tolist() == [[1, 1], [2, 0]]
    assert ratings.missing == pytest.approx(2 / 6)
    assert ratings.column(1).tolist() == [0, -1]

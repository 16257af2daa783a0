"""Where a statistic does not exist there is a reason, never 0 or NaN; and what is no rating at all is refused."""

import numpy as np
import pytest

from epitome.agreement.alpha import krippendorff_alpha
from epitome.agreement.fleiss import fleiss_kappa
from epitome.agreement.gwet import gwet_ac1, gwet_ac2
from epitome.agreement.indices import agreement_indices
from epitome.agreement.kappa import cohen_kappa, contingency_table, kappa_of_table, pairs_mean_statistic
from epitome.agreement.percent import percent_agreement
from epitome.agreement.scales import disagreement_matrix
from epitome.agreement.table import ratings_of_rows

BEYOND_CHANCE = [fleiss_kappa, gwet_ac1, gwet_ac2, krippendorff_alpha]
BY_OCCURRENCE = [fleiss_kappa, krippendorff_alpha]
BY_SCALE = [gwet_ac1, gwet_ac2]
ORDINAL = {"level": "ordinal"}


@pytest.mark.parametrize("statistic", BY_OCCURRENCE)
def test_one_answer_only(statistic):
    result = statistic(np.array([[3, 0], [2, 0]]))
    assert result.value is None
    assert "answer" in result.undefined


@pytest.mark.parametrize("statistic", BY_SCALE)
def test_gwet_takes_the_answers_of_the_scale(statistic):
    assert statistic(np.array([[3, 0], [2, 0]])).value == 1
    assert "the scale has only one answer" in statistic(np.array([[3], [2]])).undefined
    # Half of the answers are the first, half the second, nobody agrees: chance is q / 4 over q (q - 1).
    assert float(gwet_ac1(np.array([[1, 1], [1, 1]]))) == pytest.approx((0 - 0.5) / (1 - 0.5))
    assert float(gwet_ac1(np.array([[1, 1, 0], [1, 1, 0]]))) == pytest.approx((0 - 0.25) / (1 - 0.25))


@pytest.mark.parametrize("statistic", [*BEYOND_CHANCE, percent_agreement])
@pytest.mark.parametrize("counts", [[[1, 0], [0, 1]], [[0, 0]], np.zeros((0, 2), dtype=int)])
def test_no_item_with_two_ratings(statistic, counts):
    result = statistic(np.array(counts))
    assert (result.value, result.undefined) == (None, "no item has two ratings")


def test_percent_agreement_of_one_answer_is_defined():
    assert percent_agreement(np.array([[3, 0], [2, 0]])).value == 1


@pytest.mark.parametrize("options", [{}, ORDINAL, {"level": "interval"}])
def test_alpha_needs_two_answers_among_the_items_rated_twice(options):
    counts = np.array([[2, 0, 0], [2, 0, 0], [0, 1, 0]])
    assert krippendorff_alpha(counts, **options).undefined == (
        "the items rated twice have only one answer, so nothing can vary"
    )
    assert fleiss_kappa(counts).defined  # its shares of the answers are over all rated items


@pytest.mark.parametrize("weights", ["nominal", "linear", "quadratic"])
def test_cohen_where_both_gave_one_answer(weights):
    result = cohen_kappa(np.zeros(5, dtype=int), np.zeros(5, dtype=int), weights=weights, n_labels=3)
    assert result.value is None
    assert "one and the same answer" in result.undefined


def test_cohen_of_a_rater_who_always_says_the_same_is_zero():
    # A rater without variety agrees exactly as often as by chance; that is a value, not a gap.
    assert cohen_kappa(np.array([1, 1, 1, 1]), np.array([0, 1, 1, 0])).value == 0


def test_cohen_without_a_shared_item():
    assert cohen_kappa(np.array([0, -1]), np.array([-1, 1])).undefined == "no item was rated by both raters"
    assert not cohen_kappa(np.array([], dtype=int), np.array([], dtype=int)).defined
    assert not kappa_of_table(np.zeros((2, 2), dtype=int)).defined


def test_indices_say_why():
    none = agreement_indices(np.array([1, -1]), np.array([-1, 0]))
    assert none.prevalence_index.undefined == none.pabak.undefined == "no item was rated by both raters"
    no_yes = agreement_indices(np.zeros(3, dtype=int), np.zeros(3, dtype=int))
    assert no_yes.positive_agreement.undefined == "neither rater gave that answer"
    assert (no_yes.negative_agreement.value, no_yes.prevalence_index.value, no_yes.bias_index.value) == (1, -1, 0)


def test_pairs_without_a_defined_kappa():
    alone = ratings_of_rows([["yes", None, None], [None, "no", None], [None, None, "no"]])
    assert "no two raters" in pairs_mean_statistic(alone, disagreement_matrix("nominal", 2)).undefined
    one_pair = ratings_of_rows([["yes", "yes", None], ["no", "no", None], [None, None, "no"]])
    assert pairs_mean_statistic(one_pair, disagreement_matrix("nominal", 2)).value().value == 1


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: cohen_kappa(np.array([0, 1]), np.array([0])), "shapes"),
        (lambda: cohen_kappa(np.array([0.5, 1]), np.array([0, 1])), "whole numbers"),
        (lambda: cohen_kappa(np.array([-2, 1]), np.array([0, 1])), "-2 is no answer"),
        (lambda: cohen_kappa(np.array([0, 5]), np.array([0, 1]), n_labels=2), "out of range"),
        (lambda: contingency_table(np.array([0, 10**9]), np.array([0, 1])), "out of range"),
        (lambda: cohen_kappa(np.array([0, 1]), np.array([0, 1]), weights="cubic"), "cubic"),
        (lambda: kappa_of_table([[1, 2, 3], [4, 5, 6]]), "as many rows as columns"),
        (lambda: kappa_of_table([[1, -2], [4, 5]]), "of counts"),
        (lambda: fleiss_kappa(np.array([[1.5, 1]])), "whole numbers"),
        (lambda: fleiss_kappa(np.array([[2, -1]])), "not negative"),
        (lambda: fleiss_kappa(np.array([2, 1])), "shape"),
        (lambda: fleiss_kappa(np.array([[2, 1]]), weights="linear", points=[1.0]), "points"),
        (lambda: krippendorff_alpha(np.array([[2, 1]]), level="ratio"), "ratio"),
        (lambda: krippendorff_alpha(np.ones((2, 40), dtype=int), **ORDINAL), "at most 32"),
        (lambda: agreement_indices(np.array([2]), np.array([1])), "1 for yes"),
        (lambda: disagreement_matrix(np.array([[0, np.nan], [1, 0]]), 2), "finite"),
        (lambda: disagreement_matrix(np.ones((2, 2)), 2), "diagonal"),
        (lambda: disagreement_matrix(np.zeros((2, 2)), 3), "shape"),
        (lambda: ratings_of_rows([["a"], ["a", "b"]]), "one per rater"),
    ],
)
def test_what_is_no_rating_is_refused(call, told):
    with pytest.raises(ValueError, match=told):
        call()

"""Agreement against worked examples that were printed in papers and handbooks."""

import numpy as np
import pytest

from epitome.agreement.alpha import krippendorff_alpha
from epitome.agreement.fleiss import fleiss_kappa
from epitome.agreement.gwet import gwet_ac1, gwet_ac2
from epitome.agreement.indices import agreement_indices
from epitome.agreement.kappa import cohen_kappa, kappa_of_table
from epitome.agreement.percent import percent_agreement
from epitome.agreement.table import ratings_of_rows

# Fleiss (1971): 30 patients, each put into one of five diagnoses by six psychiatrists.
DIAGNOSES = """00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031
               00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006"""
# The textbook example of 14 raters, ten subjects and five categories.
FOURTEEN = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]
# Krippendorff (2011), section D, also in Gwet (2014): four observers, twelve units, ratings missing.
FOUR_OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]
# Cohen (1960), Table 1, as counts of 200 patients.
COHEN_1960 = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]
ABSTRACTORS = [[13, 0, 0], [0, 20, 7], [0, 4, 56]]


def counts_of(table):
    """Counts per item of two raters' square table."""
    size = len(table)
    rows = []
    for i in range(size):
        for j in range(size):
            row = [0] * size
            row[i] += 1
            row[j] += 1
            rows += [row] * table[i][j]
    return np.array(rows)


def answers_of(table):
    """Each rater's answers per item."""
    cells = [(i, j) for i, row in enumerate(table) for j, n in enumerate(row) for _ in range(n)]
    return np.array(cells).T


def krippendorff_counts():
    return ratings_of_rows(list(zip(*FOUR_OBSERVERS, strict=True))).counts()


def test_cohen_1960():
    assert float(kappa_of_table(COHEN_1960)) == pytest.approx(0.492, abs=5e-4)


def test_cohen_1968_with_his_own_weights():
    weights = np.array([[0, 1, 3], [1, 0, 6], [3, 6, 0]])
    assert float(kappa_of_table(COHEN_1960, weights=weights)) == pytest.approx(0.348, abs=5e-4)


def test_the_unit_value_of_a_hand_worked_table():
    # p_o = 35/50, p_e = (25*30 + 25*20)/2500 = .5
    assert float(kappa_of_table([[20, 5], [10, 15]])) == pytest.approx(0.4, abs=1e-12)
    assert float(cohen_kappa(*answers_of([[20, 5], [10, 15]]))) == pytest.approx(0.4, abs=1e-12)


@pytest.mark.parametrize(
    ("table", "kappa"),
    [
        ([[40, 9], [6, 45]], 0.70),
        ([[80, 10], [5, 5]], 0.32),
        ([[45, 15], [25, 15]], 0.13),
        ([[25, 35], [5, 35]], 0.26),
    ],
)
def test_the_paradoxes_of_feinstein_and_cicchetti_1990(table, kappa):
    assert float(kappa_of_table(table)) == pytest.approx(kappa, abs=5e-3)


def test_the_first_paradox_has_the_same_percent_agreement_and_ac1_does_not_follow_kappa():
    balanced, skewed = counts_of([[40, 9], [6, 45]]), counts_of([[80, 10], [5, 5]])
    assert float(percent_agreement(balanced)) == float(percent_agreement(skewed)) == pytest.approx(0.85)
    # AC1 by hand: yes share .875, p_e = 2 * .875 * .125 = .21875, (.85 - .21875) / .78125
    assert float(gwet_ac1(skewed)) == pytest.approx(0.808, abs=1e-12)
    assert float(gwet_ac1(balanced)) < float(gwet_ac1(skewed))


def test_fleiss_1971():
    counts = np.array([[int(digit) for digit in row] for row in DIAGNOSES.split()])
    assert counts.sum() == 180
    assert float(percent_agreement(counts)) == pytest.approx(0.5556, abs=5e-4)
    assert float(fleiss_kappa(counts)) == pytest.approx(0.430, abs=5e-4)


def test_fleiss_of_fourteen_raters():
    assert float(percent_agreement(np.array(FOURTEEN))) == pytest.approx(0.378, abs=5e-4)
    assert float(fleiss_kappa(np.array(FOURTEEN))) == pytest.approx(0.210, abs=5e-4)


@pytest.mark.parametrize(("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_krippendorff_2011(level, alpha):
    assert float(krippendorff_alpha(krippendorff_counts(), level=level)) == pytest.approx(alpha, abs=5e-4)


def test_gwet_2014_with_missing_ratings():
    # The same data as Krippendorff's; the values that the author's R package irrCAC prints.
    counts = krippendorff_counts()
    assert float(percent_agreement(counts)) == pytest.approx(0.81818, abs=5e-6)
    assert float(gwet_ac1(counts)) == pytest.approx(0.77544, abs=5e-6)
    assert float(fleiss_kappa(counts)) == pytest.approx(0.76117, abs=5e-6)


def test_gwet_2014_of_two_abstractors():
    assert float(kappa_of_table(ABSTRACTORS)) == pytest.approx(0.7964094, abs=5e-8)
    assert float(fleiss_kappa(counts_of(ABSTRACTORS))) == pytest.approx(0.7962397, abs=5e-8)  # Scott's pi
    assert float(gwet_ac1(counts_of(ABSTRACTORS))) == pytest.approx(0.8493305, abs=5e-8)


def test_ac2_by_hand():
    # Three answers, quadratic weights 1, .75, 0; two raters: (0,0) (1,1) (2,2) (0,1).
    # p_a = (3 + .75)/4; shares 3/8, 3/8, 2/8; T_w = 3 + 4*.75 = 6; p_e = 6/6 * (15/64 + 15/64 + 12/64) = 42/64
    counts = np.array([[2, 0, 0], [0, 2, 0], [0, 0, 2], [1, 1, 0]])
    assert float(gwet_ac2(counts)) == pytest.approx((0.9375 - 0.65625) / (1 - 0.65625), abs=1e-12)


def test_prevalence_and_bias_of_a_clinical_example():
    # Sim and Wright (2005): two clinicians, 39 patients; kappa .67, PABAK .69, prevalence .28, bias .05.
    first, second = 1 - answers_of([[22, 2], [4, 11]])
    result = agreement_indices(first, second)
    assert float(cohen_kappa(first, second)) == pytest.approx(0.67, abs=5e-3)
    assert float(result.prevalence_index) == pytest.approx(0.28, abs=5e-3)
    assert float(result.bias_index) == pytest.approx(-0.05, abs=5e-3)
    assert float(result.pabak) == pytest.approx(0.69, abs=5e-3)


def test_positive_and_negative_agreement_of_the_paradox():
    # Cicchetti and Feinstein (1990): [[80, 10], [5, 5]] agrees on yes in 91 %, on no in 40 %.
    first, second = 1 - answers_of([[80, 10], [5, 5]])
    result = agreement_indices(first, second)
    assert float(result.positive_agreement) == pytest.approx(160 / 175)
    assert float(result.negative_agreement) == pytest.approx(0.40)

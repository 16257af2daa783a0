"""Agreement on marked units, against values worked by hand and the krippendorff package."""

import random

import krippendorff
import numpy as np
import pytest

from epitome.agreement.markings import (
    MarkedText,
    estimate_markings,
    marking_alpha,
    mean_statistic,
    pairwise_f1,
    pairwise_rouge_l,
    pooled_alpha_statistic,
)
from epitome.measures.values import Value


def text(n_units: int, *marked: set[int]) -> MarkedText:
    return MarkedText([frozenset(units) for units in marked], n_units)


def test_f1_of_two_people_by_hand():
    assert pairwise_f1([{1, 2, 3}, {2, 3, 4, 5}]).value == pytest.approx(4 / 7)


def test_f1_of_three_people_is_the_mean_over_pairs():
    # AB: 2 of (2 + 2) -> 1; AC and BC: 2 * 1 / (2 + 1)
    assert pairwise_f1([{0, 1}, {0, 1}, {1}]).value == pytest.approx((1 + 2 / 3 + 2 / 3) / 3)


def test_a_pair_that_marked_nothing_is_left_out_and_one_sided_marks_count_as_0():
    assert pairwise_f1([set(), set(), {1}]).value == 0
    assert pairwise_f1([set(), set()]) == Value.none("nobody marked anything")
    assert pairwise_f1([{1}]) == Value.none("fewer than two annotators")


def test_alpha_by_hand():
    # Ten units, A marks 0-3, B marks 2-5: four units differ. Values: 8 marks, 12 others, n = 20.
    # Observed disagreement: 2 * 4; expected: 2 * 8 * 12 / 19.
    assert marking_alpha(text(10, {0, 1, 2, 3}, {2, 3, 4, 5})).value == pytest.approx(1 - 8 * 19 / (2 * 8 * 12))


@pytest.mark.parametrize("seed", range(20))
def test_alpha_is_that_of_the_krippendorff_package_on_units_marked_or_not(seed):
    rng = random.Random(seed)
    n_people, n_units = rng.randint(2, 5), rng.randint(5, 60)
    marked = [{unit for unit in range(n_units) if rng.random() < 0.3} | {person} for person in range(n_people)]
    table = np.array([[float(unit in units) for unit in range(n_units)] for units in marked])
    expected = krippendorff.alpha(reliability_data=table, level_of_measurement="nominal")
    assert marking_alpha(text(n_units, *marked)).value == pytest.approx(expected, abs=1e-12)


def test_pooled_alpha_is_that_of_all_units_in_one_table():
    first, second = text(6, {0, 1}, {1, 2}), text(8, set(), {7})
    rows = [[1, 1, 0, 0, 0, 0] + [0] * 8, [0, 1, 1, 0, 0, 0] + [0] * 7 + [1]]
    expected = krippendorff.alpha(reliability_data=np.array(rows, dtype=float), level_of_measurement="nominal")
    assert pooled_alpha_statistic([first, second]).value().value == pytest.approx(expected, abs=1e-12)


def test_alpha_without_variation_says_why():
    assert marking_alpha(text(3, set(), set())).undefined == "nobody marked anything"
    assert marking_alpha(text(2, {0, 1}, {0, 1})).undefined == "everybody marked everything"
    assert pooled_alpha_statistic([text(3, {1})]).value().undefined == "fewer than two annotators"


def test_a_unit_that_the_text_does_not_have_is_refused():
    with pytest.raises(ValueError, match="not among the 3"):
        text(3, {3})


def test_rouge_l_of_texts_is_the_mean_over_pairs_of_texts():
    # "the boat left" and "the late boat": common subsequence "the boat", 2 of 3 words each.
    assert pairwise_rouge_l(["the boat left", "the late boat"]).value == pytest.approx(2 / 3)
    assert pairwise_rouge_l(["the boat left", "the late boat", " "]).value == pytest.approx(2 / 3)
    assert pairwise_rouge_l(["the boat", ""]) == Value.none("fewer than two texts")


def test_intervals_draw_whole_clusters():
    values = [Value.of(0.2), Value.of(0.4), Value.none("nobody marked anything"), Value.of(0.9)]
    apart = estimate_markings({"f1": mean_statistic(values)}, ["a", "b", "c", "d"])["f1"]
    assert apart.value.value == pytest.approx(0.5)
    assert apart.interval.low < 0.5 < apart.interval.high
    together = estimate_markings({"f1": mean_statistic(values)}, ["a"] * 4)["f1"]
    assert (together.value.value, together.interval.low) == (pytest.approx(0.5), None)

"""CCSBench's metrics against hand-worked values, scipy and scikit-learn, and the paper's own tables."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epitome.measures.readability import fkgl
from epitome.measures.syllables import SYLLABLES
from epitome.metrics.ccsbench_scores import (
    focus_f1,
    judge_accuracy,
    length_bin,
    mad,
    n_words,
    pcc,
    readability_gap,
    success_rate,
)
from epitome.metrics.draws import Draws
from epitome.metrics.published import load_tables

FEW = Draws(replicates=50)
LABELS = st.sampled_from(["low", "high"])


@pytest.mark.parametrize(
    ("words", "expected"),
    [(0, 0), (1, 0), (50, 0), (51, 1), (100, 1), (101, 2), (150, 2), (151, 3), (200, 3), (201, 4), (250, 4), (900, 4)],
)
def test_bins_end_at_their_last_word(words, expected):
    assert length_bin(words) == expected


def test_words_are_what_stands_between_blanks():
    assert n_words(" A state-of-the-art result ,\nat 3.5 % . ") == 8
    with pytest.raises(ValueError, match="-1 words: give a count of 0 or more"):
        length_bin(-1)


@pytest.mark.parametrize(
    ("generated", "references", "expected"),
    [
        ([50, 150], [51, 150], 0.5),  # bins 0 and 2 against 1 and 2
        ([10, 60, 300], [300, 60, 10], 8 / 3),
        ([49, 99], [1, 51], 0.0),
        ([1], [1000], 4.0),
    ],
)
def test_mad_counts_bins(generated, references, expected):
    result = mad(generated, references, FEW)
    assert float(result.value) == pytest.approx(expected)
    assert result.n == len(generated)


def test_pcc_equals_scipy_and_a_hand_worked_value():
    from scipy.stats import pearsonr

    # Means 2 and 2; deviations -1 0 1 and -1 1 0: (1 + 0 + 0) / (sqrt 2 * sqrt 2) = 0.5
    assert float(pcc([1, 2, 3], [1, 3, 2], FEW).value) == pytest.approx(0.5)
    assert float(pcc([30, 80, 130], [0, 1, 2], FEW).value) == pytest.approx(1.0)
    assert float(pcc([130, 80, 30], [0, 1, 2], FEW).value) == pytest.approx(-1.0)
    draw = np.random.default_rng(5)
    bins = draw.integers(0, 5, 200)
    words = bins * 30 + draw.integers(0, 120, 200)
    result = pcc(words.tolist(), bins.tolist(), FEW)
    assert float(result.value) == pytest.approx(pearsonr(words, bins).statistic, abs=1e-12)
    assert result.interval.low < float(result.value) < result.interval.high


@pytest.mark.parametrize(
    ("generated", "requested", "why"),
    [
        ([80, 80, 80], [0, 1, 2], "all generated lengths are 80: no variance"),
        ([80, 90, 100], [3, 3, 3], "all requested bins are 3: no variance"),
        ([80], [3], "a correlation needs 2 samples, there are 1"),
        ([], [], "a correlation needs 2 samples, there are 0"),
    ],
)
def test_pcc_without_variance_is_undefined_never_zero(generated, requested, why):
    result = pcc(generated, requested, FEW)
    assert (result.value.value, result.value.undefined) == (None, why)
    assert result.interval.low is None and result.interval.undefined


def test_success_rate_pools_keywords_and_averages_items():
    texts = [
        "Neural networks are trained on graphs.",  # network (stem), graph neural: not a run
        "We study summarization.",  # summarize: porter gives summar for both
        "Nothing was asked here.",
    ]
    items = [["network", "graph neural", "trained on graph"], ["summarize"], []]
    result = success_rate(texts, items, FEW)
    assert (result.n_found, result.n_requested) == (3, 4)
    assert float(result.pooled.value) == pytest.approx(3 / 4)
    assert float(result.per_item.value) == pytest.approx((2 / 3 + 1) / 2)
    assert (result.pooled.n, result.pooled.left_out) == (2, 1)
    assert (result.per_item.n, result.per_item.left_out) == (2, 1)


@pytest.mark.parametrize(
    ("text", "keywords", "expected"),
    [
        ("Multi-scale models scale.", ["multi-scale"], 1.0),
        ("The model is on a multi and a scale.", ["multi-scale"], 0.0),
        ("Relational learners", ["relational learner", "RELATION"], 1.0),
        ("", ["model"], 0.0),
    ],
)
def test_success_rate_of_one_item(text, keywords, expected):
    assert float(success_rate([text], [keywords], FEW).pooled.value) == expected


def test_success_rate_without_keywords_is_undefined():
    result = success_rate(["A text."], [[]], FEW)
    assert result.pooled.value.undefined == "no keyword was requested"
    assert result.per_item.value.value is None


def test_readability_gap_is_normal_minus_high():
    hard = "Convolutional architectures demonstrate considerable generalization capabilities."
    easy = ["The cat sat on the mat.", "We made it fast."]
    result = readability_gap([hard, easy[0], easy[1], ""], ["normal", "high", "high", "high"], FEW)
    grades = [float(fkgl(text)) for text in (hard, *easy)]
    assert float(result.normal.value) == pytest.approx(grades[0])
    assert float(result.high.value) == pytest.approx((grades[1] + grades[2]) / 2)
    assert float(result.difference.value) == pytest.approx(grades[0] - (grades[1] + grades[2]) / 2)
    assert float(result.difference.value) > 15
    assert (result.high.n, result.high.left_out, result.difference.n, result.difference.left_out) == (2, 1, 3, 1)


def test_readability_gap_needs_both_conditions_and_known_ones():
    result = readability_gap(["A cat sat."], ["normal"], FEW)
    assert result.difference.value.undefined == "no grade for high: no samples"
    with pytest.raises(ValueError, match="requested readability 1 is 'low': give normal or high"):
        readability_gap(["A.", "B."], ["normal", "low"], FEW)


def test_focus_f1_by_hand():
    requested = ["high", "high", "high", "low", "low", "low"]
    judged = ["empirical", "empirical", "conceptual", "conceptual", "empirical", None]
    result = focus_f1(judged, requested, FEW)
    # high: TP 2, FP 1, FN 1; low: TP 1, FP 1, FN 2 (the invalid answer is a miss)
    assert float(result.high.value) == pytest.approx(2 / 3)
    assert float(result.low.value) == pytest.approx(2 / 5)
    assert float(result.macro.value) == pytest.approx(8 / 15)
    assert result.invalid == 1
    result = focus_f1(["high", "high", "low", None], ["high", "low", "low", "high"], FEW)
    values = [float(cell.value) for cell in (result.high, result.low, result.macro)]
    assert values == pytest.approx([1 / 2, 2 / 3, 7 / 12]) and result.invalid == 1


@given(st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=40))
def test_focus_f1_equals_scikit_learn(pairs):
    from sklearn.metrics import f1_score

    judged, requested = map(list, zip(*pairs, strict=True))
    result = focus_f1(judged, requested, Draws(replicates=1))
    oracle = f1_score(requested, judged, labels=["low", "high"], average=None, zero_division=np.nan)
    for mine, theirs in zip((result.low, result.high), oracle, strict=True):
        assert mine.value.value == (None if math.isnan(theirs) else pytest.approx(theirs))
    if result.macro.value.defined:
        oracle = f1_score(requested, judged, labels=["low", "high"], average="macro")
        assert float(result.macro.value) == pytest.approx(oracle)


def test_a_class_nobody_asked_for_has_no_f1():
    result = focus_f1(["high", "high"], ["high", "high"], FEW)
    assert float(result.high.value) == 1.0
    assert result.low.value.undefined == "nobody asked for low and the judge never answered it"
    assert result.macro.value.undefined == "the F1 of a class is undefined"
    with pytest.raises(ValueError, match="focus 'medium' requested"):
        focus_f1(["high"], ["medium"], FEW)


def test_judge_accuracy_counts_an_invalid_answer_as_wrong():
    hand = ["high"] * 50 + ["low"] * 50
    judged = ["empirical"] * 47 + ["conceptual"] * 3 + ["conceptual"] * 46 + ["empirical"] * 3 + [None]
    accuracy = judge_accuracy(judged, hand)
    assert float(accuracy.value) == pytest.approx(0.93)
    assert 0.86 < accuracy.interval.low < 0.93 < accuracy.interval.high < 0.99
    assert ("invalid", "1") in accuracy.signature.options


def test_a_missing_answer_or_source_is_named():
    with pytest.raises(ValueError, match="2 generated lengths and 1 references"):
        mad([1, 2], [1])
    with pytest.raises(ValueError, match="1 samples and 2 sources"):
        success_rate(["a"], [["a"]], Draws(clusters=["x", "y"]))


def test_signatures_name_options_n_and_seed():
    assert str(mad([1, 60], [1, 1], FEW).signature) == (
        "mad|v:1|bins:50x5|n:2|replicates:50|seed:12345|sources:2|words:white-space"
    )
    result = success_rate(["a b"], [["a"]], Draws(replicates=50, seed=7))
    assert str(result.pooled.signature) == (
        "sr|v:1|match:contiguous|n:1|over:keywords|replicates:50|seed:7|sources:1|stemmer:porter"
    )
    options = dict(readability_gap(["A cat."], ["high"], FEW).high.signature.options)
    assert (options["syllables"], options["f"]) == (SYLLABLES, "readability.3")


def test_grades_may_count_syllables_as_the_tools_behind_published_ones():
    text = "Even so, she left an hour ago."
    high = readability_gap([text], ["high"], FEW, syllables="pyphen").high
    assert float(high.value) == float(fkgl(text, syllables="pyphen")) < float(fkgl(text))
    assert dict(high.signature.options)["syllables"].startswith("pyphen@")


def test_intervals_draw_sources_not_samples():
    alone = mad([10, 10, 60, 60] * 5, [10] * 20, Draws(replicates=200))
    sources = mad([10, 10, 60, 60] * 5, [10] * 20, Draws(["a", "a", "b", "b"] * 5, replicates=200))
    assert (sources.interval.low, sources.interval.high) == (0.0, 1.0)
    assert alone.interval.low > 0.2


def test_published_differences_fit_their_means_but_for_two_slips():
    rows = load_tables("ccsbench")["systems"].rows
    assert [row.key for row in rows] == [
        "A1",
        "A2",
        "A3",
        "A4",
        "A5",
        "A6",
        "B1",
        "B2",
        "B3",
        "B4",
        "C1",
        "C2",
        "D1",
        "D2",
    ]
    wrong = [row.key for row in rows if abs(row.cells["fn"] - row.cells["fh"] - row.cells["delta"]) > 0.011]
    assert wrong == ["B1", "D2"] == [row.key for row in rows if row.slips]
    assert load_tables("ccsbench")["systems"].row("B1").slips == {"delta": "13.11 - 9.37 is 3.74"}


def test_published_compositional_row_is_the_system_of_the_first_table():
    tables = load_tables("ccsbench")
    compositional, system = tables["composition"].row("compositional").cells, tables["systems"].row("B2").cells
    assert compositional == {name: system[name] for name in compositional}

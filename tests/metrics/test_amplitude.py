"""Change amplitude of CCSBench's metrics: by hand, equal to the metrics, undefined where it has no meaning."""

import pytest

from epitome.metrics import ccsbench_scores as ccsbench
from epitome.metrics.amplitude import METRICS, PaperText, measure_amplitudes
from epitome.metrics.draws import Draws

HARD = "incomprehensibility notwithstanding, interdisciplinary considerations predominate."
EASY = "We met the cat. It sat."


def words(n):
    return " ".join(["word"] * n)


def paper(n, **asked):
    return PaperText(words(n), **asked)


def test_every_amplitude_follows_from_the_metric_before_and_after():
    items_before = [
        paper(40, length=0, reference=45, keywords=("word", "bridge")),
        paper(90, length=1, reference=45, keywords=("word",)),
        paper(160, length=2, reference=45, keywords=("tunnel",)),
    ]
    items_after = [
        paper(60, length=1, reference=75, keywords=("word", "bridge")),
        paper(40, length=0, reference=25, keywords=("word",)),
        paper(120, length=2, reference=125, keywords=("word",)),
    ]
    amplitudes = measure_amplitudes(items_before, items_after)
    for name, compute in {
        "pcc": lambda rows: ccsbench.pcc([ccsbench.n_words(r.text) for r in rows], [r.length for r in rows]).value,
        "sr": lambda rows: ccsbench.success_rate([r.text for r in rows], [r.keywords for r in rows]).pooled.value,
        "mad": lambda rows: ccsbench.mad([ccsbench.n_words(r.text) for r in rows], [r.reference for r in rows]).value,
    }.items():
        old, new = float(compute(items_before)), float(compute(items_after))
        assert amplitudes[name].value.value == pytest.approx(abs(new - old) / abs(old)), name
    assert amplitudes["sr"].value.value == pytest.approx(0.5)  # 2 of 4 before, 3 of 4 after
    assert amplitudes["mad"].value.value == pytest.approx(1)  # 0, 1 and 3 bins off before, none after
    assert (amplitudes["gap"].value.defined, amplitudes["f1"].value.defined) == (False, False)


def test_a_text_without_a_requested_length_is_in_no_distance():
    items_before = [paper(40, length=0, reference=90), paper(40, reference=240)]
    items_after = [paper(90, length=1, reference=240), paper(240, reference=240)]
    mad = measure_amplitudes(items_before, items_after)["mad"]
    assert mad.value.value == 2 and (mad.n, mad.left_out) == (1, 1)  # bins: 0 against 1, then 1 against 4


def test_flipped_readability_is_held_against_the_new_values():
    items_before = [PaperText(HARD, readability="normal"), PaperText(EASY, readability="high")]
    same = [PaperText(HARD, readability="high"), PaperText(EASY, readability="normal")]  # the system ignored it
    assert measure_amplitudes(items_before, same)["gap"].value.value == pytest.approx(2)  # from g to -g
    followed = [PaperText(EASY, readability="high"), PaperText(HARD, readability="normal")]
    assert measure_amplitudes(items_before, followed)["gap"].value.value == pytest.approx(0)


def test_focus_needs_labels_before_and_after_and_an_invalid_answer_is_a_miss():
    items = ["low", "high", "low", "high"]
    paper_texts_before = [PaperText("a", focus=focus, judged=focus) for focus in items]
    paper_texts_after = [PaperText("a", focus=focus, judged=None) for focus in items]
    f1 = measure_amplitudes(paper_texts_before, paper_texts_after)["f1"]
    assert (f1.value.value, f1.n) == (1, 4)  # from 1 to 0
    unread = [PaperText("a", focus=focus) for focus in items]
    assert measure_amplitudes(paper_texts_before, unread)["f1"].value.undefined.startswith("before: no sample has")


def test_a_metric_that_was_nothing_has_no_amplitude():
    items_before = [paper(45, length=0, reference=45), paper(45, length=1, reference=45)]
    items_after = [paper(145, length=0, reference=45), paper(45, length=1, reference=45)]
    amplitudes = measure_amplitudes(items_before, items_after)
    assert amplitudes["mad"].value.undefined == "the metric is 0 before the change"
    assert "no variance" in amplitudes["pcc"].value.undefined


def test_intervals_draw_whole_sources_and_the_signature_says_from_what():
    results_before = [paper(40 + number, length=number % 3, reference=90) for number in range(12)]
    results_after = [paper(90 + number % 4 * 20, length=number % 3, reference=90) for number in range(12)]
    draws = Draws([number // 2 for number in range(12)], 200, 5)
    amplitudes = measure_amplitudes(results_before, results_after, draws, changed="focus")
    mad = amplitudes["mad"]
    assert mad.interval.low <= mad.value.value <= mad.interval.high and mad.interval.clusters == 6
    assert "changed:focus" in str(mad.signature) and "metric:mad" in str(mad.signature)
    assert amplitudes["mad"] == measure_amplitudes(results_before, results_after, draws, changed="focus")["mad"]
    assert set(amplitudes) == set(METRICS)
    with pytest.raises(ValueError, match="12 texts before"):
        measure_amplitudes(results_before, results_after[1:])

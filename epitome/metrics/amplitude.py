"""How far each of CCSBench's five metrics moves when the requests of one attribute are changed, with intervals.

Source: CCSBench, arXiv 2410.12601, section 6 and Figure 4: CA = |m_new - m_old| / |m_old|. An interval draws whole
sources, and in each draw recomputes both metrics from the same samples.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from epitome.measures import ENGLISH, MEASURES, Value, keywords, readability
from epitome.metrics import ccsbench_scores as ccsbench
from epitome.metrics.aggregate import Aggregate
from epitome.metrics.analyses import change_amplitude, change_amplitudes
from epitome.metrics.bootstrap import Floats, cluster_bootstrap, cluster_codes, complete_rows, number_or_nan
from epitome.metrics.draws import BY_SAMPLE, Draws, check_same_length

UNJUDGED = "unjudged"
"""`PaperText.judged` of a text that no judge has read."""


@dataclass(frozen=True)
class PaperText:
    """A summary with what was asked of it; None, or no keywords, where it was not asked.

    length: the requested bin; reference: words of the text that the length is held against; judged: "low" or "high",
    None for an invalid answer of the judge.
    """

    text: str
    length: int | None = None
    reference: int | None = None
    keywords: tuple[str, ...] = ()
    readability: str | None = None
    focus: str | None = None
    judged: str | None = UNJUDGED


@dataclass(frozen=True)
class _Metric:
    """columns: the numbers of one text, [] where the metric says nothing of it. statistic: rows (n, columns) -> m."""

    columns: Callable[[PaperText], list[float]]
    statistic: Callable[[Floats], float]
    undefined: str


def _length_columns(text: PaperText) -> list[float]:
    return [] if text.length is None else [ccsbench.n_words(text.text), text.length]


def _distance_columns(text: PaperText) -> list[float]:
    if text.length is None or text.reference is None:
        return []
    return [abs(ccsbench.length_bin(ccsbench.n_words(text.text)) - ccsbench.length_bin(text.reference))]


def _keyword_columns(text: PaperText) -> list[float]:
    if not text.keywords:
        return []
    return [sum(keywords.match_keywords(text.text, text.keywords)), len(text.keywords)]


def _grade_columns(text: PaperText) -> list[float]:
    if text.readability not in ccsbench.READABILITY:
        return []
    grade = readability.fkgl(text.text)
    return [float(grade), text.readability == "high"] if grade.defined else []


def _focus_columns(text: PaperText) -> list[float]:
    if text.focus is None or text.judged == UNJUDGED:
        return []
    return list(ccsbench.focus_codes(text.judged, text.focus))


def _share_of_sums(rows: Floats) -> float:
    return float(rows[:, 0].sum() / rows[:, 1].sum())


def _grade_gap(rows: Floats) -> float:
    is_high = rows[:, 1] == 1
    if is_high.all() or not is_high.any():
        return float("nan")
    return float(rows[~is_high, 0].mean() - rows[is_high, 0].mean())


def _mean_of_column(rows: Floats) -> float:
    return float(rows[:, 0].mean())


METRICS: Mapping[str, _Metric] = {
    "pcc": _Metric(_length_columns, ccsbench.pearson_correlation, "no variance of the lengths or of their requests"),
    "mad": _Metric(_distance_columns, _mean_of_column, "no length to compare with"),
    "sr": _Metric(_keyword_columns, _share_of_sums, "no keyword was requested"),
    "gap": _Metric(_grade_columns, _grade_gap, "one of the two readabilities was not requested"),
    "f1": _Metric(_focus_columns, ccsbench.macro_f1, "the F1 of a class is undefined"),
}
"""PCC, MAD, SR, difference of Flesch-Kincaid grades, macro F1 of the focus."""


def measure_amplitudes(
    before: Sequence[PaperText],
    after: Sequence[PaperText],
    draws: Draws = BY_SAMPLE,
    *,
    language: str = ENGLISH,
    **options: str,
) -> dict[str, Aggregate]:
    """CA of each of METRICS between the texts of the same samples before and after their requests changed.

    before, after: one text per sample each, with the request that it was written for. A sample without one of the two
    numbers is left out of that metric and counted. Unitless: 0 is no change, 1 as much as the metric was. Undefined
    where the metric was 0 or undefined before, or is undefined after, and the difference of grades in other languages
    than English (language: of the texts). options: go into the signature. Raises ValueError
    when the two differ in number.
    """
    check_same_length(before, after, "texts before", "texts after")
    draws.check(len(before))
    refusal = MEASURES["readability"].explain_refusal(language)
    tables = {name: _pair_columns(metric, before, after) for name, metric in METRICS.items()}
    if refusal:
        tables["gap"] = np.full((len(before), 2), np.nan)
    old, new = {}, {}
    for name, metric in METRICS.items():
        rows = complete_rows(tables[name], cluster_codes(None, len(before)))[0]
        old[name], new[name] = (_point_value(metric, side) for side in np.hsplit(rows, 2))
    if refusal:
        old["gap"] = new["gap"] = Value.none(refusal)
    amplitudes = {}
    for name, (value, signature) in change_amplitudes(old, new, **options).items():
        statistic = _amplitude_statistic(METRICS[name])
        interval = cluster_bootstrap(tables[name], draws.clusters, statistic, draws.replicates, draws.seed)
        n = int(np.isfinite(tables[name]).all(axis=1).sum())
        drawn = {"sources": interval.clusters, "replicates": interval.replicates, "seed": interval.seed}
        amplitudes[name] = Aggregate(value, interval, n, len(before) - n, signature.with_(n=n, **drawn))
    return amplitudes


def _pair_columns(metric: _Metric, before: Sequence[PaperText], after: Sequence[PaperText]) -> Floats:
    """Numbers before, then after, one row per sample; NaN where the metric says nothing."""
    pairs = [(metric.columns(old), metric.columns(new)) for old, new in zip(before, after, strict=True)]
    width = max((len(columns) for pair in pairs for columns in pair), default=0) or 1
    table = np.full((len(pairs), 2 * width), np.nan)
    for index, (old, new) in enumerate(pairs):
        if old and new:
            table[index] = [*old, *new]
    return table


def _point_value(metric: _Metric, rows: Floats) -> Value:
    if not len(rows):
        return Value.none("no sample has this number before and after")
    number = number_or_nan(metric.statistic, rows)
    return Value.of(number) if np.isfinite(number) else Value.none(metric.undefined)


def _amplitude_statistic(metric: _Metric) -> Callable[[Floats], float]:
    def statistic(rows: Floats) -> float:
        old, new = (number_or_nan(metric.statistic, side) for side in np.hsplit(rows, 2))
        if not (np.isfinite(old) and np.isfinite(new)):
            return float("nan")
        amplitude = change_amplitude(old, new)
        return float(amplitude) if amplitude.defined else float("nan")

    return statistic

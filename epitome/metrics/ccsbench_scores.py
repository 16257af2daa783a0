"""How well summaries of papers follow requests for length, keywords, readability and empirical focus.

Definitions: "CCSBench: Evaluating Compositional Controllability in LLMs for Scientific Document Summarization",
arXiv 2410.12601. What the paper leaves open (words are separated by white space, longer than 250 words is the last
bin, keywords of several words match a run of stems) is decided here and recorded in the signature.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from epitome.measures import ENGLISH, MEASURES, Value, keywords, readability
from epitome.measures.syllables import DEFAULT_METHOD, SyllableMethod, syllable_id
from epitome.metrics.aggregate import Aggregate
from epitome.metrics.bootstrap import Floats, cluster_bootstrap, difference_bootstrap, ratio_bootstrap
from epitome.metrics.draws import BY_SAMPLE, Draws, check_same_length, mean_of, result_of
from epitome.text.words import split_words

VERSION = "1"
BIN_WORDS = 50
LAST_BIN = 4
FOCUS = {"low": "low", "high": "high", "conceptual": "low", "empirical": "high"}
READABILITY = ("normal", "high")

_T = TypeVar("_T")


def n_words(text: str) -> int:
    """Words as the length bins count them: between white space, where the script writes words apart."""
    return len(split_words(text))


def length_bin(words: int) -> int:
    """0 for up to 50 words, 1 for 51 to 100, ... 4 for 201 and more. Raises ValueError for a count below 0."""
    if words < 0:
        raise ValueError(f"{words} words: give a count of 0 or more")
    return min(max(words - 1, 0) // BIN_WORDS, LAST_BIN)


def mad(generated: Sequence[int], references: Sequence[int], draws: Draws = BY_SAMPLE) -> Aggregate:
    """Mean absolute difference of length bins, in bins (0 to 4, lower is better).

    generated, references: word counts, one per sample. Raises ValueError when they differ in number.
    """
    check_same_length(generated, references, "generated lengths", "references")
    gaps = [
        abs(length_bin(length) - length_bin(reference)) for length, reference in zip(generated, references, strict=True)
    ]
    return mean_of("mad", VERSION, gaps, draws, bins=f"{BIN_WORDS}x{LAST_BIN + 1}", words="white-space")


def pcc(generated: Sequence[int], requested: Sequence[int], draws: Draws = BY_SAMPLE) -> Aggregate:
    """Pearson correlation of generated word counts with requested bins (-1 to 1, higher is better).

    generated: word counts; requested: bin indexes. Undefined below 2 samples and where either does not vary: the
    paper prints 0.00 there (its first two systems), which reads like a measured lack of control.
    Raises ValueError when they differ in number.
    """
    check_same_length(generated, requested, "generated lengths", "requested bins")
    rows = np.array([generated, requested], dtype=np.float64).T.reshape(-1, 2)
    interval = cluster_bootstrap(rows, draws.clusters, pearson_correlation, draws.replicates, draws.seed)
    return result_of("pcc", VERSION, _pearson_value(rows), interval, n=len(rows), words="white-space")


def _pearson_value(rows: Floats) -> Value:
    if len(rows) < 2:
        return Value.none(f"a correlation needs 2 samples, there are {len(rows)}")
    for column, label in enumerate(("generated lengths", "requested bins")):
        if np.ptp(rows[:, column]) == 0:
            return Value.none(f"all {label} are {rows[0, column]:g}: no variance")
    return Value.of(pearson_correlation(rows))


def pearson_correlation(rows: Floats) -> float:
    apart = rows - rows.mean(axis=0)
    above = float(apart[:, 0] @ apart[:, 1])
    below = float(np.sqrt((apart[:, 0] @ apart[:, 0]) * (apart[:, 1] @ apart[:, 1])))
    return min(1.0, max(-1.0, above / below)) if below else float("nan")


@dataclass(frozen=True)
class KeywordSuccess:
    """Share of requested keywords found, counted over all keywords and as the mean of the samples' shares."""

    pooled: Aggregate
    per_item: Aggregate
    n_found: int
    n_requested: int


def success_rate(texts: Sequence[str], requested: Sequence[Sequence[str]], draws: Draws = BY_SAMPLE) -> KeywordSuccess:
    """SR: requested keywords that occur in the summary, after Porter stemming (0 to 1, higher is better).

    texts: one summary per sample; requested: its keywords, empty where there are none (such samples are left out and
    counted). A keyword of several words must occur as a run. Raises ValueError when they differ in number.
    """
    check_same_length(texts, requested, "summaries", "keyword lists")
    draws.check(len(texts))
    hits = [keywords.match_keywords(text, words) if words else [] for text, words in zip(texts, requested, strict=True)]
    indexes = [index for index, marks in enumerate(hits) if marks]
    n_found, n_requested = sum(map(sum, hits)), sum(map(len, hits))
    rate = Value.of(n_found / n_requested) if n_requested else Value.none("no keyword was requested")
    used_draws = draws.of(indexes)
    interval = ratio_bootstrap(
        [sum(hits[index]) for index in indexes],
        [len(hits[index]) for index in indexes],
        used_draws.clusters,
        used_draws.replicates,
        used_draws.seed,
    )
    options = {"stemmer": keywords.STEMMER, "match": "contiguous"}
    left_out = len(hits) - len(indexes)
    pooled = result_of("sr", VERSION, rate, interval, n=len(indexes), left_out=left_out, over="keywords", **options)
    shares = [sum(marks) / len(marks) if marks else None for marks in hits]
    return KeywordSuccess(pooled, mean_of("sr", VERSION, shares, draws, over="items", **options), n_found, n_requested)


@dataclass(frozen=True)
class Readability:
    """Mean Flesch-Kincaid grade of each condition (school years), and how much easier "high" reads."""

    normal: Aggregate
    high: Aggregate
    difference: Aggregate


def readability_gap(
    texts: Sequence[str],
    requested: Sequence[str],
    draws: Draws = BY_SAMPLE,
    *,
    syllables: SyllableMethod = DEFAULT_METHOD,
    language: str = ENGLISH,
) -> Readability:
    """F_normal, F_high and F_normal - F_high (higher is better) of summaries and their requested readability.

    syllables: `pyphen` for grades beside published ones, which come from tools that count break points of hyphenation.
    language: of the summaries; undefined, with the reason, for others than English.
    Summaries without a grade (no words) are left out and counted. Raises ValueError when the two differ in number and
    for a request other than "normal" and "high", ImportError where pyphen is not installed.
    """
    check_same_length(texts, requested, "summaries", "requests")
    draws.check(len(texts))
    for index, value in enumerate(requested):
        if value not in READABILITY:
            raise ValueError(f"requested readability {index} is {value!r}: give normal or high")
    options = {"f": f"readability.{readability.VERSION}", "syllables": syllable_id(syllables)}
    refusal = MEASURES["readability"].explain_refusal(language)
    grades = [Value.none(refusal) if refusal else readability.fkgl(text, syllables=syllables) for text in texts]
    places = {value: [at for at, request in enumerate(requested) if request == value] for value in READABILITY}
    values = {value: _select_items(grades, at) for value, at in places.items()}
    draws_by_value = {value: draws.of(at) for value, at in places.items()}
    normal, high = (
        mean_of("fkgl", VERSION, values[condition], draws_by_value[condition], condition=condition, **options)
        for condition in READABILITY
    )
    interval = difference_bootstrap(
        values["normal"],
        values["high"],
        draws_by_value["normal"].clusters,
        draws_by_value["high"].clusters,
        draws.replicates,
        draws.seed,
    )
    gap = _grade_difference(normal.value, high.value)
    left_out = normal.left_out + high.left_out
    n = normal.n + high.n
    return Readability(normal, high, result_of("fkgl-gap", VERSION, gap, interval, n=n, left_out=left_out, **options))


def _grade_difference(normal: Value, high: Value) -> Value:
    for name, value in (("normal", normal), ("high", high)):
        if not value.defined:
            return Value.none(f"no grade for {name}: {value.undefined}")
    return Value.of(float(normal) - float(high))


@dataclass(frozen=True)
class FocusF1:
    """F1 of each requested focus, and their mean. `invalid`: answers of the judge that were neither."""

    low: Aggregate
    high: Aggregate
    macro: Aggregate
    invalid: int


def focus_f1(judged: Sequence[str | None], requested: Sequence[str], draws: Draws = BY_SAMPLE) -> FocusF1:
    """F1 per class of a judge's label against the requested focus (0 to 1, higher is better).

    judged: "low"/"conceptual" or "high"/"empirical"; None for an answer that was neither, which counts as a miss of
    the requested class and no hit of the other. requested: "low" or "high". A class neither requested nor judged has no
    F1. Raises ValueError for other labels and when they differ in number.
    """
    check_same_length(judged, requested, "judged labels", "requests")
    table = np.array([focus_codes(answer, request) for answer, request in zip(judged, requested, strict=True)]).reshape(
        -1, 2
    )

    def class_result(value: int, name: str) -> Aggregate:
        interval = cluster_bootstrap(
            table, draws.clusters, lambda rows: _class_f1(rows, value), draws.replicates, draws.seed
        )
        reason = f"nobody asked for {name} and the judge never answered it"
        return result_of(
            "focus-f1", VERSION, _or_none(_class_f1(table, value), reason), interval, n=len(table), focus=name
        )

    interval = cluster_bootstrap(table, draws.clusters, macro_f1, draws.replicates, draws.seed)
    macro = _or_none(macro_f1(table), "the F1 of a class is undefined")
    mean = result_of("focus-f1", VERSION, macro, interval, n=len(table), focus="macro")
    return FocusF1(class_result(0, "low"), class_result(1, "high"), mean, sum(answer is None for answer in judged))


def focus_codes(answer: str | None, requested: str) -> tuple[float, float]:
    if requested not in FOCUS or (answer is not None and answer not in FOCUS):
        raise ValueError(f"focus {requested!r} requested, {answer!r} judged: give low or high (judged: or None)")
    return (-1.0 if answer is None else float(FOCUS[answer] == "high")), float(FOCUS[requested] == "high")


def _class_f1(rows: Floats, value: int) -> float:
    """2 TP / (2 TP + FP + FN), NaN for 0 / 0; rows (n, 2) of judged and requested."""
    judged, requested = rows[:, 0] == value, rows[:, 1] == value
    either = int(judged.sum() + requested.sum())
    return 2 * int((judged & requested).sum()) / either if either else float("nan")


def macro_f1(rows: Floats) -> float:
    return (_class_f1(rows, 0) + _class_f1(rows, 1)) / 2


def _or_none(number: float, why: str) -> Value:
    return Value.none(why) if np.isnan(number) else Value.of(number)


def judge_accuracy(judged: Sequence[str | None], by_hand: Sequence[str], draws: Draws = BY_SAMPLE) -> Aggregate:
    """Share of the judge's labels that equal those given by hand (0 to 1); an invalid answer (None) is wrong.

    Raises ValueError as `focus_f1`. The paper reports 93 % for its judge (named GPT-4 in the text, GPT-4o in the
    appendix).
    """
    check_same_length(judged, by_hand, "judged labels", "labels by hand")
    pairs = [focus_codes(answer, label) for answer, label in zip(judged, by_hand, strict=True)]
    invalid = sum(answer is None for answer in judged)
    return mean_of(
        "judge-accuracy", VERSION, [float(answer == label) for answer, label in pairs], draws, invalid=str(invalid)
    )


def _select_items(items: Sequence[_T], places: Sequence[int]) -> list[_T]:
    return [items[index] for index in places]

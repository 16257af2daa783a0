"""How well summaries of papers follow requests for length, keywords, readability and empirical focus.

Definitions: "CCSBench: Evaluating Compositional Controllability in LLMs for Scientific Document Summarization",
arXiv 2410.12601. What the paper leaves open (words are what stands between blanks, longer than 250 words is the last
bin, keywords of several words are a run of stems) is decided here and stands in the signature.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from annotation.measures import Value, keywords, readability
from evaluation.metrics.aggregate import Aggregate
from evaluation.metrics.bootstrap import Floats, cluster_bootstrap, difference_bootstrap, ratio_bootstrap
from evaluation.metrics.draws import BY_SAMPLE, Draws, mean_of, result_of, same_number

VERSION = "1"
BIN_WORDS = 50
LAST_BIN = 4
FOCUS = {"low": "low", "high": "high", "conceptual": "low", "empirical": "high"}
READABILITY = ("normal", "high")

_T = TypeVar("_T")


def n_words(text: str) -> int:
    """Words between white space, as the length bins count them."""
    return len(text.split())


def length_bin(words: int) -> int:
    """0 for up to 50 words, 1 for 51 to 100, ... 4 for 201 and more. Raises ValueError for a count below 0."""
    if words < 0:
        raise ValueError(f"{words} words: give a count of 0 or more")
    return min(max(words - 1, 0) // BIN_WORDS, LAST_BIN)


def mad(generated: Sequence[int], references: Sequence[int], draws: Draws = BY_SAMPLE) -> Aggregate:
    """Mean absolute difference of length bins, in bins (0 to 4, lower is better).

    generated, references: word counts, one per sample. Raises ValueError when they differ in number.
    """
    same_number(generated, references, "generated lengths", "references")
    gaps = [abs(length_bin(made) - length_bin(asked)) for made, asked in zip(generated, references, strict=True)]
    return mean_of("mad", VERSION, gaps, draws, bins=f"{BIN_WORDS}x{LAST_BIN + 1}", words="white-space")


def pcc(generated: Sequence[int], requested: Sequence[int], draws: Draws = BY_SAMPLE) -> Aggregate:
    """Pearson correlation of generated word counts with requested bins (-1 to 1, higher is better).

    generated: word counts; requested: bin indexes. Undefined below 2 samples and where either does not vary: the
    paper prints 0.00 there (its first two systems), which reads like a measured lack of control.
    Raises ValueError when they differ in number.
    """
    same_number(generated, requested, "generated lengths", "requested bins")
    rows = np.array([generated, requested], dtype=np.float64).T.reshape(-1, 2)
    interval = cluster_bootstrap(rows, draws.clusters, _correlation, draws.replicates, draws.seed)
    return result_of("pcc", VERSION, _pearson(rows), interval, n=len(rows), words="white-space")


def _pearson(rows: Floats) -> Value:
    if len(rows) < 2:
        return Value.none(f"a correlation needs 2 samples, there are {len(rows)}")
    for column, what in enumerate(("generated lengths", "requested bins")):
        if np.ptp(rows[:, column]) == 0:
            return Value.none(f"all {what} are {rows[0, column]:g}: no variance")
    return Value.of(_correlation(rows))


def _correlation(rows: Floats) -> float:
    apart = rows - rows.mean(axis=0)
    above = float(apart[:, 0] @ apart[:, 1])
    below = float(np.sqrt((apart[:, 0] @ apart[:, 0]) * (apart[:, 1] @ apart[:, 1])))
    return min(1.0, max(-1.0, above / below)) if below else float("nan")


@dataclass(frozen=True)
class KeywordSuccess:
    """Share of requested keywords found, counted over all keywords and as the mean of the samples' shares."""

    pooled: Aggregate
    per_item: Aggregate
    found: int
    asked: int


def success_rate(texts: Sequence[str], requested: Sequence[Sequence[str]], draws: Draws = BY_SAMPLE) -> KeywordSuccess:
    """SR: requested keywords that occur in the summary, after Porter stemming (0 to 1, higher is better).

    texts: one summary per sample; requested: its keywords, empty where none were asked (such samples are left out and
    counted). A keyword of several words must occur as a run. Raises ValueError when they differ in number.
    """
    same_number(texts, requested, "summaries", "keyword lists")
    draws.check(len(texts))
    hits = [keywords.success(text, asked) if asked else [] for text, asked in zip(texts, requested, strict=True)]
    kept = [place for place, found in enumerate(hits) if found]
    found, asked = sum(map(sum, hits)), sum(map(len, hits))
    rate = Value.of(found / asked) if asked else Value.none("no keyword was requested")
    part = draws.of(kept)
    interval = ratio_bootstrap(
        [sum(hits[place]) for place in kept],
        [len(hits[place]) for place in kept],
        part.clusters,
        part.replicates,
        part.seed,
    )
    options = {"stemmer": keywords.STEMMER, "match": "contiguous"}
    left_out = len(hits) - len(kept)
    pooled = result_of("sr", VERSION, rate, interval, n=len(kept), left_out=left_out, over="keywords", **options)
    shares = [sum(each) / len(each) if each else None for each in hits]
    return KeywordSuccess(pooled, mean_of("sr", VERSION, shares, draws, over="items", **options), found, asked)


@dataclass(frozen=True)
class Readability:
    """Mean Flesch-Kincaid grade of each condition (school years), and how much easier "high" reads."""

    normal: Aggregate
    high: Aggregate
    difference: Aggregate


def readability_gap(texts: Sequence[str], requested: Sequence[str], draws: Draws = BY_SAMPLE) -> Readability:
    """F_normal, F_high and F_normal - F_high (higher is better) of summaries and their requested readability.

    Summaries without a grade (no words) are left out and counted. Raises ValueError when the two differ in number and
    for a request other than "normal" and "high".
    """
    same_number(texts, requested, "summaries", "requests")
    draws.check(len(texts))
    for place, value in enumerate(requested):
        if value not in READABILITY:
            raise ValueError(f"requested readability {place} is {value!r}: give normal or high")
    grades = [readability.fkgl(text) for text in texts]
    places = {value: [at for at, asked in enumerate(requested) if asked == value] for value in READABILITY}
    values = {value: _take(grades, at) for value, at in places.items()}
    parts = {value: draws.of(at) for value, at in places.items()}
    how = {"syllables": readability.SYLLABLES}
    normal, high = (mean_of("fkgl", VERSION, values[each], parts[each], condition=each, **how) for each in READABILITY)
    interval = difference_bootstrap(
        values["normal"],
        values["high"],
        parts["normal"].clusters,
        parts["high"].clusters,
        draws.replicates,
        draws.seed,
    )
    gap = _difference(normal.value, high.value)
    left_out = normal.left_out + high.left_out
    n = normal.n + high.n
    return Readability(normal, high, result_of("fkgl-gap", VERSION, gap, interval, n=n, left_out=left_out, **how))


def _difference(normal: Value, high: Value) -> Value:
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
    the requested class and no hit of the other. requested: "low" or "high". A class neither asked nor answered has no
    F1. Raises ValueError for other labels and when they differ in number.
    """
    same_number(judged, requested, "judged labels", "requests")
    table = np.array([_codes(answer, asked) for answer, asked in zip(judged, requested, strict=True)]).reshape(-1, 2)

    def of(value: int, name: str) -> Aggregate:
        interval = cluster_bootstrap(table, draws.clusters, lambda rows: _f1(rows, value), draws.replicates, draws.seed)
        asked = f"nobody asked for {name} and the judge never answered it"
        return result_of("focus-f1", VERSION, _or_none(_f1(table, value), asked), interval, n=len(table), focus=name)

    interval = cluster_bootstrap(table, draws.clusters, _macro, draws.replicates, draws.seed)
    macro = _or_none(_macro(table), "the F1 of a class is undefined")
    mean = result_of("focus-f1", VERSION, macro, interval, n=len(table), focus="macro")
    return FocusF1(of(0, "low"), of(1, "high"), mean, sum(answer is None for answer in judged))


def _codes(answer: str | None, asked: str) -> tuple[float, float]:
    if asked not in FOCUS or (answer is not None and answer not in FOCUS):
        raise ValueError(f"focus {asked!r} requested, {answer!r} judged: give low or high (judged: or None)")
    return (-1.0 if answer is None else float(FOCUS[answer] == "high")), float(FOCUS[asked] == "high")


def _f1(rows: Floats, value: int) -> float:
    """2 TP / (2 TP + FP + FN), NaN for 0 / 0; rows (n, 2) of judged and requested."""
    judged, asked = rows[:, 0] == value, rows[:, 1] == value
    either = int(judged.sum() + asked.sum())
    return 2 * int((judged & asked).sum()) / either if either else float("nan")


def _macro(rows: Floats) -> float:
    return (_f1(rows, 0) + _f1(rows, 1)) / 2


def _or_none(number: float, why: str) -> Value:
    return Value.none(why) if np.isnan(number) else Value.of(number)


def judge_accuracy(judged: Sequence[str | None], by_hand: Sequence[str], draws: Draws = BY_SAMPLE) -> Aggregate:
    """Share of the judge's labels that equal those given by hand (0 to 1); an invalid answer (None) is wrong.

    Raises ValueError as `focus_f1`. The paper reports 93 % for its judge (named GPT-4 in the text, GPT-4o in the
    appendix).
    """
    same_number(judged, by_hand, "judged labels", "labels by hand")
    pairs = [_codes(answer, label) for answer, label in zip(judged, by_hand, strict=True)]
    invalid = sum(answer is None for answer in judged)
    return mean_of(
        "judge-accuracy", VERSION, [float(answer == label) for answer, label in pairs], draws, invalid=str(invalid)
    )


def _take(items: Sequence[_T], places: Sequence[int]) -> list[_T]:
    return [items[place] for place in places]

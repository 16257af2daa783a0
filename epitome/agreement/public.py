"""Agreement of raters on plain labels: percent, kappa, alpha and Gwet's coefficients, each with its interval; and of
annotators on what they marked in a text.

from epitome.agreement import agreement, marking_agreement
print(agreement([["yes", "yes"], ["no", "yes"], ["no", None]]))
print(marking_agreement([
    {"sample": "s1", "annotator": "annotator1", "spans": [[0, 4]], "units": 20},
    {"sample": "s1", "annotator": "annotator2", "spans": [[2, 4]], "units": 20},
]))
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from epitome.agreement.alpha import MAX_ORDINAL, alpha_statistic, ordinal_alpha_statistic
from epitome.agreement.fleiss import fleiss_statistic
from epitome.agreement.gwet import gwet_statistic
from epitome.agreement.intervals import (
    DEFAULT_REPLICATES,
    DEFAULT_SEED,
    LEVEL,
    Estimate,
    Statistic,
    estimate_statistics,
    undefined_statistic,
)
from epitome.agreement.judgement_rows import list_raters, read_label, read_rows
from epitome.agreement.kappa import kappa_statistic, pairs_mean_statistic
from epitome.agreement.markings import (
    MarkedText,
    estimate_markings,
    mean_statistic,
    pairwise_f1,
    pairwise_rouge_l,
    pooled_alpha_statistic,
)
from epitome.agreement.notes import build_notes, label_text
from epitome.agreement.percent import percent_statistic
from epitome.agreement.report import MAX_LABELS, MAX_PAIR_RATERS
from epitome.agreement.scales import SCALES, Floats, Weights, disagreement_matrix
from epitome.agreement.table import Label, Ratings, is_missing, label_key
from epitome.measures.signature import Signature
from epitome.results import Score, Scores

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Score", "Scores", "agreement", "marking_agreement"]
VERSION = "2"
Judgement = tuple[Any, str, tuple[str, str], Label]
"""(cluster, rater, (item, question), answer)"""


def agreement(
    data: DataFrame | Sequence[Mapping[str, Any]] | Sequence[Sequence[Any]],
    weights: Weights = "nominal",
    *,
    order: Sequence[Label] | None = None,
    by: str | None = None,
    replicates: int = DEFAULT_REPLICATES,
    seed: int = DEFAULT_SEED,
) -> Scores:
    """Every coefficient that applies, for labels as they are: text, numbers or true/false.

    data: one row per judgement with `item`, `rater`, `answer` (or `item_id`, `label`, `rating`), optionally `question`
        and `source`, as mappings or a DataFrame; or one row per item with one answer per rater, None (NaN, NA) where
        missing, as lists or a DataFrame whose columns are the raters, beside perhaps one that names the items
        (`item`, `id`, `sample_id`, ...).
    weights: "nominal", "linear" or "quadratic" by the place of an answer on the scale, or a matrix of disagreements in
        the order of the labels.
    order: the labels of the scale from low to high, also those that nobody gave; default: numbers by size, no before
        yes, text by alphabet. Numbers keep their distances, ordered text has equal steps.
    by: a column (`question`, `system`, ...): the same for the judgements of each of its values, as `VALUE.percent` and
        so on, before all together. A unit is one question about one item; intervals draw sources where every row has
        one, else items.
    Returns `percent`, `cohen_kappa` (two raters; more: `cohen_kappa_pairs_mean`), `fleiss_kappa`, `krippendorff_alpha`
    (for ordered scales also `_ordinal`) and `gwet_ac1`, or `gwet_ac2` with other weights. n counts the units with two
    answers, left_out the others; the title names the raters; notes say what to know before quoting the numbers.
    Raises ValueError: no rows, a field missing, two answers of one rater to one thing, a label that `order` lacks, two
    columns of one name, a column of ids among the raters, answers such as 1 and "1".
    """
    if isinstance(weights, str) and weights not in SCALES:
        raise ValueError(f"weights is {weights!r}: give one of {', '.join(SCALES)}, or a matrix of disagreements")
    rows = read_rows(data)
    scores: dict[str, Score] = {}
    notes: list[str] = []
    pooled, pooled_notes = _group_scores(rows, weights, order, replicates, seed)
    if by is not None:
        for value in dict.fromkeys(_group_name(index, row, by) for index, row in enumerate(rows)):
            chosen = [row for row in rows if str(row[by]) == value]
            group, group_notes = _group_scores(chosen, weights, order, replicates, seed)
            scores |= {f"{value}.{name}": score for name, score in group.items()}
            notes += [f"{value}: {note}" for note in group_notes if note not in pooled_notes]
    scores |= pooled
    raters, items = {str(row["rater"]) for row in rows}, {row["item"] for row in rows}
    details = {"judgements": len(rows), "items": len(items), "raters": len(raters)}
    names = list_raters(sorted(raters))
    title = f"Agreement, judgements: {len(rows)}, items: {len(items)}, raters: {len(raters)} ({names})"
    return Scores(title, scores, scores["percent"].signature, details, (*pooled_notes, *notes))


def marking_agreement(
    rows: Sequence[Mapping[str, Any]],
    *,
    language: str = "en",
    replicates: int = DEFAULT_REPLICATES,
    seed: int = DEFAULT_SEED,
) -> Scores:
    """How far annotators marked the same parts of texts, and how alike the texts are that they wrote about them.

    rows: one mapping per sample and annotator: `sample`, `annotator`; `units`, how many units (segments, words,
        characters) the text has; what was marked, as `marked`, a list of unit numbers from 0, or as `spans`, a list of
        [start, end) in units; optionally `text`, what the annotator wrote, and `source`.
    language: of `text`.
    Returns `f1` (mean over samples of the mean over pairs), `alpha` (Krippendorff's, of "marked" over the units of all
    samples) and, where every row has a text, `rouge_l`. Samples of one annotator are left out. Intervals draw sources
    where every row has one, else samples. n counts samples.
    Raises ValueError: no rows, a field missing, an annotator twice in a sample, a unit that the text does not have.
    """
    by_sample: dict[str, dict[str, Mapping[str, Any]]] = {}
    for index, row in enumerate(rows):
        if missing := [name for name in ("sample", "annotator", "units") if row.get(name) is None]:
            raise ValueError(f"row {index} has no {missing[0]}; it has {', '.join(map(str, row))}")
        if by_sample.setdefault(str(row["sample"]), {}).setdefault(str(row["annotator"]), row) is not row:
            raise ValueError(f"row {index}: annotator {row['annotator']!r:.40} has sample {row['sample']!r:.40} twice")
    if not by_sample:
        raise ValueError("no rows: give one per sample and annotator")
    samples = {name: list(given.values()) for name, given in by_sample.items() if len(given) > 1}
    texts = {name: _marked_text(name, given) for name, given in samples.items()}
    shares = [pairwise_f1(text.marked) for text in texts.values()]
    statistics = {"f1": mean_statistic(shares), "alpha": pooled_alpha_statistic(list(texts.values()))}
    counts = {"f1": sum(share.defined for share in shares), "alpha": len(texts)}
    if all(isinstance(row.get("text"), str) for row in rows):
        alike = [pairwise_rouge_l([row["text"] for row in given], language) for given in samples.values()]
        statistics["rouge_l"], counts["rouge_l"] = mean_statistic(alike), sum(value.defined for value in alike)
    by_source = all(not is_missing(row.get("source")) for row in rows)
    clusters = [str(given[0]["source"]) if by_source else name for name, given in samples.items()]
    estimates = estimate_markings(statistics, clusters, replicates=replicates, seed=seed)
    signature = Signature("markings", VERSION).with_(
        clusters="sources" if by_source else "samples", level=LEVEL, n=len(samples), bootstrap=replicates, seed=seed
    )
    scores = {}
    for name, estimate in estimates.items():
        low, high, left_out = estimate.interval.low, estimate.interval.high, len(by_sample) - counts[name]
        interval = None if low is None or high is None else (low, high)
        value = estimate.value
        scores[name] = Score(name, value.value, interval, counts[name], left_out, value.undefined, str(signature))
    return Scores(f"Agreement of marks, samples: {len(samples)}", scores, str(signature), {"samples": len(samples)})


def _marked_text(name: str, rows: Sequence[Mapping[str, Any]]) -> MarkedText:
    """What the annotators of one sample marked. Raises ValueError."""
    sizes = {row["units"] for row in rows}
    if len(sizes) > 1 or not all(isinstance(size, int) and size >= 0 for size in sizes):
        raise ValueError(f"sample {name!r:.40} has {sorted(map(str, sizes))} units: give one whole number for all rows")
    try:
        return MarkedText([_marked_units(row) for row in rows], sizes.pop())
    except (TypeError, ValueError) as error:
        raise ValueError(f"sample {name!r:.40}: {error}") from error


def _marked_units(row: Mapping[str, Any]) -> frozenset[int]:
    if row.get("marked") is None and row.get("spans") is None:
        raise ValueError("there is neither marked (unit numbers from 0) nor spans ([start, end) in units)")
    units = set(row.get("marked") or ())
    for start, end in row.get("spans") or ():
        if not 0 <= start < end:
            raise ValueError(f"the span [{start}, {end}) is empty or begins below 0")
        if end > row["units"]:
            raise ValueError(f"the span [{start}, {end}) ends behind the {row['units']} units of the text")
        units.update(range(start, end))
    return frozenset(units)


def _group_name(place: int, row: Mapping[str, Any], by: str) -> str:
    if by not in row:
        raise ValueError(f"row {place} has no {by!r}; it has {', '.join(map(str, row))}")
    if is_missing(row[by]):
        raise ValueError(f"item {row['item']!r:.40}, rater {row['rater']!r:.40}: {by} is {row[by]!r}; fill it in")
    return str(row[by])


def _group_scores(
    rows: Sequence[Mapping[str, Any]],
    weights: Weights,
    order: Sequence[Label] | None,
    replicates: int,
    seed: int,
) -> tuple[dict[str, Score], tuple[str, ...]]:
    """The coefficients of one group, and what to know about them."""
    ratings, drawn = build_ratings(rows, order)
    statistics = build_statistics(ratings, weights)
    estimates = estimate_statistics(statistics, ratings.clusters, replicates=replicates, seed=seed)
    scale = weights if isinstance(weights, str) else "own-matrix"
    n_paired = int((np.bincount(ratings.units, minlength=ratings.n_units) > 1).sum())
    signature = Signature("agreement", VERSION).with_(
        weights=scale, clusters=drawn, level=LEVEL, missing="gwet2014", n=n_paired,
        raters=ratings.n_raters, answers=len(ratings.labels), bootstrap=replicates, seed=seed,
    )  # fmt: skip
    scores = {
        name: _score_of(name, estimate, n_paired, ratings.n_units - n_paired, str(signature))
        for name, estimate in estimates.items()
    }
    notes = build_notes(ratings, estimates)
    return scores, notes if order is not None else (*notes, *_describe_order(ratings.labels, scale))


def _describe_order(labels: Sequence[Label], scale: str) -> list[str]:
    """That the distances of text answers come from the alphabet, where distances matter and nobody gave an order."""
    if scale == "nominal" or len(labels) < 3 or not any(isinstance(label, str) for label in labels):
        return []
    listed = ", ".join(f"{label:.40}" if isinstance(label, str) else label_text(label) for label in labels[:6])
    more = f" and {len(labels) - 6} more" if len(labels) > 6 else ""
    return [
        f"the weights go by the alphabet, since the answers are text and no order is given: {listed}{more}; "
        "give order=[...] from low to high"
    ]


def _score_of(name: str, estimate: Estimate, n: int, left_out: int, signature: str) -> Score:
    low, high = estimate.interval.low, estimate.interval.high
    interval = None if low is None or high is None else (low, high)
    value = estimate.value
    return Score(name, value.value, interval, n, left_out, value.undefined, signature)


def build_ratings(rows: Sequence[Mapping[str, Any]], order: Sequence[Label] | None) -> tuple[Ratings, str]:
    """The rows as numbers, and what the bootstrap draws: sources or items. Raises ValueError."""
    by_source = all(not is_missing(row.get("source")) for row in rows)
    judgements: dict[tuple[Any, str], Judgement] = {}
    cluster_of_item: dict[str, str] = {}
    for row in rows:
        unit = (str(row["item"]), str(row.get("question", "")))
        rater, cluster = str(row["rater"]), str(row["source"] if by_source else row["item"])
        if cluster_of_item.setdefault(unit[0], cluster) != cluster:
            raise ValueError(f"item {unit[0]!r:.40} has two sources: give each thing that was shown its own item")
        if (unit, rater) in judgements:
            about = f"question {unit[1]!r} about " if unit[1] else ""
            raise ValueError(f"rater {rater!r:.40} answers {about}item {unit[0]!r:.40} twice: keep one answer")
        judgements[unit, rater] = (cluster, rater, unit, row["answer"])
    _check_kinds(judgements.values())
    labels = _order_labels([answer for *_, answer in judgements.values()], order)
    codes = {label_key(label): code for code, label in enumerate(labels)}
    units, unit_codes = np.unique([repr(unit) for _, _, unit, _ in judgements.values()], return_inverse=True)
    raters, rater_codes = np.unique([rater for _, rater, _, _ in judgements.values()], return_inverse=True)
    cluster_of_unit = {repr(unit): cluster for cluster, _, unit, _ in judgements.values()}
    clusters = np.unique([cluster_of_unit[str(unit)] for unit in units], return_inverse=True)[1]
    answers = np.array([codes[label_key(answer)] for *_, answer in judgements.values()], dtype=np.int64)
    ratings = Ratings(unit_codes, rater_codes, answers, labels, clusters, len(raters))
    return ratings, "sources" if by_source else "items"


def _check_kinds(judgements: Iterable[Judgement]) -> None:
    """Answers of two kinds that mean the same, such as 1 and "1", are not two answers. Raises ValueError."""
    known: dict[tuple[str, str], Label] = {}
    for _, rater, (item, question), answer in judgements:
        for reading in _readings_of(answer):
            other = known.setdefault((question, reading), answer)
            if type(other) is not type(answer):
                raise ValueError(
                    f"rater {rater!r:.40}, item {item!r:.40}: the answer {_show_label(answer)} stands beside "
                    f"{_show_label(other)}: write answers that mean the same alike, as numbers, text or true/false"
                )


def _readings_of(answer: Label) -> set[str]:
    """What an answer is read as: true is 1, "1.0" is 1, "True" is true."""
    if isinstance(answer, bool):
        return {str(answer).casefold(), label_text(float(answer))}
    if isinstance(answer, float):
        return {label_text(answer)}
    text = answer.strip().casefold()
    try:
        return {text, label_text(float(text))}
    except (ValueError, OverflowError):
        return {text}


def _show_label(label: Label) -> str:
    return f"{label!r:.60}" if isinstance(label, str | bool) else label_text(label)


def _order_labels(answers: Sequence[Label], order: Sequence[Label] | None) -> tuple[Label, ...]:
    if order is None:
        by_key = {label_key(answer): answer for answer in answers}
        return tuple(by_key[key] for key in sorted(by_key))
    labels = tuple(read_label(label) for label in order)
    known = {label_key(label) for label in labels}
    if len(known) != len(labels):
        raise ValueError("order names a label twice")
    if lacking := [answer for answer in answers if label_key(answer) not in known]:
        raise ValueError(f"the answer {lacking[0]!r:.60} is not in order: {', '.join(map(str, labels))}")
    return labels


def build_statistics(ratings: Ratings, weights: Weights) -> dict[str, Statistic]:
    """Every coefficient under one set of weights. Raises ValueError for weights that do not fit the labels."""
    n_labels = len(ratings.labels)
    points = [float(label) for label in ratings.labels if not isinstance(label, str | bool)]
    distances = disagreement_matrix(weights, n_labels, points if len(points) == n_labels else None)
    if ratings.n_raters < 2:
        why = "only one rater"
    elif n_labels > MAX_LABELS:
        why = f"{n_labels} different answers, more than the {MAX_LABELS} that are compared as categories"
    else:
        return _defined_statistics(ratings, weights, distances)
    names = ("percent", "cohen_kappa", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1")
    return {name: undefined_statistic(why) for name in names}


def _defined_statistics(ratings: Ratings, weights: Weights, distances: Floats) -> dict[str, Statistic]:
    counts, nominal = ratings.counts(), isinstance(weights, str) and weights == "nominal"
    statistics = {"percent": percent_statistic(counts)}
    if ratings.n_raters == 2:
        statistics["cohen_kappa"] = kappa_statistic(ratings.column(0), ratings.column(1), distances)
    elif ratings.n_raters <= MAX_PAIR_RATERS:
        statistics["cohen_kappa_pairs_mean"] = pairs_mean_statistic(ratings, distances)
    statistics["fleiss_kappa"] = fleiss_statistic(counts, distances)
    statistics["krippendorff_alpha"] = alpha_statistic(counts, distances)
    if not nominal and 2 < len(ratings.labels) <= MAX_ORDINAL:
        statistics["krippendorff_alpha_ordinal"] = ordinal_alpha_statistic(counts)
    statistics["gwet_ac1" if nominal else "gwet_ac2"] = gwet_statistic(counts, distances)
    return statistics

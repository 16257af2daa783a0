"""CCSBench: how well summaries of papers follow requests for length, keywords, readability and focus."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from epitome.measures import ENGLISH
from epitome.measures.requested_names import parse_names
from epitome.metrics.bootstrap import DEFAULT_REPLICATES, DEFAULT_SEED
from epitome.metrics.ccsbench_scores import (
    FOCUS,
    LAST_BIN,
    READABILITY,
    focus_f1,
    mad,
    n_words,
    pcc,
    readability_gap,
    success_rate,
)
from epitome.metrics.draws import Draws, mean_of
from epitome.metrics.rouge_scores import VERSION, rouge_signature, rouge_values
from epitome.results import Score, Scores, score_of

Row = Mapping[str, Any]
BINS = {f"{1 + 50 * number if number else 0}-{50 + 50 * number}": number for number in range(LAST_BIN + 1)}
"""0-50 -> 0, 51-100 -> 1, ... 201-250 -> 4."""


def ccsbench(
    rows: Sequence[Row],
    *,
    language: str = ENGLISH,
    clusters: Sequence[Hashable] | None = None,
    replicates: int = DEFAULT_REPLICATES,
    seed: int = DEFAULT_SEED,
) -> Scores:
    """The columns of CCSBench's tables, as far as the rows hold what they need.

    rows: one mapping per sample with `prediction`, optionally `reference` (text), `requested` (length as a bin 0 to 4
        or "51-100"; keywords as text "a , b" or list; readability normal or high; focus low/conceptual or
        high/empirical) and `judged_focus` (the judge's label; null where it was neither).
    language: of the texts; in other languages than English ROUGE has words of all letters, and grades are undefined.
    clusters: what belongs together, such as the document of every row; intervals draw whole clusters.
    Returns `rougeL` and `mad` where there are references (`mad` without the rows whose request names no length), `pcc`
    where lengths are requested, `sr`, `fkgl.normal`, `fkgl.high`, `fkgl.gap`, `focus.low`, `focus.high`, `focus.macro`.
    Raises ValueError with the row's position.
    """
    texts = [_read_text(index, row, "prediction") for index, row in enumerate(rows)]
    if not texts:
        raise ValueError("no samples: the list is empty")
    draws = Draws(clusters, replicates, seed)
    draws.check(len(texts))
    requested = [row.get("requested") or {} for row in rows]
    scores = {
        **_reference_scores(rows, texts, draws, language),
        **_length_scores(requested, texts, draws),
        **_keyword_scores(requested, texts, draws),
        **_readability_scores(requested, texts, draws, language),
        **_focus_scores(rows, requested, draws),
    }
    if not scores:
        raise ValueError("the rows hold neither references nor requests, so there is nothing to measure")
    return Scores(f"CCSBench, samples: {len(texts)}", scores)


def _reference_scores(rows: Sequence[Row], texts: Sequence[str], draws: Draws, language: str) -> dict[str, Score]:
    indexes = [index for index, row in enumerate(rows) if row.get("reference") is not None]
    if not indexes:
        return {}
    references = [_read_text(index, rows[index], "reference") for index in indexes]
    predictions = [texts[index] for index in indexes]
    shares = rouge_values(references, predictions, ["rougeL"], language=language)["rougeL"]
    options = dict(rouge_signature(["rougeL"], language=language).options)
    scores = {"rougeL": score_of("rougeL", mean_of("rouge", VERSION, shares, draws.of(indexes), **options))}
    indexes = [index for index in indexes if _may_ask_length(rows[index])]
    if indexes:
        generated = [n_words(str(rows[index]["prediction"])) for index in indexes]
        reference_lengths = [n_words(str(rows[index]["reference"])) for index in indexes]
        scores["mad"] = score_of("mad", mad(generated, reference_lengths, draws.of(indexes)))
    return scores


def _may_ask_length(row: Row) -> bool:
    """Whether a length was requested, or nothing is known of the request."""
    requested = row.get("requested")
    return not requested or requested.get("length") is not None


def _length_scores(requested: Sequence[Row], texts: Sequence[str], draws: Draws) -> dict[str, Score]:
    places = _places_with(requested, "length")
    if not places:
        return {}
    bins = [_read_bin(index, requested[index]["length"]) for index in places]
    return {"pcc": score_of("pcc", pcc([n_words(texts[index]) for index in places], bins, draws.of(places)))}


def _keyword_scores(requested: Sequence[Row], texts: Sequence[str], draws: Draws) -> dict[str, Score]:
    keywords = [parse_names(row.get("keywords")) for row in requested]
    return {"sr": score_of("sr", success_rate(texts, keywords, draws).pooled)} if any(keywords) else {}


def _readability_scores(
    requested: Sequence[Row], texts: Sequence[str], draws: Draws, language: str
) -> dict[str, Score]:
    places = _places_with(requested, "readability")
    if not places:
        return {}
    labels = [_read_label(index, requested[index], "readability", READABILITY) for index in places]
    gap = readability_gap([texts[index] for index in places], labels, draws.of(places), language=language)
    cells = {"normal": gap.normal, "high": gap.high, "gap": gap.difference}
    return {f"fkgl.{name}": score_of(f"fkgl.{name}", cell) for name, cell in cells.items()}


def _focus_scores(rows: Sequence[Row], requested: Sequence[Row], draws: Draws) -> dict[str, Score]:
    indexes = [position for position in _places_with(requested, "focus") if "judged_focus" in rows[position]]
    if not indexes:
        return {}
    labels = [_read_label(position, requested[position], "focus", FOCUS) for position in indexes]
    for index in indexes:
        if rows[index]["judged_focus"] is not None:
            _read_label(index, rows[index], "judged_focus", FOCUS)
    result = focus_f1([rows[position]["judged_focus"] for position in indexes], labels, draws.of(indexes))
    return {f"focus.{name}": score_of(f"focus.{name}", getattr(result, name)) for name in ("low", "high", "macro")}


def _places_with(requested: Sequence[Row], name: str) -> list[int]:
    return [index for index, row in enumerate(requested) if row.get(name) is not None]


def _read_text(place: int, row: Row, name: str) -> str:
    if not isinstance(row.get(name), str):
        raise ValueError(f"row {place}: {name} is {row.get(name)!r:.60}, not a text")
    return str(row[name])


def _read_label(place: int, row: Row, name: str, allowed: Sequence[str] | Mapping[str, str]) -> str:
    if row[name] not in allowed:
        raise ValueError(f"row {place}: {name} is {row[name]!r:.60}; give one of {', '.join(allowed)}")
    return str(row[name])


def _read_bin(place: int, label: Any) -> int:
    """A bin by number or by its words."""
    number = BINS.get(label, label) if isinstance(label, str) else label
    if isinstance(number, str) and number.isdecimal():
        number = int(number)
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= LAST_BIN:
        raise ValueError(f"row {place}: length is {label!r:.60}; give a bin 0 to {LAST_BIN} or {', '.join(BINS)}")
    return number

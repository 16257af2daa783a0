"""The columns of CCSBench's tables for any texts, where the schema has its length bins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from epitome.schema import Attribute, Schema

if TYPE_CHECKING:
    from epitome.metrics.aggregate import Aggregate
    from epitome.metrics.draws import Draws

EDGES = (50, 100, 150, 200, 250)
READABILITY = ("normal", "high")


def has_ccsbench_length(schema: Schema) -> bool:
    """Whether the schema has CCSBench's length bins."""
    return _length_attribute(schema) is not None


def _length_attribute(schema: Schema) -> Attribute | None:
    matching = (attribute for attribute in schema.attributes if attribute.measure == "length")
    return next((attribute for attribute in matching if attribute.edges == EDGES), None)


def measure_run_texts(
    schema: Schema,
    texts: Sequence[str],
    values: Sequence[Mapping[str, Any]],
    references: Sequence[str | None],
    draws: Draws,
    judged: Mapping[int, str | None] | None = None,
) -> dict[str, Aggregate]:
    """mad, pcc, sr, normal, high, gap, f1, f1_low and f1_high -> value; normal and high are grades of each requested
    readability, gap is their difference, f1 is the mean of its two classes. One text, request and human summary (None:
    there is none) per sample.

    judged: place of a text -> the focus that a judge saw in it, None for an invalid answer. Each number is of the
    texts whose attribute was requested. Attributes that the schema lacks are omitted, and so are the distance without
    human summaries and F1 without a judge. Grades are undefined, with the reason, in other languages than English.
    """
    from epitome.metrics import ccsbench_scores as metrics

    length = _length_attribute(schema)
    if length is None or not texts:
        return {}
    words = [metrics.n_words(text) for text in texts]
    requested_places = [
        index for index, sample_values in enumerate(values) if sample_values.get(length.key) in length.values
    ]
    columns = {}
    if any(text is not None for text in references):
        indexes = [index for index in requested_places if references[index] is not None]
        paired = [metrics.n_words(references[index] or "") for index in indexes]
        columns["mad"] = metrics.mad([words[index] for index in indexes], paired, draws.of(indexes))
    bins = [length.index(values[index][length.key]) for index in requested_places]
    columns["pcc"] = metrics.pcc([words[index] for index in requested_places], bins, draws.of(requested_places))
    for attribute in schema.attributes:
        if attribute.traits.picks_topics:
            picks = [tuple(row.get(attribute.key) or ()) for row in values]
            columns["sr"] = metrics.success_rate(texts, picks, draws).pooled
        elif attribute.measure == "readability" and attribute.values == READABILITY:
            indexes = [index for index, row in enumerate(values) if row.get(attribute.key) in READABILITY]
            requested = [values[index][attribute.key] for index in indexes]
            graded, drawn = [texts[index] for index in indexes], draws.of(indexes)
            gap = metrics.readability_gap(graded, requested, drawn, language=schema.language)
            columns |= {"normal": gap.normal, "high": gap.high, "gap": gap.difference}
        elif attribute.key == "focus" and judged is not None:
            indexes = [index for index, row in enumerate(values) if index in judged and row.get("focus")]
            labels, requested = [judged[index] for index in indexes], [values[index]["focus"] for index in indexes]
            f1 = metrics.focus_f1(labels, requested, draws.of(indexes))
            columns |= {"f1": f1.macro, "f1_low": f1.low, "f1_high": f1.high}
    return columns

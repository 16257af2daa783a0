"""The columns of CCSBench's tables for any texts, where the schema has its length bins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from annotation.schema import Attribute, Schema

if TYPE_CHECKING:
    from evaluation.metrics.aggregate import Aggregate
    from evaluation.metrics.draws import Draws

EDGES = (50, 100, 150, 200, 250)
READABILITY = ("normal", "high")


def has_ccsbench_length(schema: Schema) -> bool:
    """Whether the schema has CCSBench's length bins."""
    return _length_attribute(schema) is not None


def _length_attribute(schema: Schema) -> Attribute | None:
    bin_attributes = (
        attribute for attribute in schema.attributes if attribute.kind == "bins" and attribute.edges == EDGES
    )
    return next((attribute for attribute in bin_attributes if attribute.measure == "length"), None)


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
    human summaries and F1 without a judge.
    """
    from evaluation.metrics import ccsbench as metrics

    length = _length_attribute(schema)
    if length is None or not texts:
        return {}
    words = [metrics.n_words(text) for text in texts]
    requested_places = [
        place for place, sample_values in enumerate(values) if sample_values.get(length.key) in length.values
    ]
    columns = {}
    if any(text is not None for text in references):
        places = [place for place in requested_places if references[place] is not None]
        paired = [metrics.n_words(references[place] or "") for place in places]
        columns["mad"] = metrics.mad([words[place] for place in places], paired, draws.of(places))
    bins = [length.index(values[place][length.key]) for place in requested_places]
    columns["pcc"] = metrics.pcc([words[place] for place in requested_places], bins, draws.of(requested_places))
    for attribute in schema.attributes:
        if attribute.kind == "keywords":
            picks = [tuple(row.get(attribute.key) or ()) for row in values]
            columns["sr"] = metrics.success_rate(texts, picks, draws).pooled
        elif attribute.measure == "readability" and attribute.values == READABILITY:
            places = [place for place, row in enumerate(values) if row.get(attribute.key) in READABILITY]
            requested = [values[place][attribute.key] for place in places]
            gap = metrics.readability_gap([texts[place] for place in places], requested, draws.of(places))
            columns |= {"normal": gap.normal, "high": gap.high, "gap": gap.difference}
        elif attribute.key == "focus" and judged is not None:
            places = [place for place, row in enumerate(values) if place in judged and row.get("focus")]
            labels, requested = [judged[place] for place in places], [values[place]["focus"] for place in places]
            f1 = metrics.focus_f1(labels, requested, draws.of(places))
            columns |= {"f1": f1.macro, "f1_low": f1.low, "f1_high": f1.high}
    return columns

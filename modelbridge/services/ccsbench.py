"""What CCSBench's tables show of the texts of one run, for projects that ask for length in its bins of words.

Focus is missing: it takes a judge.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from annotation.schema import Attribute, Schema

if TYPE_CHECKING:
    from evaluation.metrics.aggregate import Aggregate
    from evaluation.metrics.draws import Draws

EDGES = (50, 100, 150, 200, 250)
READABILITY = ("normal", "high")
COLUMNS = {"mad": "MAD ↓", "pcc": "PCC ↑", "sr": "SR ↑", "normal": "F normal", "high": "F high", "gap": "ΔF ↑"}
"""Mean distance in bins, correlation with the requested bin, share of keywords found, grades, and their difference."""


def applies(schema: Schema) -> bool:
    """Whether the project's length is CCSBench's."""
    return _length(schema) is not None


def _length(schema: Schema) -> Attribute | None:
    found = (each for each in schema.attributes if each.kind == "bins" and each.edges == EDGES)
    return next((each for each in found if each.measure == "length"), None)


def measured(
    schema: Schema,
    texts: Sequence[str],
    values: Sequence[Mapping[str, Any]],
    references: Sequence[str | None],
    draws: "Draws",
) -> "dict[str, Aggregate]":
    """Keys of COLUMNS -> value. One text, request and human summary (None: there is none) per sample.

    What the schema does not ask for is left out, as is the distance where there is no human summary.
    """
    from evaluation.metrics import ccsbench as metrics

    length = _length(schema)
    if length is None or not texts:
        return {}
    places = [place for place, text in enumerate(references) if text is not None]
    paired = [metrics.n_words(references[place] or "") for place in places]
    words = [metrics.n_words(text) for text in texts]
    found = {"mad": metrics.mad([words[place] for place in places], paired, draws.of(places))} if places else {}
    asked = [place for place, each in enumerate(values) if each.get(length.key) in length.values]
    bins = [length.index(values[place][length.key]) for place in asked]
    found["pcc"] = metrics.pcc([words[place] for place in asked], bins, draws.of(asked))
    for each in schema.attributes:
        if each.kind == "keywords":
            picks = [tuple(row.get(each.key) or ()) for row in values]
            found["sr"] = metrics.success_rate(texts, picks, draws).pooled
        elif each.measure == "readability" and each.values == READABILITY:
            places = [place for place, row in enumerate(values) if row.get(each.key) in READABILITY]
            requested = [values[place][each.key] for place in places]
            gap = metrics.readability_gap([texts[place] for place in places], requested, draws.of(places))
            found |= {"normal": gap.normal, "high": gap.high, "gap": gap.difference}
    return found

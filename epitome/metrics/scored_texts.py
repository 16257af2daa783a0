"""Reads what a scorer's run stored for one sample: the scores of its golds, and those of their contrastive examples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

EXAMPLE, GOLD = "contrastive:", "annotation:"
"""What `of`, the row that a text was read from, and some keys begin with."""
ScoreKind = Literal["sum", "mean"]


@dataclass(frozen=True)
class ScoredSample:
    """golds: primary key of a gold's annotation -> its score. first_gold: that of the first one, whose key may not be
    known. examples: primary key or public id of a contrastive example, as text -> its score."""

    first_gold: float
    golds: Mapping[str, float]
    examples: Mapping[str, float]

    def is_dodged(self, *, pk: int, public_id: str, annotation: int) -> bool | None:
        """Whether the example scored below its gold: a tie is not dodged. None where it has no score."""
        score = self.examples.get(str(pk), self.examples.get(public_id))
        gold = self.golds.get(str(annotation), self.first_gold if len(self.golds) < 2 else None)
        return None if score is None or gold is None else gold > score


def read_scored_sample(scores: Mapping[str, Any], kind: ScoreKind = "sum") -> ScoredSample | None:
    """The scores in `SystemOutput.scores`: {"gold": {"sum", "mean", "of"}, "texts": {KEY: the same}}.

    `of` names the row of a text, as `annotation:12` or `contrastive:34`; where it is missing, KEY is the public id of
    an example, alone or after `contrastive:`. kind: which score. None where the first gold has none.
    """
    first_gold, texts = _read_score(scores.get("gold"), kind), scores.get("texts")
    if first_gold is None or not isinstance(texts, Mapping):
        return None
    golds, examples = {}, {}
    if (origin := _read_origin(scores["gold"])).startswith(GOLD):
        golds[origin.removeprefix(GOLD)] = first_gold
    for key, text_scores in texts.items():
        score, origin = _read_score(text_scores, kind), _read_origin(text_scores) or str(key)
        if score is None:
            continue
        if origin.startswith(GOLD):
            golds[origin.removeprefix(GOLD)] = score
        else:
            examples[origin.removeprefix(EXAMPLE)] = score
    return ScoredSample(first_gold, golds, examples)


def _read_score(scores: object, kind: ScoreKind) -> float | None:
    value = scores.get(kind) if isinstance(scores, Mapping) else scores
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _read_origin(scores: object) -> str:
    return str(scores.get("of", "")) if isinstance(scores, Mapping) else ""

"""Drafts of one sample, measured: what each step was asked, what came of it, and how far it is from what is wanted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, cast

from epitome.measures import MEASURES, NoTagger, SourceIndex, Tagger, Value, spacy_tagger
from epitome.systems.protocol import Request
from epitome.systems.refine.ranges import WantedRange, distance_to_range
from epitome.text.pipeline import PipelineNotFound
from epitome.text.words import n_words


@dataclass(frozen=True)
class Draft:
    """One text. number: from 1. parent: the draft that it changes, 0 for the first. asked_keys: the attributes to be
    changed. turns: what was said between the parent's text and this one, by us and by the model in turn. aims: the
    moved ranges, of systems that are asked nothing in words. measured: by attribute. usage: of this step alone."""

    number: int
    text: str
    parent: int = 0
    asked_keys: tuple[str, ...] = ()
    turns: tuple[str, ...] = ()
    aims: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    measured: Mapping[str, Value] = field(default_factory=dict)
    distances: Mapping[str, float] = field(default_factory=dict)
    usage: Mapping[str, float] = field(default_factory=dict)

    @property
    def distance(self) -> float:
        """The sum of the distances to the ranges; 0 where all are met."""
        return sum(self.distances.values())

    @property
    def missed(self) -> tuple[str, ...]:
        """The attributes outside of their range."""
        return tuple(key for key, distance in self.distances.items() if distance > 0)

    @property
    def state(self) -> tuple[Any, ...]:
        """What a system that always answers alike would change in the same way."""
        return (self.text, tuple(sorted(self.aims.items())))

    @property
    def is_empty(self) -> bool:
        return not self.text.strip()


class Measurer:
    """Measures drafts of one request. Words are counted as on the bench; everything else is the attribute's measure."""

    def __init__(self, request: Request, wanted: Sequence[WantedRange]) -> None:
        self.request, self.wanted = request, wanted
        self.source = SourceIndex(cast(Any, request.segments), domain=request.schema.domain)

    def measure(self, text: str) -> dict[str, Value]:
        """By attribute, of those that can be measured."""
        return {row.attribute.key: self._measure(text, row) for row in self.wanted if row.is_measured}

    def _measure(self, text: str, row: WantedRange) -> Value:
        if row.unit:
            return Value.of(n_words(text))
        measure, language = MEASURES[row.attribute.measure], self.request.schema.language
        tagger = load_tagger() if measure.needs_tagger else None
        if measure.needs_tagger and tagger is None and not measure.explain_refusal(language):
            return Value.none("no tagger is installed here")
        names = list(self.request.picks(row.attribute.key)) if row.attribute.candidate_kind else None
        return measure(text, self.source, names, tagger=tagger, language=language)

    def distances(self, measured: Mapping[str, Value]) -> dict[str, float]:
        """By attribute, of those that have a range."""
        return {
            row.attribute.key: distance_to_range(measured[row.attribute.key], row)
            for row in self.wanted
            if row.has_range and row.attribute.key in measured
        }


@cache
def load_tagger() -> Tagger | None:
    """The shipped tagger; None where it cannot be loaded, so that measures that need it are undefined."""
    try:
        return spacy_tagger()
    except (PipelineNotFound, NoTagger, ImportError):
        return None


def draft_as_json(draft: Draft, wanted: Sequence[WantedRange]) -> dict[str, Any]:
    """A step as it is stored with the output: `number`, `parent`, `asked`, `turns`, `text`, `aims`, `usage`, and
    `measures`, by attribute {"measured" or "undefined", "low", "high", "distance", "unit"}."""
    measures: dict[str, dict[str, Any]] = {}
    for row in wanted:
        key = row.attribute.key
        if key in draft.measured:
            value = draft.measured[key]
            number = {"measured": round(float(value), 6)} if value.defined else {"undefined": value.undefined}
            limits = {"low": row.low, "high": row.high, "distance": draft.distances.get(key)}
            measures[key] = {**number, **(limits if row.has_range else {}), **({"unit": row.unit} if row.unit else {})}
    step: dict[str, Any] = {
        "number": draft.number,
        "parent": draft.parent,
        "asked": list(draft.asked_keys),
        "turns": list(draft.turns),
        "text": draft.text,
        "measures": measures,
        "usage": dict(draft.usage),
    }
    return {**step, "aims": {key: list(aim) for key, aim in draft.aims.items()}} if draft.aims else step

"""What is checked of each of several summaries of one sample, and how far it is from the others. For the pilot and for
overlap: both put answers to the same request side by side.

Nothing here decides: a check says what is there, in numbers, beside the median of the others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean, median
from typing import Any

from annotation.kinds.summary import marked
from annotation.measures import SourceIndex
from annotation.measures.copying import copied_runs
from annotation.measures.topic import topic_share
from annotation.models import Annotation, Sample
from annotation.schema import Attribute
from annotation.services.dashboard import minutes_of
from annotation.services.measuring import requests
from annotation.services.scores import Scored, latest_scores
from annotation.text.words import n_words

RUN = 3
"""Words in a row that stand in the source exactly so, from which on they count as copied."""


@dataclass(frozen=True, slots=True)
class Band:
    """The length asked for, in whole words, as the writer saw it; None: open at that end."""

    low: int | None
    high: int | None

    def place(self, words: int) -> str:
        """below | inside | above"""
        if self.low is not None and words < self.low:
            return "below"
        return "above" if self.high is not None and words > self.high else "inside"


@dataclass(slots=True)
class Answer:
    """One summary with its checks. pieces: (copied from the source, text), together the text. Shares from 0 to 1;
    minutes: active ones, else (`wall`) from draft to handing in.

    scores: measure -> number or why there is none. named: attribute key -> (texts of the request that stand in the
    summary, all of them). alike, marked_alike: mean overlap with the others in words, and in marked segments;
    None without others.
    """

    annotation: Annotation
    text: str
    title: str
    words: int
    band: Band | None
    pieces: list[tuple[bool, str]]
    copied: float
    named: dict[str, tuple[list[str], list[str]]]
    segments: int
    spans: int
    minutes: float | None
    wall: bool
    scores: Mapping[str, Scored]
    vocabulary: frozenset[str] = frozenset()
    marks: frozenset[int] = frozenset()
    alike: float | None = None
    marked_alike: float | None = None
    apart: dict[str, float] = field(default_factory=dict)

    @property
    def in_band(self) -> str:
        return self.band.place(self.words) if self.band else ""

    def numbers(self) -> dict[str, float]:
        """What is compared with the median of the others."""
        found = {"words": float(self.words), "copied": self.copied, "segments": float(self.segments)}
        if self.minutes is not None:
            found["minutes"] = self.minutes
        found.update({key: one.value for key, one in self.scores.items() if one.value is not None})
        return found


def answers(sample: Sample, annotations: Sequence[Annotation]) -> list[Answer]:
    """Checks of the summaries of one sample, in the order given. The sample comes with group, text and schema.

    Two or three queries, whatever their number.
    """
    scores = latest_scores(sample.project, ids=[one.pk for one in annotations])
    index = SourceIndex(sample.group.document.source_text.segments, domain=sample.schema_version.schema.domain)  # type: ignore[arg-type]
    found = [_answer(sample, one, index, scores.get(one.pk, {})) for one in annotations]
    _compare(found)
    return found


def _answer(sample: Sample, annotation: Annotation, index: SourceIndex, scores: Mapping[str, Scored]) -> Answer:
    payload = annotation.payload
    text = str(payload.get("summary", ""))
    minutes, active = minutes_of(annotation.timings)
    words = n_words(text)
    pieces = copied_pieces(text, index)
    marks = frozenset(marked(payload.get("relevant_segments", [])))
    return Answer(
        annotation=annotation,
        text=text,
        title=str(payload.get("title", "")),
        words=words,
        band=_band(annotation),
        pieces=pieces,
        copied=min(1.0, sum(n_words(piece) for copied, piece in pieces if copied) / words) if words else 0.0,
        named=_named(sample, text),
        segments=len(marks),
        spans=len(payload.get("spans", [])),
        minutes=minutes,
        wall=minutes is not None and not active,
        scores=scores,
        vocabulary=frozenset(word.strip(".,;:!?\"'“”‘’()").casefold() for word in text.split()) - {""},
        marks=marks,
    )


def _band(annotation: Annotation) -> Band | None:
    for shown in annotation.band_shown.values():
        if shown.get("from") is not None or shown.get("to") is not None:
            return Band(shown.get("from"), shown.get("to"))
    return None


def copied_pieces(text: str, index: SourceIndex) -> list[tuple[bool, str]]:
    """The text cut where runs of at least RUN words begin and end that stand in the source exactly so."""
    found: list[tuple[bool, str]] = []
    upto = 0
    for run in copied_runs(text, index, RUN):
        start = max(run.start, upto)
        if start >= run.end:
            continue
        if start > upto:
            found.append((False, text[upto:start]))
        found.append((True, text[start : run.end]))
        upto = run.end
    return [*found, (False, text[upto:])] if upto < len(text) else found


def _named(sample: Sample, text: str) -> dict[str, tuple[list[str], list[str]]]:
    """Of each chosen topic and speaker: whether all its words stand in the summary, case-free."""
    found = {}
    low = text.casefold()
    for one in chosen_attributes(sample):
        asked = [str(each) for each in sample.attributes.get(one.key) or []]  # type: ignore[attr-defined]
        if one.kind == "speakers":
            there = [name for name in asked if name.casefold() in low]
        else:
            there = [topic for topic in asked if topic.casefold() in low or topic_share(text, [topic]).value == 1]
        found[one.key] = (there, asked)
    return found


def chosen_attributes(sample: Sample) -> list[Attribute]:
    """Attributes of the request that name topics or speakers, and do."""
    return [one for one in sample.schema_version.schema.chosen if sample.attributes.get(one.key)]


def _compare(found: list[Answer]) -> None:
    """Put on each answer how far it is from the others."""
    if len(found) < 2:
        return
    numbers = [one.numbers() for one in found]
    for at, one in enumerate(found):
        others = [other for other in found if other is not one]
        one.alike = mean(_dice(one.vocabulary, other.vocabulary) for other in others)
        one.marked_alike = mean(_dice(one.marks, other.marks) for other in others)
        for key, own in numbers[at].items():
            theirs = [each[key] for place, each in enumerate(numbers) if place != at and key in each]
            if theirs:
                one.apart[key] = own - median(theirs)


def _dice(one: frozenset[Any], other: frozenset[Any]) -> float:
    """2 |A and B| / (|A| + |B|), 0 to 1; two empty sets are equal."""
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 1.0


def measured_keys(sample: Sample) -> list[tuple[str, str]]:
    """(measure, label) of the attributes that this sample asks a value for, in the schema's order."""
    asked = {**sample.values, **requests(sample.schema_version.schema, sample.attributes)}
    found: dict[str, str] = {}
    for one in sample.schema_version.schema.attributes:
        if one.measure and (one.filled_by == "sampler" or one.measure in asked or sample.attributes.get(one.key)):
            found.setdefault(one.measure, one.label)
    return list(found.items())


def request_of(sample: Sample) -> list[tuple[str, str]]:
    """(label, value in words) of everything a sample asks for."""
    found = []
    for one in sample.schema_version.schema.attributes:
        value = sample.attributes.get(one.key)
        if isinstance(value, list):
            if value:
                found.append((one.label, ", ".join(map(str, value))))
        elif value is not None:
            found.append((one.label, one.value_label(str(value)) or str(value)))
    return found

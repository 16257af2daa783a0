"""Compares several summaries of one sample: checks of each, and its distance from the others. Used by the pilot and by
overlap, which show answers to the same request side by side.

Nothing is decided here: a check reports numbers, beside the median of the others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean, median
from typing import Any

from annotation.kinds import get_task_kind
from annotation.models import Annotation, Sample
from annotation.services.core.word_patterns import join_names
from annotation.services.scores.measure_batches import requested_values
from annotation.services.scores.score_queries import Scored, latest_scores
from annotation.services.tasks.active_time import minutes_of
from epitome.measures import SourceIndex
from epitome.measures.copying import copied_runs
from epitome.measures.topic import topic_share
from epitome.schema import Attribute
from epitome.text.words import n_words, split_words

RUN = 3
"""Minimum number of consecutive words that occur in the source to count as copied."""


@dataclass(frozen=True, slots=True)
class Band:
    """The requested length in words, as shown to the writer; None: no limit at that end."""

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
    minutes: active time, else (`wall`) wall time from first draft to submission.

    scores: measure -> number or reason why there is none. mentions: attribute key -> (requested texts that occur in
    the summary, all requested texts). alike, marked_alike: mean overlap with the others in words, and in marked
    segments; None without others.
    """

    annotation: Annotation
    text: str
    title: str
    words: int
    band: Band | None
    pieces: list[tuple[bool, str]]
    copied: float
    mentions: dict[str, tuple[list[str], list[str]]]
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
        """The numbers that are compared with the median of the others."""
        values = {"words": float(self.words), "copied": self.copied, "segments": float(self.segments)}
        if self.minutes is not None:
            values["minutes"] = self.minutes
        values.update({key: score.value for key, score in self.scores.items() if score.value is not None})
        return values


def build_answers(sample: Sample, annotations: Sequence[Annotation]) -> list[Answer]:
    """Checks of the summaries of one sample, in the given order. The sample has group, text and schema loaded.

    Two or three queries for any number of summaries.
    """
    scores = latest_scores(sample.project, ids=[annotation.pk for annotation in annotations])
    index = SourceIndex(sample.group.document.source_text.segments, domain=sample.schema_version.schema.domain)  # type: ignore[arg-type]
    results = [_build_answer(sample, annotation, index, scores.get(annotation.pk, {})) for annotation in annotations]
    _compare_answers(results)
    return results


def _build_answer(sample: Sample, annotation: Annotation, index: SourceIndex, scores: Mapping[str, Scored]) -> Answer:
    kind = get_task_kind(sample.project.kind, has_sample=True)
    text, spans = kind.text_of(annotation.payload), kind.spans_of(annotation.payload)
    minutes, active = minutes_of(annotation.timings)
    words = n_words(text)
    pieces = copied_pieces(text, index)
    marks = frozenset(kind.segments_of(annotation.payload))
    return Answer(
        annotation=annotation,
        text=text,
        title=dict(kind.parts_of(annotation.payload)).get(kind.title_field, ""),
        words=words,
        band=_shown_band(annotation),
        pieces=pieces,
        copied=min(1.0, sum(n_words(piece) for copied, piece in pieces if copied) / words) if words else 0.0,
        mentions=_find_mentions(sample, text),
        segments=len(marks),
        spans=len(spans),
        minutes=minutes,
        wall=minutes is not None and not active,
        scores=scores,
        vocabulary=frozenset(word.strip(".,;:!?\"'“”‘’()").casefold() for word in split_words(text)) - {""},
        marks=marks,
    )


def _shown_band(annotation: Annotation) -> Band | None:
    for band in annotation.band_shown.values():
        if band.get("from") is not None or band.get("to") is not None:
            return Band(band.get("from"), band.get("to"))
    return None


def copied_pieces(text: str, index: SourceIndex) -> list[tuple[bool, str]]:
    """Split the text at the borders of runs of at least RUN words that occur in the source."""
    pieces: list[tuple[bool, str]] = []
    end = 0
    for run in copied_runs(text, index, RUN):
        start = max(run.start, end)
        if start >= run.end:
            continue
        if start > end:
            pieces.append((False, text[end:start]))
        pieces.append((True, text[start : run.end]))
        end = run.end
    return [*pieces, (False, text[end:])] if end < len(text) else pieces


def _find_mentions(sample: Sample, text: str) -> dict[str, tuple[list[str], list[str]]]:
    """Which chosen topics and speakers occur with all their words in the summary, ignoring case."""
    mentions = {}
    folded = text.casefold()
    for attribute in chosen_attributes(sample):
        values = sample.attributes.get(attribute.key)
        requested = [str(value) for value in values] if isinstance(values, list) else []
        if attribute.traits.picks_speakers:
            present = [name for name in requested if name.casefold() in folded]
        else:
            present = [
                topic for topic in requested if topic.casefold() in folded or topic_share(text, [topic]).value == 1
            ]
        mentions[attribute.key] = (present, requested)
    return mentions


def chosen_attributes(sample: Sample) -> list[Attribute]:
    """Attributes of the request that have chosen topics or speakers."""
    return [attribute for attribute in sample.schema_version.schema.chosen if sample.attributes.get(attribute.key)]


def _compare_answers(results: list[Answer]) -> None:
    """Set the distances from the others on each answer."""
    if len(results) < 2:
        return
    numbers = [answer.numbers() for answer in results]
    for index, answer in enumerate(results):
        others = [other for other in results if other is not answer]
        answer.alike = mean(_dice_coefficient(answer.vocabulary, other.vocabulary) for other in others)
        answer.marked_alike = mean(_dice_coefficient(answer.marks, other.marks) for other in others)
        for key, value in numbers[index].items():
            other_values = [
                other_numbers[key]
                for other_index, other_numbers in enumerate(numbers)
                if other_index != index and key in other_numbers
            ]
            if other_values:
                answer.apart[key] = value - median(other_values)


def _dice_coefficient(first: frozenset[Any], second: frozenset[Any]) -> float:
    """2 |A and B| / (|A| + |B|), 0 to 1; two empty sets are equal."""
    return 2 * len(first & second) / (len(first) + len(second)) if first or second else 1.0


def measured_keys(sample: Sample) -> list[tuple[str, str]]:
    """(measure, label) of the attributes requested by this sample, in the schema's order."""
    requested = {**sample.values, **requested_values(sample.schema_version.schema, sample.attributes)}
    labels: dict[str, str] = {}
    for attribute in sample.schema_version.schema.attributes:
        if attribute.measure and (
            attribute.filled_by == "sampler" or attribute.measure in requested or sample.attributes.get(attribute.key)
        ):
            labels.setdefault(attribute.measure, attribute.label)
    return list(labels.items())


def describe_request(sample: Sample) -> list[tuple[str, str]]:
    """(label, value as text) of every attribute a sample requests."""
    labelled_values = []
    for attribute in sample.schema_version.schema.attributes:
        value = sample.attributes.get(attribute.key)
        if isinstance(value, list):
            if value:
                labelled_values.append((attribute.label, join_names(value)))
        elif value is not None:
            labelled_values.append((attribute.label, attribute.value_label(str(value)) or str(value)))
    return labelled_values

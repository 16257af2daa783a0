"""The input of the statistics: one record per summary that counts, read in chunks of a fixed size."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast
from django.utils.translation import gettext as _

from annotation.jobs import Progress
from annotation.kinds import get_task_kind
from annotation.models import IMPORTED, Annotation, Group, Project, Sample, SourceDocument, SourceText
from annotation.services.core.withdrawn_people import text_gone
from annotation.services.exports.export_selection import ACCEPTED, NOT_USED
from annotation.services.scores.score_queries import Scored, latest_scores
from epitome.formats.encoded_json import parse_stored_json
from epitome.schema import Schema
from epitome.text.words import n_words

STEP = 2000
TEXTS = 100


@dataclass(slots=True)
class Source:
    """A source without its text."""

    pk: int
    public_id: str
    external_id: str
    split: str
    n_words: int
    n_tokens: int | None
    n_segments: int


@dataclass(slots=True)
class SampleRequest:
    """What one sample requests. picks: attribute -> how many were chosen. anchor: the sample with all attributes at
    their anchor values, in a group with picks that also has variants."""

    pk: int
    position: int
    source: Source
    values: Mapping[str, str]
    combination: str
    drawn: bool
    picks: Mapping[str, int]
    split: str
    anchor: bool = False

    @property
    def narrowed(self) -> bool:
        """Whether something was chosen, so that only a part of the source is relevant."""
        return any(self.picks.values())

    @property
    def is_reference(self) -> bool:
        """Whether it came with its source and requests nothing."""
        return not (self.drawn or self.values or self.narrowed)


@dataclass(slots=True)
class Record:
    """One summary: the newest revision of its attempt. base: words of its relevant segments. suggestion: what was kept
    of the text it started from."""

    pk: int
    sample: SampleRequest
    by_person: bool
    accepted: bool
    words: int
    arm: str
    seconds: float | None
    active: bool
    base: int = 0
    scores: Mapping[str, Scored] = field(default_factory=dict)
    suggestion: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ratio(self) -> float | None:
        """Summary words / relevant words; None where either is 0."""
        return self.words / self.base if self.base and self.words else None


def load_records(project: Project, progress: Progress) -> tuple[list[Record], dict[int, SampleRequest]]:
    """Every summary that counts, and every active sample by id. The number of queries grows with the project."""
    samples = _read_samples(project)
    records, marks = _read_records(project, samples, progress)
    _add_bases(records, marks, progress)
    return records, samples


class _SampleRow(NamedTuple):
    """values: JSON text."""

    pk: int
    document_id: int
    group_id: int
    position: int
    values: str
    combination: str
    sampler: str
    split: str


class _SummaryRow(NamedTuple):
    """payload, timings and suggestion: JSON text. state: None for a summary without an attempt."""

    pk: int
    sample_id: int
    origin: str
    state: str | None
    payload: str
    assistance: str
    timings: str
    suggestion: str


def _read_samples(project: Project) -> dict[int, SampleRequest]:
    sources = {
        row.pk: Source(
            row.pk, str(row.public_id), row.external_id, row.split, row.n_words, row.n_tokens, row.n_segments
        )
        for row in SourceDocument.objects.filter(project=project).values_list(
            "pk", "public_id", "external_id", "split", "n_words", "n_tokens", "n_segments", named=True
        )
    }
    groups = {
        pk: {key: len(texts) for key, texts in parse_stored_json(chosen).items()}
        for pk, chosen in Group.objects.filter(project=project).values_list("pk", Cast("chosen", TextField()))
    }
    known: dict[str, Mapping[str, str]] = {}  # many samples share few distinct sets of values
    samples, by_group = {}, defaultdict(list)
    rows = Sample.objects.active().filter(project=project)
    names = ("document_id", "group_id", "position", Cast("values", TextField()), "combination", "sampler", "split")
    for row in map(_SampleRow._make, _iterate_rows(rows, *names)):
        if row.document_id not in sources:
            continue
        values = known.setdefault(row.values, parse_stored_json(row.values))
        drawn, picks = row.sampler != IMPORTED, groups.get(row.group_id, {})
        source = sources[row.document_id]
        split = row.split or source.split
        sample = SampleRequest(row.pk, row.position, source, values, row.combination, drawn, picks, split)
        samples[row.pk] = sample
        by_group[row.group_id].append(sample)
    mark_anchors(project.schema_version.schema, by_group.values())
    return samples


def mark_anchors(schema: Schema, groups: Iterable[list[SampleRequest]]) -> None:
    """Set `anchor` of the samples, given group by group (one source, topics and speakers)."""
    plain = {attribute.key: attribute.anchor for attribute in schema.sampled if attribute.anchor}
    for group in groups:
        at_anchor = [all(sample.values.get(key) == value for key, value in plain.items()) for sample in group]
        if group[0].narrowed and any(at_anchor) and not all(at_anchor):
            for sample, is_anchor in zip(group, at_anchor, strict=True):
                sample.anchor = is_anchor


Marks = dict[int, set[int]]


def _read_records(
    project: Project, samples: dict[int, SampleRequest], progress: Progress
) -> tuple[list[Record], Marks]:
    rows = Annotation.objects.filter(~text_gone(), project=project, sample__isnull=False).latest_revisions()
    kind = get_task_kind(project.kind, has_sample=True)
    restored = _restored_states(project)
    records: list[Record] = []
    marks: Marks = {}
    names = (
        "sample_id",
        "origin",
        "assignment__state",
        Cast("payload", TextField()),
        "assistance",
        Cast("timings", TextField()),
        Cast("suggestion", TextField()),
    )
    total = rows.count()
    for step in _chunk_rows(_iterate_rows(rows, *names)):
        progress.check()
        for row in map(_SummaryRow._make, step):
            sample = samples.get(row.sample_id)
            state = row.state or restored.get(row.pk, "imported")
            if sample is None or state in NOT_USED:
                continue
            content = parse_stored_json(row.payload)
            seconds, active = _work_seconds(parse_stored_json(row.timings))
            by_person = row.origin != Annotation.Origin.IMPORT
            words = n_words(kind.text_of(content))
            record = Record(row.pk, sample, by_person, state in ACCEPTED, words, row.assistance, seconds, active)
            record.suggestion = parse_stored_json(row.suggestion)
            records.append(record)
            if sample.narrowed:
                marks[row.pk] = kind.segments_of(content) | {span["segment"] for span in kind.spans_of(content)}
        step_records = [record for record in records[-len(step) :] if step[0][0] <= record.pk <= step[-1][0]]
        scored = latest_scores(project, ids={record.pk for record in step_records})
        for record in step_records:
            record.scores = scored.get(record.pk, {})
        progress.set(len(records), total, _("reading the summaries"))
    return records, marks


def _restored_states(project: Project) -> dict[int, str]:
    """annotation id -> state of the restored summaries, which is in their own line."""
    rows = Annotation.objects.filter(project=project, origin=Annotation.Origin.RESTORED)
    return {pk: json.loads(raw).get("state", "imported") for pk, raw in _iterate_rows(rows, "raw_json")}


def _work_seconds(timings: Any) -> tuple[float | None, bool]:
    """(seconds of work, whether they are active seconds); elapsed seconds if no active ones were recorded."""
    for name in ("active_seconds", "seconds"):
        value = timings.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0:
            return float(value), name == "active_seconds"
    return None, False


def _add_bases(records: list[Record], marks: Marks, progress: Progress) -> None:
    """Set `base` of each record: the words of the marked segments, or of the full source if nothing was chosen."""
    by_source: dict[int, list[Record]] = defaultdict(list)
    for record in records:
        if record.pk in marks:
            by_source[record.sample.source.pk].append(record)
        else:
            record.base = record.sample.source.n_words
    ids = sorted(by_source)
    for start in range(0, len(ids), TEXTS):
        progress.check()
        texts = SourceText.objects.filter(pk__in=ids[start : start + TEXTS]).values_list("pk", "segments_json")
        for pk, text in texts:
            words = [n_words(segment["text"]) for segment in parse_stored_json(text)]
            for record in by_source[pk]:
                record.base = sum(words[i] for i in marks[record.pk] if 0 <= i < len(words))


def _iterate_rows(rows: "QuerySet[Any]", *names: Any) -> Iterator[tuple[Any, ...]]:
    """Values in order of id, a few thousand rows at a time."""
    last_pk = 0
    while step := list(rows.filter(pk__gt=last_pk).order_by("pk").values_list("pk", *names)[:STEP]):
        yield from step
        last_pk = step[-1][0]


def _chunk_rows(rows: Iterator[tuple[Any, ...]]) -> Iterator[list[tuple[Any, ...]]]:
    chunk: list[tuple[Any, ...]] = []
    for row in rows:
        chunk.append(row)
        if len(chunk) == STEP:
            yield chunk
            chunk = []
    if chunk:
        yield chunk

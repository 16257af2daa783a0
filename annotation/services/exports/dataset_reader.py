"""Reads a project's dataset source by source, for every export format.

Sources come in storage order, each with the lines of its samples. Reading uses keyset pagination: a fixed number of
queries per batch, no open cursor, no transaction; memory holds one batch at any project size.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery, TextField, Value
from django.db.models.functions import Cast, Coalesce, Length

from annotation.formats.epitome1 import FORMAT
from annotation.formats.quickjson import parse_stored_json
from annotation.models import (
    Annotation,
    Assignment,
    AssignmentState,
    Candidate,
    Group,
    GuidelineVersion,
    Project,
    RestoredSkip,
    Sample,
    SampleState,
    SchemaVersion,
    SourceDocument,
    SourceText,
)
from annotation.services.core.withdrawn_people import STATE, ExportPseudonyms, load_withdrawn
from annotation.services.exports.export_lines import LineMaker
from annotation.services.exports.prefetch import read_ahead
from annotation.services.inspection.export_rows import InspectionReader
from annotation.services.scores.score_queries import Metrics

ROWS = 200
"""Sources per query; split further if texts are long or samples are many."""
CHARACTERS = 2_000_000
SAMPLES = 1_000
GAP = 4
"""Maximum gap between the ids of a batch; rows of other projects in between are read in vain."""


Ids = tuple[int, int]
"""First and last id of a range."""


@dataclass(slots=True)
class Unit:
    """One source with its lines. segments: as stored, also where the exported line leaves them out."""

    document_id: int
    source: dict[str, Any]
    segments: list[dict[str, Any]]
    lines: list[dict[str, Any]] = field(default_factory=list)


class Choice(Protocol):
    """Selects the rows of an export and their states. newest_only: only the newest revision of an attempt.
    left_out: number of lines left out, by state."""

    newest_only: bool
    left_out: dict[str, int]

    def documents(self, project: Project) -> "QuerySet[SourceDocument]": ...

    def takes_document(self, document_id: int) -> bool: ...

    def state(self, annotation_id: int, state: str) -> str | None:
        """The state to export an annotation in; None leaves it out."""
        ...

    def takes_skip(self, assignment_id: int) -> bool: ...

    def takes_restored_skip(self, skip_id: int) -> bool: ...

    def split(self, origin_id: str, split: str) -> str: ...

    def flags(self, document: Any) -> dict[str, Any]: ...

    def metrics(self, project: Project) -> Metrics:
        """Where the scores of its annotations are read."""
        ...

    def inspected(self, project: Project) -> InspectionReader:
        """Where the verdicts on its annotations are read."""
        ...


DOCUMENT = (
    "pk",
    "external_id",
    "origin_id",
    "title",
    "split",
    "licence",
    "may_release_text",
    "metadata_json",
    "content_hash",
    "n_segments",
    "n_words",
    "selected",
    "damaged",
    "damaged_reason",
    "extractor",
)


def read_units(*, project: Project, choice: Choice, with_text: bool = True, authorship: bool = False) -> Iterator[Unit]:
    """Every selected source with its lines. with_text False omits all segments (faster).
    authorship: include the authorship shares in the lines."""
    reader = _Reader(project, choice, with_text, authorship)
    for loaded in read_ahead(_load_batches(reader, project, choice, with_text)):
        yield from reader.told(loaded)


def _load_batches(reader: "_Reader", project: Project, choice: Choice, with_text: bool) -> "Iterator[_LoadedBatch]":
    last_pk = 0
    while rows := list(_with_sizes(choice.documents(project).filter(pk__gt=last_pk), with_text)[:ROWS]):
        last_pk = rows[-1].pk
        for batch in _split_batches([row for row in rows if choice.takes_document(row.pk)]):
            yield reader.load(batch)


def read_units_of(*, project: Project, choice: Choice, document_ids: Sequence[int]) -> Iterator[Unit]:
    """The given sources with their lines, without their texts."""
    rows = list(_with_sizes(choice.documents(project).filter(pk__in=document_ids), False))
    reader = _Reader(project, choice, False)
    for batch in _split_batches(rows):
        yield from reader.told(reader.load(batch))


def _with_sizes(documents: "QuerySet[SourceDocument]", with_text: bool) -> QuerySet[Any]:
    samples = Sample.objects.filter(document_id=OuterRef("pk")).order_by().values("document_id")
    counted = samples.annotate(n=Count("pk")).values("n")
    size = Length("source_text__segments_json") if with_text else Coalesce("n_words", 0)
    sized = documents.annotate(size=size, samples_n=Coalesce(Subquery(counted, output_field=IntegerField()), 0))
    return sized.order_by("pk").values_list(*DOCUMENT, "size", "samples_n", named=True)


def _split_batches(rows: list[Any]) -> Iterator[list[Any]]:
    """Split rows into batches that are read together. A batch is a range of ids, because a database without
    statistics still uses the index for a range; so a new batch starts where ids of other projects lie between."""
    batch: list[Any] = []
    characters = samples = 0
    for row in rows:
        is_full = characters + row.size > CHARACTERS or samples + row.samples_n > SAMPLES
        if batch and (is_full or row.pk - batch[-1].pk > GAP):
            yield batch
            batch, characters, samples = [], 0, 0
        batch.append(row)
        characters += row.size
        samples += row.samples_n
    if batch:
        yield batch


@dataclass(frozen=True, slots=True)
class _LoadedBatch:
    """The rows of one batch. samples: per source, those that have lines (line_rows: per sample)."""

    part: list[Any]
    texts: dict[int, str]
    candidates: dict[int, dict[str, list[dict[str, Any]]]]
    groups: dict[int, tuple[Any, ...]]
    samples: dict[int, list[tuple[Any, ...]]]
    found: dict[int, list[tuple[str, Any]]]


class _Reader:
    """Reads one batch at a time: texts, candidates, groups, samples, annotations and skips."""

    def __init__(self, project: Project, choice: Choice, with_text: bool, authorship: bool = False) -> None:
        self.project, self.choice, self.with_text = project, choice, with_text
        # Read only if requested: it is a large column at 100,000 summaries.
        self.annotation = (*ANNOTATION, _as_text("authorship") if authorship else NOTHING)
        schemas = SchemaVersion.objects.filter(project=project).values_list("pk", "number")
        guidelines = GuidelineVersion.objects.filter(project=project).values_list("pk", "number")
        self.has_restored_skips = RestoredSkip.objects.filter(project=project).exists()
        self.withdrawn = load_withdrawn(project)
        pseudonyms = ExportPseudonyms(project, self.withdrawn.names)
        self.maker = LineMaker(project, dict(schemas), dict(guidelines), pseudonyms, authorship=authorship)
        self.metrics = choice.metrics(project)
        self.inspected = choice.inspected(project)

    def load(self, batch: list[Any]) -> _LoadedBatch:
        """Run all queries of a batch."""
        ids = (batch[0].pk, batch[-1].pk)
        texts, candidates = self._texts(ids), self._candidates(ids)
        samples = self._samples(ids) if any(row.samples_n for row in batch) else {}
        line_rows = self._found(samples) if samples else {}
        groups = self._groups(ids) if line_rows else {}
        by_document: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
        for pk, sample in samples.items():
            if pk in line_rows:
                by_document[sample[1]].append(sample)
        return _LoadedBatch(batch, texts, candidates, groups, by_document, line_rows)

    def told(self, loaded: _LoadedBatch) -> Iterator[Unit]:
        """Build the sources of a batch with their lines; no query."""
        for row in loaded.part:
            segments = parse_stored_json(loaded.texts.pop(row.pk, "[]"))
            split = self.choice.split(row.origin_id, row.split)
            source = self._source(row, split, segments, loaded.candidates.get(row.pk, {}))
            unit = Unit(row.pk, source, segments)
            groups: dict[int, tuple[dict[str, Any], dict[str, Any]]] = {}
            for sample in loaded.samples.pop(row.pk, ()):
                group = sample[2]
                if group not in groups:
                    groups[group] = self.maker.group(*loaded.groups[group])
                sample_fields = self.maker.sample(*groups[group], *sample[4:])
                self._add_lines(unit, sample_fields, sample, loaded.found[sample[0]])
            yield unit

    def _samples(self, ids: Ids) -> dict[int, tuple[Any, ...]]:
        """Samples by id, in order of source and position."""
        rows = Sample.objects.filter(**_range_filter("document_id", ids)).order_by("document_id", "position")
        return {row[0]: row for row in rows.values_list(*SAMPLE)}

    def _add_lines(
        self, unit: Unit, sample_fields: dict[str, Any], sample: tuple[Any, ...], line_rows: list[Any]
    ) -> None:
        void = sample[3] == SampleState.VOID
        for kind, row in line_rows:
            line = self._line(sample_fields, void, kind, row)
            if line is not None:
                unit.lines.append(self.maker.placed(line, unit.source))

    def _texts(self, ids: Ids) -> dict[int, str]:
        if not self.with_text:
            return {}
        return dict(SourceText.objects.filter(**_range_filter("pk", ids)).values_list("pk", "segments_json"))

    def _candidates(self, ids: Ids) -> dict[int, dict[str, list[dict[str, Any]]]]:
        if not self.with_text:
            return {}
        rows = Candidate.objects.filter(**_range_filter("document_id", ids)).order_by(
            "document_id", "kind", "rank", "pk"
        )
        candidates: dict[int, dict[str, list[dict[str, Any]]]] = {}
        for document, kind, text, rank, score, mentions, words, extractor in rows.values_list(*CANDIDATE):
            candidate = {
                "text": text,
                "rank": rank,
                "score": score,
                "mentions": mentions,
                "words": words,
                "extractor": extractor,
            }
            candidates.setdefault(document, {}).setdefault(kind, []).append(candidate)
        return candidates

    def _source(
        self, row: Any, split: str, segments: list[dict[str, Any]], candidates: dict[str, list[dict[str, Any]]]
    ) -> dict[str, Any]:
        source = {
            "format": FORMAT,
            "task": "source",
            "project": self.project.slug,
            "source_id": row.external_id,
            "origin_id": row.origin_id,
            "title": row.title,
            "metadata": row.metadata_json,
            "segments": segments,
            "split": split,
            "licence": row.licence,
            "may_release_text": row.may_release_text,
            "content_hash": row.content_hash,
            "n_segments": row.n_segments,
            "n_words": row.n_words,
            "extractor": row.extractor,
            "candidates": {kind: candidates.get(kind, []) for kind in Candidate.Kind.values},
            "flags": self.choice.flags(row),
        }
        if not row.may_release_text:
            # Metadata may contain the text too (highlights, abstracts); ids stay.
            source["segments"], source["metadata"] = None, "{}"
        return source

    def _groups(self, ids: Ids) -> dict[int, tuple[Any, ...]]:
        return {
            pk: values for pk, *values in Group.objects.filter(**_range_filter("document_id", ids)).values_list(*GROUP)
        }

    def _found(self, samples: Collection[int]) -> dict[int, list[tuple[str, Any]]]:
        """The rows of the lines per sample: summaries before skips, imported and restored ones first."""
        line_rows: dict[int, list[tuple[str, Any]]] = defaultdict(list)
        id_filter = _ids_filter("sample_id", samples)
        attempts = {row[0]: row for row in Assignment.objects.filter(**id_filter).order_by().values_list(*ATTEMPT)}
        rows = Annotation.objects.filter(**id_filter).order_by().values_list(*self.annotation)
        newest: dict[Any, tuple[Any, ...]] = {}
        for row in sorted(rows, key=_annotation_order):
            newest[(row[2] or -row[0]) if self.choice.newest_only else row[0]] = row
        ids = [row[0] for row in newest.values()]
        scores, verdicts = self.metrics.of(ids), self.inspected.of(ids)
        for row in newest.values():
            annotation_row = (*row, *attempts.get(row[2], NOBODY)[1:])
            line_rows[row[1]].append(
                ("annotation", (annotation_row, scores.get(row[0]) or {}, verdicts.get(row[0]) or []))
            )
        if self.has_restored_skips:
            restored = RestoredSkip.objects.filter(**id_filter)
            for row in restored.order_by("pk").values_list(*RESTORED):
                line_rows[row[1]].append(("restored_skip", row))
        if skipped := [pk for pk, state, _by in attempts.values() if state == AssignmentState.SKIPPED]:
            for row in Assignment.objects.filter(pk__in=skipped).order_by("pk").values_list(*SKIP):
                line_rows[row[1]].append(("skip", row))
        return line_rows

    def _line(
        self, sample_fields: dict[str, Any], void: bool, kind: str, row: tuple[Any, ...]
    ) -> dict[str, Any] | None:
        if kind == "restored_skip":
            return parse_stored_json(row[2]) if self.choice.takes_restored_skip(row[0]) else None
        if kind == "skip":
            if self._left_out(row[2]):
                return None
            return self.maker.skip(sample_fields, row) if self.choice.takes_skip(row[0]) else None
        row, metrics, inspection = row
        by = row[-1]
        if self._left_out(by):
            return None
        text_withdrawn = by in self.withdrawn.texts
        line = self.maker.annotation(sample_fields, row, {} if text_withdrawn else metrics, inspection)
        stored_state = SampleState.VOID.value if void and row[2] is not None else line["state"]
        state = self.choice.state(row[0], STATE if text_withdrawn else stored_state)
        if state is None:
            return None
        line["state"] = STATE if text_withdrawn else state
        return line

    def _left_out(self, person: int | None) -> bool:
        """Whether a person's lines are excluded from the export; counts them in left_out."""
        if person not in self.withdrawn.left_out:
            return False
        self.choice.left_out[STATE] = self.choice.left_out.get(STATE, 0) + 1
        return True


def _range_filter(name: str, ids: Ids) -> dict[str, int]:
    return {f"{name}__gte": ids[0], f"{name}__lte": ids[1]}


def _ids_filter(name: str, ids: Collection[int]) -> dict[str, Any]:
    """A range where the ids are close together, else the list of them."""
    first, last = min(ids), max(ids)
    if last - first < GAP * len(ids):
        return _range_filter(name, (first, last))
    return {f"{name}__in": list(ids)}


def _as_text(name: str) -> Cast:
    """A JSON column as text, parsed when its line is built, to keep few objects in memory."""
    return Cast(name, TextField())


CANDIDATE = ("document_id", "kind", "text", "rank", "score", "mentions", "words", "extractor")
GROUP = ("pk", "position", _as_text("asks"), _as_text("chosen"), "frozen_at", "chosen_by_id", _as_text("decisions"))
SAMPLE = (
    "pk",
    "document_id",
    "group_id",
    "state",
    "position",
    _as_text("values"),
    "sampler",
    "seed",
    "combination",
    "raw_json",
    "schema_version_id",
)
ANNOTATION = (
    "pk",
    "sample_id",
    "assignment_id",
    "origin",
    "revision",
    _as_text("payload"),
    "raw_json",
    "guideline_version_id",
    "assistance",
    _as_text("band_shown"),
    _as_text("timings"),
)
"""One more column follows: the authorship record as text, or NOTHING."""
NOTHING = Value(None, output_field=TextField())
ATTEMPT = ("pk", "state", "annotator_id")
NOBODY = (None, None, None)
SKIP = (
    "pk",
    "sample_id",
    "annotator_id",
    "guideline_version_id",
    "assistance",
    "claimed_at",
    "finished_at",
    "skip_reason",
    "skip_note",
)
RESTORED = ("pk", "sample_id", "raw_json")


def _annotation_order(row: tuple[Any, ...]) -> tuple[int, int, int]:
    """Sort key: imported and restored annotations first, then by attempt, then by revision."""
    return (row[2] or 0, row[4], row[0]) if row[2] else (0, 0, row[0])

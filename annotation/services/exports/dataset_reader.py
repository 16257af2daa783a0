"""Reads a project's dataset source by source, for every export format.

Sources come in storage order, each with the lines of its samples. Reading uses keyset pagination: a fixed number of
queries per batch, no open cursor, no transaction; one batch in memory at any project size.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce, Length

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
from annotation.services.exports.dataset_rows import (
    ATTEMPT_COLUMNS,
    CANDIDATE_COLUMNS,
    GROUP_COLUMNS,
    NO_ATTEMPT,
    RESTORED_SKIP_COLUMNS,
    SAMPLE_COLUMNS,
    SKIP_COLUMNS,
    AnnotationRow,
    AttemptRow,
    CandidateRow,
    GroupRow,
    LineRow,
    RestoredSkipRow,
    SampleRow,
    SkipRow,
    SummaryRow,
    annotation_columns,
)
from annotation.services.exports.export_lines import LineMaker
from annotation.services.exports.prefetch import read_ahead
from annotation.services.inspection.export_rows import InspectionReader
from annotation.services.scores.score_queries import Metrics
from epitome.formats.encoded_json import parse_stored_json, parse_stored_segments
from epitome.formats.epitome1 import FORMAT
from epitome.formats.macsum_out import keep_ids

KINDS = tuple(Candidate.Kind.values)
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


def read_units(
    *,
    project: Project,
    choice: Choice,
    with_text: bool = True,
    authorship: bool = False,
    with_withheld: bool = False,
) -> Iterator[Unit]:
    """Every selected source with its lines. with_text False omits all segments (faster). with_withheld: also the texts
    that may not be released, for use on this server only.
    authorship: include the authorship shares in the lines."""
    reader = _Reader(project, choice, with_text, authorship, with_withheld)
    for loaded in read_ahead(_load_batches(reader, project, choice, with_text)):
        yield from reader.build_units(loaded)


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
        yield from reader.build_units(reader.load(batch))


def _with_sizes(documents: "QuerySet[SourceDocument]", with_text: bool) -> QuerySet[Any]:
    samples = Sample.objects.filter(document_id=OuterRef("pk")).order_by().values("document_id")
    counted = samples.annotate(n=Count("pk")).values("n")
    size = Length("source_text__segments_json") if with_text else Coalesce("n_words", 0)
    sized = documents.annotate(size=size, samples_n=Coalesce(Subquery(counted, output_field=IntegerField()), 0))
    return sized.order_by("pk").values_list(*DOCUMENT, "size", "samples_n", named=True)


def _split_batches(rows: list[Any]) -> Iterator[list[Any]]:
    """Split rows into batches that are read together. A batch is a range of ids, because a database without
    statistics still uses the index for a range; so a new batch starts where ids of other projects are between."""
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
    """The rows of one batch. samples: per source, those that have lines. line_rows, subjects: per sample."""

    documents: list[Any]
    texts: dict[int, str]
    candidates: dict[int, dict[str, list[dict[str, Any]]]]
    groups: dict[int, GroupRow]
    samples: dict[int, list[SampleRow]]
    line_rows: dict[int, list[LineRow]]
    subjects: dict[int, dict[str, Any]]


class _Reader:
    """Reads one batch at a time: texts, candidates, groups, samples, annotations and skips."""

    def __init__(
        self, project: Project, choice: Choice, with_text: bool, authorship: bool = False, with_withheld: bool = False
    ) -> None:
        self.project, self.choice, self.with_text, self.with_withheld = project, choice, with_text, with_withheld
        self.annotation_columns = annotation_columns(with_authorship=authorship)
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
        line_rows = self._line_rows(samples) if samples else {}
        groups = self._groups(ids) if line_rows else {}
        subject = self.maker.subject
        subjects = subject.read_fields(line_rows.keys()) if subject is not None and line_rows else {}
        by_document: dict[int, list[SampleRow]] = defaultdict(list)
        for pk, sample in samples.items():
            if pk in line_rows:
                by_document[sample.document_id].append(sample)
        return _LoadedBatch(batch, texts, candidates, groups, by_document, line_rows, subjects)

    def build_units(self, loaded: _LoadedBatch) -> Iterator[Unit]:
        """Build the sources of a batch with their lines; no query."""
        for row in loaded.documents:
            segments = parse_stored_segments(loaded.texts.pop(row.pk, "[]"))
            split = self.choice.split(row.origin_id, row.split)
            source = self._source(row, split, segments, loaded.candidates.get(row.pk, {}))
            unit = Unit(row.pk, source, segments)
            groups: dict[int, tuple[dict[str, Any], dict[str, Any]]] = {}
            for sample in loaded.samples.pop(row.pk, ()):
                group_id = sample.group_id
                if group_id not in groups:
                    groups[group_id] = self.maker.group(loaded.groups[group_id])
                subject = loaded.subjects.get(sample.pk, {})
                sample_fields = self.maker.sample(*groups[group_id], sample, subject)
                self._add_lines(unit, sample_fields, sample, loaded.line_rows[sample.pk])
            yield unit

    def _samples(self, ids: Ids) -> dict[int, SampleRow]:
        """Samples by id, in order of source and position."""
        rows = Sample.objects.filter(**_range_filter("document_id", ids)).order_by("document_id", "position")
        return {row[0]: SampleRow._make(row) for row in rows.values_list(*SAMPLE_COLUMNS)}

    def _add_lines(
        self, unit: Unit, sample_fields: dict[str, Any], sample: SampleRow, line_rows: list[LineRow]
    ) -> None:
        void = sample.state == SampleState.VOID
        for row in line_rows:
            line = self._line(sample_fields, void, row)
            if line is not None:
                line = self.maker.placed(line, unit.source)
                if sample.split:
                    line["split"] = self.choice.split(unit.source["origin_id"], sample.split)
                unit.lines.append(line)

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
        for row in map(CandidateRow._make, rows.values_list(*CANDIDATE_COLUMNS)):
            candidate = {
                "text": row.text,
                "rank": row.rank,
                "score": row.score,
                "mentions": row.mentions,
                "words": row.words,
                "extractor": row.extractor,
            }
            candidates.setdefault(row.document_id, {}).setdefault(row.kind, []).append(candidate)
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
            "candidates": {kind: candidates.get(kind, []) for kind in KINDS},
            "flags": self.choice.flags(row),
        }
        if not row.may_release_text and not self.with_withheld:
            source["segments"], source["metadata"] = None, keep_ids(row.metadata_json)
        return source

    def _groups(self, ids: Ids) -> dict[int, GroupRow]:
        rows = Group.objects.filter(**_range_filter("document_id", ids)).values_list(*GROUP_COLUMNS)
        return {row[0]: GroupRow._make(row) for row in rows}

    def _line_rows(self, samples: Collection[int]) -> dict[int, list[LineRow]]:
        """The rows of the lines per sample: summaries before skips, imported and restored ones first."""
        line_rows: dict[int, list[LineRow]] = defaultdict(list)
        id_filter = _ids_filter("sample_id", samples)
        attempt_rows = Assignment.objects.filter(**id_filter).order_by().values_list(*ATTEMPT_COLUMNS)
        attempts: dict[int, AttemptRow] = {row[0]: AttemptRow._make(row) for row in attempt_rows}
        annotations = Annotation.objects.filter(**id_filter).order_by().values_list(*self.annotation_columns)
        newest: dict[int, AnnotationRow] = {}
        for annotation in sorted(map(AnnotationRow._make, annotations), key=_annotation_order):
            # One key per attempt, or per annotation: imported ones are no revisions of each other.
            key = (annotation.assignment_id or -annotation.pk) if self.choice.newest_only else annotation.pk
            newest[key] = annotation
        ids = [annotation.pk for annotation in newest.values()]
        scores, verdicts = self.metrics.of(ids), self.inspected.of(ids)
        for annotation in newest.values():
            attempt = attempts.get(annotation.assignment_id or 0, NO_ATTEMPT)
            pk = annotation.pk
            line_rows[annotation.sample_id].append(
                SummaryRow(annotation, attempt, scores.get(pk) or {}, verdicts.get(pk) or [])
            )
        if self.has_restored_skips:
            restored = RestoredSkip.objects.filter(**id_filter).order_by("pk")
            for restored_skip in map(RestoredSkipRow._make, restored.values_list(*RESTORED_SKIP_COLUMNS)):
                line_rows[restored_skip.sample_id].append(restored_skip)
        if skipped := [pk for pk, attempt in attempts.items() if attempt.state == AssignmentState.SKIPPED]:
            skips = Assignment.objects.filter(pk__in=skipped).order_by("pk")
            for skip in map(SkipRow._make, skips.values_list(*SKIP_COLUMNS)):
                line_rows[skip.sample_id].append(skip)
        return line_rows

    def _line(self, sample_fields: dict[str, Any], void: bool, row: LineRow) -> dict[str, Any] | None:
        if isinstance(row, RestoredSkipRow):
            return parse_stored_json(row.raw_json) if self.choice.takes_restored_skip(row.pk) else None
        if isinstance(row, SkipRow):
            if self._left_out(row.annotator_id):
                return None
            return self.maker.skip(sample_fields, row) if self.choice.takes_skip(row.pk) else None
        annotation, annotator_id = row.annotation, row.attempt.annotator_id
        if self._left_out(annotator_id) or (void and self._is_dropped(annotation)):
            return None
        text_withdrawn = annotator_id in self.withdrawn.texts
        line = self.maker.annotation(sample_fields, row, {} if text_withdrawn else row.metrics)
        stored_state = SampleState.VOID.value if void and annotation.assignment_id is not None else line["state"]
        state = self.choice.state(annotation.pk, STATE if text_withdrawn else stored_state)
        if state is None:
            return None
        line["state"] = STATE if text_withdrawn else state
        return line

    def _is_dropped(self, annotation: AnnotationRow) -> bool:
        """Whether an imported summary was dropped, with its sample; a release has its own list. Counts it in
        left_out."""
        if not self.choice.newest_only or annotation.origin != Annotation.Origin.IMPORT:
            return False
        self.choice.left_out["dropped"] = self.choice.left_out.get("dropped", 0) + 1
        return True

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


def _annotation_order(row: AnnotationRow) -> tuple[int, int, int]:
    """Sort key: imported and restored annotations first, then by attempt, then by revision."""
    return (row.assignment_id, row.revision, row.pk) if row.assignment_id else (0, 0, row.pk)

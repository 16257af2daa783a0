"""A project's dataset, source by source: what every format of the export is written from.

Sources come in the order in which they were stored, each with the lines of its samples. Reading goes by keyset: a
fixed number of queries per part, no open cursor, no transaction; memory holds one part, whatever the project's size.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce, Length

from annotation.formats.epitome1 import FORMAT
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
from annotation.services.lines import LineMaker
from annotation.services.pseudonyms import Pseudonyms

ROWS = 200
"""Sources per step; cut further where texts are long or samples are many."""
CHARACTERS = 2_000_000
SAMPLES = 1_000


@dataclass(slots=True)
class Unit:
    """One source with its lines. segments: as stored, also where the exported line leaves them out."""

    document_id: int
    source: dict[str, Any]
    segments: list[dict[str, Any]]
    lines: list[dict[str, Any]] = field(default_factory=list)


class Choice(Protocol):
    """Which rows belong to an export, and in which state they count."""

    def documents(self, project: Project) -> "QuerySet[SourceDocument]": ...

    def annotations(self, rows: "QuerySet[Annotation]") -> "QuerySet[Annotation]": ...

    def takes_document(self, document_id: int) -> bool: ...

    def state(self, annotation_id: int, state: str) -> str | None:
        """The state to export an annotation in; None leaves it out."""
        ...

    def takes_skip(self, assignment_id: int) -> bool: ...

    def takes_restored_skip(self, skip_id: int) -> bool: ...

    def split(self, origin_id: str, split: str) -> str: ...

    def flags(self, document: Any) -> dict[str, Any]: ...


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


def units(*, project: Project, choice: Choice, with_text: bool = True) -> Iterator[Unit]:
    """Every source of the choice with its lines. with_text False leaves the segments out of everything (quicker)."""
    reader = _Reader(project, choice, with_text)
    after = 0
    while rows := list(_sized(choice.documents(project).filter(pk__gt=after), with_text)[:ROWS]):
        after = rows[-1].pk
        for part in _parts([row for row in rows if choice.takes_document(row.pk)]):
            yield from reader.read(part)


def units_of(*, project: Project, choice: Choice, document_ids: Sequence[int]) -> Iterator[Unit]:
    """The named sources with their lines, without their texts."""
    rows = list(_sized(choice.documents(project).filter(pk__in=document_ids), False))
    for part in _parts(rows):
        yield from _Reader(project, choice, False).read(part)


def _sized(documents: "QuerySet[SourceDocument]", with_text: bool) -> QuerySet[Any]:
    samples = Sample.objects.filter(document_id=OuterRef("pk")).order_by().values("document_id")
    counted = samples.annotate(n=Count("pk")).values("n")
    size = Length("source_text__segments_json") if with_text else Coalesce("n_words", 0)
    sized = documents.annotate(size=size, samples_n=Coalesce(Subquery(counted, output_field=IntegerField()), 0))
    return sized.order_by("pk").values_list(*DOCUMENT, "size", "samples_n", named=True)


def _parts(rows: list[Any]) -> Iterator[list[Any]]:
    part: list[Any] = []
    characters = samples = 0
    for row in rows:
        if part and (characters + row.size > CHARACTERS or samples + row.samples_n > SAMPLES):
            yield part
            part, characters, samples = [], 0, 0
        part.append(row)
        characters += row.size
        samples += row.samples_n
    if part:
        yield part


class _Reader:
    """Reads one part at a time: its texts, candidates, groups, samples, annotations and skips."""

    def __init__(self, project: Project, choice: Choice, with_text: bool) -> None:
        self.project, self.choice, self.with_text = project, choice, with_text
        schemas = SchemaVersion.objects.filter(project=project).values_list("pk", "number")
        guidelines = GuidelineVersion.objects.filter(project=project).values_list("pk", "number")
        self.maker = LineMaker(project, dict(schemas), dict(guidelines), Pseudonyms(project))

    def read(self, part: list[Any]) -> Iterator[Unit]:
        ids = [row.pk for row in part]
        texts = self._texts(ids)
        candidates = self._candidates(ids)
        samples = self._samples(ids)
        found = self._found(ids, samples) if samples else {}
        for row in part:
            segments = json.loads(texts.pop(row.pk, "[]"))
            split = self.choice.split(row.origin_id, row.split)
            source = self._source(row, split, segments, candidates.get(row.pk, {}))
            unit = Unit(row.pk, source, segments)
            for sample, kind, values in found.pop(row.pk, ()):
                line = self._line(sample, kind, values)
                if line is not None:
                    unit.lines.append(self.maker.placed(line, source))
            yield unit

    def _texts(self, ids: list[int]) -> dict[int, str]:
        if not self.with_text:
            return {}
        return dict(SourceText.objects.filter(pk__in=ids).values_list("pk", "segments_json"))

    def _candidates(self, ids: list[int]) -> dict[int, dict[str, list[dict[str, Any]]]]:
        if not self.with_text:
            return {}
        rows = Candidate.objects.filter(document_id__in=ids).order_by("document_id", "kind", "rank", "pk")
        found: dict[int, dict[str, list[dict[str, Any]]]] = {}
        for document, kind, text, rank, score, mentions, words, extractor in rows.values_list(*CANDIDATE):
            told = {
                "text": text,
                "rank": rank,
                "score": score,
                "mentions": mentions,
                "words": words,
                "extractor": extractor,
            }
            found.setdefault(document, {}).setdefault(kind, []).append(told)
        return found

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
            # Metadata may hold the text too (highlights, abstracts); what is known by id stays.
            source["segments"], source["metadata"] = None, "{}"
        return source

    def _samples(self, ids: list[int]) -> dict[int, tuple[Any, ...]]:
        """Samples of the part by id, in order of source and position: (document, sample as the lines tell it)."""
        names = ("pk", "position", "asks", "chosen", "frozen_at", "chosen_by_id", "decisions")
        rows = Group.objects.filter(document_id__in=ids).values_list(*names)
        groups = {pk: self.maker.group(*values) for pk, *values in rows}
        found: dict[int, tuple[Any, ...]] = {}
        samples = Sample.objects.filter(document_id__in=ids).order_by("document_id", "position")
        for pk, document, group, state, *values in samples.values_list(*SAMPLE):
            found[pk] = (document, self.maker.sample(*groups[group], *values), state == SampleState.VOID)
        return found

    def _found(self, ids: list[int], samples: dict[int, tuple[Any, ...]]) -> dict[int, list[Any]]:
        """Per document its (sample, kind of line, row): summaries before skips, those of other sites first."""
        by_sample: dict[int, list[tuple[str, Any]]] = defaultdict(list)
        annotations = self.choice.annotations(Annotation.objects.filter(sample__document_id__in=ids))
        for row in sorted(annotations.values_list(*ANNOTATION), key=_in_order):
            by_sample[row[1]].append(("annotation", row))
        for row in RestoredSkip.objects.filter(sample__document_id__in=ids).order_by("pk").values_list(*RESTORED):
            by_sample[row[1]].append(("restored_skip", row))
        skipped = Assignment.objects.filter(sample__document_id__in=ids, state=AssignmentState.SKIPPED)
        for row in skipped.order_by("pk").values_list(*SKIP):
            by_sample[row[1]].append(("skip", row))
        found: dict[int, list[Any]] = defaultdict(list)
        for pk, sample in samples.items():
            found[sample[0]] += [(sample, kind, row) for kind, row in by_sample.get(pk, ())]
        return found

    def _line(self, sample: tuple[Any, ...], kind: str, row: tuple[Any, ...]) -> dict[str, Any] | None:
        _document, told, void = sample
        if kind == "restored_skip":
            return json.loads(row[2]) if self.choice.takes_restored_skip(row[0]) else None
        if kind == "skip":
            return self.maker.skip(told, row) if self.choice.takes_skip(row[0]) else None
        line = self.maker.annotation(told, row)
        now = SampleState.VOID.value if void and row[2] is not None else line["state"]
        state = self.choice.state(row[0], now)
        if state is None:
            return None
        line["state"] = state
        return line


CANDIDATE = ("document_id", "kind", "text", "rank", "score", "mentions", "words", "extractor")
SAMPLE = (
    "pk",
    "document_id",
    "group_id",
    "state",
    "position",
    "values",
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
    "payload",
    "raw_json",
    "guideline_version_id",
    "assistance",
    "band_shown",
    "timings",
    "assignment__state",
    "assignment__annotator_id",
)
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


def _in_order(row: tuple[Any, ...]) -> tuple[int, int]:
    """Imported and restored ones first, then by attempt, then by revision."""
    return (row[2] or 0, row[0])

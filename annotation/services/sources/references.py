"""Imported references: the groups, samples and human summaries that an import file has beside its sources."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from django.db.models import Max
from django.utils.translation import gettext as _

from annotation.models import IMPORTED, Annotation, Group, Project, Sample, SchemaVersion
from annotation.services.core.list_pages import count_rows
from annotation.services.sources.bulk_rows import insert_rows, now_value, reserve_ids, uuid_maker
from annotation.services.sources.reference_rows import ReferenceRow
from epitome.formats.faults import describe_value
from epitome.formats.records import ReferenceRecord
from epitome.schema import InvalidValue, Schema

BATCH = 5000
"""References in one batch of rows."""


class UnfitReference(ValueError):
    """A reference does not fit the project; field and value say where."""

    def __init__(self, field: str, message: str, value: str) -> None:
        super().__init__(message)
        self.field = field
        self.value = value


def count_references(project: Project) -> int:
    """Summaries that came with sources and ask for nothing."""
    return count_rows(Sample.objects.references().active().filter(project=project), project)


def read_imported_entries(document_id: int) -> list[dict[str, Any]]:
    """The references that a source got by imports, as entries of MACSum's shape."""
    imported = Annotation.objects.filter(sample__document_id=document_id, origin=Annotation.Origin.IMPORT)
    return [json.loads(text) for text in imported.order_by("pk").values_list("raw_json", flat=True) if text]


def check_reference(reference: ReferenceRecord, schema: Schema) -> None:
    """Raises UnfitReference for an attribute or a value that the schema does not have."""
    for key, value in reference.attributes.items():
        field = f"references[{reference.position}].control_attribute.{key}"
        try:
            attribute = schema.attribute(key)
            if attribute.filled_by == "sampler":
                attribute.canonical(value)
            elif not isinstance(value, list):
                raise UnfitReference(field, _("must be a list of texts"), describe_value(value))
        except InvalidValue as error:
            raise UnfitReference(field, str(error).removeprefix(f"{error.key}: "), describe_value(value)) from error


@dataclass(frozen=True, slots=True)
class WithReferences:
    """A stored source and the references to add to it. is_new: it has none yet, as one that is just being imported."""

    document_id: int
    rows: Sequence[ReferenceRow]
    is_new: bool = False


def restore_references(*, project: Project, sources: Iterable[WithReferences]) -> int:
    """Store groups, samples and annotations of imported references, inside the caller's transaction; returns how many.

    Adjacent references with the same topics and speakers form one group, stored as frozen.
    """
    version = project.schema_version
    added = n_rows = 0
    batch: list[WithReferences] = []
    for source in sources:
        batch.append(source)
        n_rows += len(source.rows)
        if n_rows >= BATCH:
            added += len(insert_references(project, version, batch))
            batch, n_rows = [], 0
    return added + len(insert_references(project, version, batch))


def _next_positions(model: type[Group] | type[Sample], ids: Sequence[int]) -> dict[int, int]:
    if not ids:
        return {}
    rows = model.objects.filter(document_id__in=ids).values_list("document_id").annotate(Max("position"))
    return {document: last + 1 for document, last in rows}


def store_references(project: Project, version: SchemaVersion, batch: Sequence[WithReferences]) -> list[Annotation]:
    """The new annotations, in the rows' order; call inside a transaction."""
    by_id = Annotation.objects.select_related("sample").in_bulk(list(insert_references(project, version, batch)))
    return [by_id[number] for number in sorted(by_id)]


@dataclass(slots=True)
class _NewRows:
    """Rows of groups, samples and annotations, in the order of their columns below."""

    groups: list[tuple[Any, ...]] = field(default_factory=list)
    samples: list[tuple[Any, ...]] = field(default_factory=list)
    annotations: list[tuple[Any, ...]] = field(default_factory=list)


GROUP_COLUMNS = ("id", "public_id", "document_id", "position", "asks", "chosen")
SAMPLE_COLUMNS = (
    *("id", "public_id", "document_id", "group_id", "position", "values", "combination", "split", "raw_json"),
)
ANNOTATION_COLUMNS = ("id", "public_id", "sample_id", "payload", "raw_json")


def insert_references(project: Project, version: SchemaVersion, batch: Sequence[WithReferences]) -> Sequence[int]:
    """Store groups, samples and annotations; the annotations' ids, in the rows' order. Inside a transaction."""
    if not batch:
        return []
    grouped = [(source, [list(rows) for _key, rows in groupby(source.rows, _chosen)]) for source in batch]
    n_rows = sum(len(source.rows) for source in batch)
    group_ids = iter(reserve_ids(Group, sum(len(groups) for _source, groups in grouped)))
    sample_ids, annotation_ids = reserve_ids(Sample, n_rows), reserve_ids(Annotation, n_rows)
    numbers = iter(zip(sample_ids, annotation_ids, strict=True))
    ids = [source.document_id for source in batch if not source.is_new]
    first_group, first_sample = _next_positions(Group, ids), _next_positions(Sample, ids)
    new, new_uuid = _NewRows(), uuid_maker()
    for source, groups in grouped:
        document, position = source.document_id, first_sample.get(source.document_id, 0)
        for group_position, members in enumerate(groups, first_group.get(document, 0)):
            group_id, head = next(group_ids), members[0]
            new.groups.append((group_id, new_uuid(), document, group_position, head.asks, head.chosen))
            for row in members:
                sample_id, annotation_id = next(numbers)
                of_sample = (row.values, row.combination, row.split, row.raw)
                new.samples.append((sample_id, new_uuid(), document, group_id, position, *of_sample))
                new.annotations.append((annotation_id, new_uuid(), sample_id, row.payload, row.entry))
                position += 1
    _insert_new(project, version, new)
    return annotation_ids


def _chosen(row: ReferenceRow) -> str:
    return row.chosen


def _insert_new(project: Project, version: SchemaVersion, new: _NewRows) -> None:
    now = now_value()
    shared = {"project_id": project.pk, "created_at": now, "schema_version_id": version.pk}
    insert_rows(Group, {"project_id": project.pk, "frozen_at": now}, GROUP_COLUMNS, new.groups)
    insert_rows(Sample, shared | {"sampler": IMPORTED}, SAMPLE_COLUMNS, new.samples)
    insert_rows(Annotation, shared | {"origin": str(Annotation.Origin.IMPORT)}, ANNOTATION_COLUMNS, new.annotations)

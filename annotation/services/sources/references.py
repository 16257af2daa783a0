"""Imported references: the groups, samples and human summaries that an import file has beside its sources."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.formats.faults import describe_value
from annotation.formats.macsum_out import build_reference_entry
from annotation.formats.records import ReferenceRecord, json_text, read_own_split
from annotation.models import Annotation, Group, Project, Sample, SchemaVersion
from annotation.schema import InvalidValue, Schema

SAMPLER = "import"
BATCH = 500


class UnfitReference(ValueError):
    """A reference does not fit the project; field and value say where."""

    def __init__(self, field: str, message: str, value: str) -> None:
        super().__init__(message)
        self.field = field
        self.value = value


def raw_reference(reference: ReferenceRecord) -> str:
    """The sample's raw_json: everything a verbatim export needs, under the field names of ReferenceRecord."""
    return json_text(
        {
            "raw_attributes": reference.raw_attributes,
            "relevant_segments": reference.relevant_segments,
            "out_of_range": reference.out_of_range,
            "raw_extra": reference.raw_extra,
        }
    )


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
    """A stored source and the references to add to it."""

    document_id: int
    records: Sequence[ReferenceRecord]


def restore_references(*, project: Project, sources: Iterable[WithReferences]) -> int:
    """Store groups, samples and annotations of imported references, inside the caller's transaction; returns how many.

    Adjacent references with the same topics and speakers form one group, stored as frozen.
    """
    version = project.schema_version
    added = 0
    batch: list[WithReferences] = []
    for source in sources:
        batch.append(source)
        if sum(len(queued.records) for queued in batch) >= BATCH:
            added += len(store_references(project, version, batch))
            batch = []
    return added + len(store_references(project, version, batch))


def _next_positions(model: type[Group] | type[Sample], ids: Sequence[int]) -> dict[int, int]:
    rows = model.objects.filter(document_id__in=ids).values_list("document_id").annotate(Max("position"))
    return {document: last + 1 for document, last in rows}


def store_references(project: Project, version: SchemaVersion, batch: Sequence[WithReferences]) -> list[Annotation]:
    """The new annotations, in the records' order; call inside a transaction."""
    if not batch:
        return []
    ids = [source.document_id for source in batch]
    first_group, first_sample = _next_positions(Group, ids), _next_positions(Sample, ids)
    chosen_keys = [attribute.key for attribute in version.schema.chosen]
    now = timezone.now()
    groups: list[Group] = []
    samples: list[Sample] = []
    annotations: list[Annotation] = []
    for source in batch:
        group_number, number = first_group.get(source.document_id, 0), first_sample.get(source.document_id, 0)
        for chosen, members in _group_records(source.records, chosen_keys):
            group = Group(
                project=project,
                document_id=source.document_id,
                position=group_number,
                asks=[key for key in chosen_keys if chosen.get(key)],
                chosen=chosen,
                frozen_at=now,
            )
            groups.append(group)
            group_number += 1
            for record in members:
                sample = _build_sample(project, version, group, number, record)
                samples.append(sample)
                annotations.append(_build_annotation(project, version, sample, record))
                number += 1
    Group.objects.bulk_create(groups, batch_size=BATCH)
    for sample in samples:
        sample.group_id = sample.group.pk
    Sample.objects.bulk_create(samples, batch_size=BATCH)
    for annotation in annotations:
        annotation.sample_id = annotation.sample.pk if annotation.sample is not None else None
    Annotation.objects.bulk_create(annotations, batch_size=BATCH)
    return annotations


def _group_records(
    records: Sequence[ReferenceRecord], chosen_keys: Sequence[str]
) -> Iterable[tuple[dict[str, Any], list[ReferenceRecord]]]:
    """Group adjacent records that have the same chosen values."""

    def chosen(record: ReferenceRecord) -> dict[str, Any]:
        return {key: record.attributes[key] for key in chosen_keys if key in record.attributes}

    return [(key, list(members)) for key, members in groupby(records, chosen)]


def _build_sample(
    project: Project, version: SchemaVersion, group: Group, position: int, record: ReferenceRecord
) -> Sample:
    values = {
        attribute.key: attribute.canonical(record.attributes[attribute.key])
        for attribute in version.schema.sampled
        if attribute.key in record.attributes
    }
    return Sample(
        project=project,
        document_id=group.document_id,
        group=group,
        schema_version=version,
        position=position,
        values=values,
        combination=version.schema.combination(values),
        split=read_own_split(record.raw_extra),
        sampler=SAMPLER,
        raw_json=raw_reference(record),
    )


def _build_annotation(project: Project, version: SchemaVersion, sample: Sample, record: ReferenceRecord) -> Annotation:
    return Annotation(
        project=project,
        sample=sample,
        origin=Annotation.Origin.IMPORT,
        payload={
            "summary": record.summary,
            "title": record.title,
            "relevant_segments": record.relevant_segments,
            "spans": [],
        },
        raw_json=json.dumps(build_reference_entry(record), ensure_ascii=False),
        schema_version=version,
        created_at=timezone.now(),
    )

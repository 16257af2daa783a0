"""Builds rows from the lines of a restored export: groups, samples, summaries and skips of people of another site."""

import json
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from annotation.kinds import get_task_kind
from annotation.models import (
    Annotation,
    Candidate,
    Group,
    GuidelineVersion,
    Project,
    RestoredSkip,
    Sample,
    SchemaVersion,
    SourceDocument,
)
from annotation.services.core.errors import Conflict
from annotation.services.core.sample_subjects import find_subject
from annotation.services.restore.checks import parse_sample_position
from epitome.formats.answers import hide_author_name
from epitome.formats.encoded_json import parse_stored_json
from epitome.formats.records import read_own_split

BATCH = 500
EXTRAS = ("selected", "damaged", "damaged_reason", "n_segments", "n_words")


class RowMaker:
    """Stores staged lines in one project in batches, inside the caller's transaction."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.kind = get_task_kind(project.kind, has_sample=True)
        self.schemas = {version.number: version for version in SchemaVersion.objects.filter(project=project)}
        self.guidelines = dict(GuidelineVersion.objects.filter(project=project).values_list("number", "pk"))

    def store(self, lines: Sequence[str]) -> None:
        """Raises Conflict when another sample or group of the project has the same position."""
        rows = [(json.loads(text), text) for text in lines]
        names = {data["source_id"] for data, _text in rows}
        documents = SourceDocument.everything.filter(project=self.project, external_id__in=names)
        ids = dict(documents.order_by().values_list("external_id", "pk"))
        groups = self._groups(rows, ids)
        samples = self._samples(rows, ids, groups)
        annotations, skips = [], []
        for data, text in rows:
            sample = samples[ids[data["source_id"]], parse_sample_position(data)]
            if data["skipped"]:
                skips.append(RestoredSkip(project=self.project, sample=sample, raw_json=text))
            else:
                annotations.append(self._annotation(data, text, sample))
        Annotation.objects.bulk_create(annotations, batch_size=BATCH)
        RestoredSkip.objects.bulk_create(skips, batch_size=BATCH)

    def _groups(self, rows: list[tuple[dict[str, Any], str]], ids: dict[str, int]) -> dict[tuple[int, int], Group]:
        groups = {
            (group.document_id, group.position): group for group in Group.objects.filter(document_id__in=ids.values())
        }
        new: list[Group] = []
        for data, _text in rows:
            group_data = data["group"]
            key = (ids[data["source_id"]], group_data["index"])
            chosen = self._chosen(data)
            if key not in groups:
                groups[key] = Group(
                    project=self.project,
                    document_id=key[0],
                    position=key[1],
                    asks=group_data["asked"],
                    chosen=chosen,
                    frozen_at=_parse_time(group_data.get("chosen_at")) or timezone.now(),
                    decisions=group_data["decisions"],
                )
                new.append(groups[key])
            elif groups[key].asks != group_data["asked"] or groups[key].chosen != chosen:
                raise _position_taken_error(data["sample_id"])
        Group.objects.bulk_create(new, batch_size=BATCH)
        return groups

    def _chosen(self, data: dict[str, Any]) -> dict[str, Any]:
        schema = self.schemas[data["schema"]["version"]].schema
        return {
            key: value
            for key, value in data["attributes"].items()
            if key in {attribute.key for attribute in schema.chosen}
        }

    def _samples(
        self, rows: list[tuple[dict[str, Any], str]], ids: dict[str, int], groups: dict[tuple[int, int], Group]
    ) -> dict[tuple[int, int], Sample]:
        samples = {
            (stored.document_id, stored.position): stored
            for stored in Sample.objects.filter(document_id__in=ids.values())
        }
        new: list[Sample] = []
        for data, _text in rows:
            document, position = ids[data["source_id"]], parse_sample_position(data)
            group = groups[document, data["group"]["index"]]
            chosen = self._chosen(data)
            values = {key: value for key, value in data["attributes"].items() if key not in chosen}
            version = self.schemas[data["schema"]["version"]]
            sample = samples.get((document, position))
            if sample is None:
                sample = Sample(
                    project=self.project,
                    document_id=document,
                    group=group,
                    schema_version=version,
                    position=position,
                    values=values,
                    combination=data["sampler"]["combination"],
                    seed=data["sampler"]["seed"],
                    split=_read_own_split(data["raw"]),
                    sampler=data["sampler"]["algorithm"],
                    raw_json=data["raw"],
                )
                samples[document, position] = sample
                new.append(sample)
            elif (sample.values, sample.schema_version_id, sample.group_id, hide_author_name(sample.raw_json)) != (
                values,
                version.pk,
                group.pk,
                data["raw"],
            ):
                raise _position_taken_error(data["sample_id"])
        Sample.objects.bulk_create(new, batch_size=BATCH)
        self._store_subjects(new, rows, ids)
        return samples

    def _store_subjects(
        self, new: Sequence[Sample], rows: list[tuple[dict[str, Any], str]], ids: dict[str, int]
    ) -> None:
        """What new samples are about, where the kind of task has such a thing."""
        subject = find_subject(self.project.kind)
        if subject is None or not new:
            return
        line_by_place = {(ids[data["source_id"]], parse_sample_position(data)): data for data, _text in rows}
        subject.store(self.project, [(sample, line_by_place[sample.document_id, sample.position]) for sample in new])

    def _annotation(self, data: dict[str, Any], text: str, sample: Sample) -> Annotation:
        imported = data["origin"] == "import"
        raw = json.loads(data["raw"]) if data["raw"] else {}
        as_imported = {key: raw[key] for key in ("relevant_segments",) if imported and key in raw}
        return Annotation(
            project=self.project,
            sample=sample,
            origin=Annotation.Origin.IMPORT if imported else Annotation.Origin.RESTORED,
            revision=data["revision"],
            payload=self.kind.restore({**data, **as_imported}),
            raw_json=text,
            schema_version=self.schemas[data["schema"]["version"]],
            guideline_version_id=self.guidelines.get(data["guideline"]),
            assistance=data["assistance"],
            band_shown=data["band_shown"],
            timings=data["times"],
            suggestion=data.get("suggestion") or {},
            created_at=_parse_time(data["times"].get("submitted_at")) or timezone.now(),
        )


def _position_taken_error(sample_id: str) -> Conflict:
    return Conflict(
        _("The project has a different sample or group at %(sample)s. Import the file into a new project.")
        % {"sample": sample_id[:100]},
        field="file",
    )


def _parse_time(value: Any) -> datetime | None:
    """Parse an ISO time with a time zone; None for anything else."""
    try:
        parsed = parse_datetime(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return parsed if parsed is not None and parsed.tzinfo is not None else None


def _read_own_split(raw: str) -> str:
    """The split of a sample that is not its source's, from the `raw` of its line; "" for none."""
    return read_own_split(parse_stored_json(raw).get("raw_extra")) if '"split"' in raw else ""


def build_candidates(document_id: int, rows_by_kind: dict[str, list[dict[str, Any]]]) -> list[Candidate]:
    """Unsaved candidates of one source."""
    return [
        Candidate(
            document_id=document_id,
            kind=kind,
            **{name: row[name] for name in ("text", "rank", "score", "mentions", "words", "extractor")},
        )
        for kind, rows in rows_by_kind.items()
        for row in rows
    ]


def set_source_extras(documents: Sequence[SourceDocument], extras: Sequence[dict[str, Any]]) -> None:
    """Set what an ordinary import does not have: flags, extractor, and counts of sources exported without text."""
    by_extractor: dict[str, list[int]] = defaultdict(list)
    unusual: list[SourceDocument] = []
    for document, extra in zip(documents, extras, strict=True):
        if extra["extractor"]:
            by_extractor[extra["extractor"]].append(document.pk)
        flags = extra["flags"]
        new_values = (
            flags["selected"],
            flags["damaged"],
            flags["damaged_reason"],
            extra["n_segments"],
            extra["n_words"],
        )
        if new_values != tuple(getattr(document, name) for name in EXTRAS):
            for name, value in zip(EXTRAS, new_values, strict=True):
                setattr(document, name, value)
            unusual.append(document)
    for extractor, ids in by_extractor.items():
        SourceDocument.everything.filter(pk__in=ids).update(extractor=extractor)
    SourceDocument.everything.bulk_update(unusual, EXTRAS, batch_size=100)

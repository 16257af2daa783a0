"""Validates a file before anything is stored: each unit is new, a duplicate, left out, or a fault."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import BinaryIO, NamedTuple

from django.conf import settings
from django.utils.translation import gettext as _

from annotation.formats.columns import read_column_names
from annotation.formats.detect import ReadOptions, detect_format, read_sources
from annotation.formats.faults import Fault, LeftOut, to_printable
from annotation.formats.fields import MAPPED_FIELDS
from annotation.formats.macsum_out import build_reference_entry
from annotation.formats.reading import InputFile, Progress
from annotation.formats.records import ReferenceRecord, SourceRecord, check_column_mapping, split_of_name
from annotation.formats.request_values import fit_reference
from annotation.formats.row_references import add_metadata
from annotation.formats.rows import ROW_KINDS
from annotation.formats.text_lookup import TextLookup
from annotation.models import Project, Sample, SourceDocument
from annotation.schema import Schema
from annotation.services.core.errors import BadInput
from annotation.services.sources import staging_process
from annotation.services.sources.column_mappings import SavedMapping, find_fitting_mapping, list_saved_mappings
from annotation.services.sources.import_preview import preview_file
from annotation.services.sources.import_types import CheckResult, ImportOptions
from annotation.services.sources.references import (
    UnfitReference,
    check_reference,
    raw_reference,
    read_imported_entries,
)
from annotation.services.sources.staging import append_source
from annotation.services.sources.staging_process import StagingFile

Unit = SourceRecord | Fault | LeftOut
CHUNK = 500
PLAIN = ("jsonl", "csv", "story", "parquet", "arrow", "zip")
"""Formats whose texts are not split into segments."""
GUESSED_KINDS = tuple(kind for kind in ROW_KINDS if kind not in ("csv", "jsonl"))
"""Formats whose columns are matched by name and content where no mapping is given."""
_LINE = re.compile(r"line (\d+)")


def decide_format(path: Path, name: str, options: ImportOptions) -> str:
    """The requested format, or the detected one. Raises UnreadableFile, and BadInput for an invalid mapping."""
    if options.mapping is not None:
        try:
            check_column_mapping(options.mapping, MAPPED_FIELDS)
        except ValueError as error:
            raise BadInput(str(error), field="mapping") from error
    if options.format != "auto":
        return options.format
    return detect_format(path, name, options.mapping)


def unreadable_result(fault: Fault) -> CheckResult:
    """The outcome for a file that cannot be read at all."""
    checked = CheckResult(format="", split="", staging=Path())
    checked.refuse(fault)
    checked.fatal = True
    return checked


def _find_saved_mapping(
    project: Project, path: Path, name: str, kind: str, options: ImportOptions
) -> SavedMapping | None:
    """The kept mapping that fits the file's columns, unless the options give one."""
    if options.mapping is not None or not list_saved_mappings(project):
        return None
    return find_fitting_mapping(project, read_column_names(path, name, kind))


def _read_units(
    path: Path,
    name: str,
    kind: str,
    options: ImportOptions,
    schema: Schema | None,
    text_from: InputFile | None,
    progress: Progress,
) -> Iterator[Unit]:
    """The reader's units, in the file's order. Raises UnreadableFile for the file of texts."""
    limit = options.max_words
    if limit is None and kind == "qmsum":
        limit = settings.EPITOME_MAX_WORDS or None
    read_options = ReadOptions(
        kind,
        split=options.split,
        with_references=options.with_references,
        mapping=options.mapping,
        max_words=limit,
        values=None,
        schema=schema,
        cut=False,
        skipped=tuple(options.skipped_columns),
        row_ids=options.row_ids,
        exact_mapping=options.exact_mapping,
        texts=TextLookup(text_from) if text_from is not None else None,
    )
    return read_sources(path, read_options, name=name, progress=progress)


def check_file(
    *,
    project: Project,
    path: Path,
    name: str,
    kind: str,
    options: ImportOptions,
    staging: StagingFile,
    progress: Progress,
    text_from: InputFile | None = None,
) -> CheckResult:
    """Read the whole file; valid sources are written to the staging file. text_from: texts of rows that have none.

    Raises UnreadableFile for the file of texts.
    """
    split = options.split if options.split is not None else split_of_name(name)
    checked = CheckResult(format=kind, split=split, staging=staging.path)
    saved = _find_saved_mapping(project, path, name, kind, options)
    if saved is None and options.mapping is None and kind in GUESSED_KINDS:
        preview = preview_file(project, path, name, kind, has_texts=text_from is None)
        options = replace(options, mapping=preview.mapping or None, row_ids=preview.row_ids)
    if saved is not None:
        checked.columns_of = saved.file_name
        options = replace(
            options,
            mapping=saved.columns,
            skipped_columns=saved.skipped_columns,
            row_ids=saved.row_ids,
            exact_mapping=saved.exact_mapping,
            list_separator=saved.list_separator,
        )
    helped = (
        kind in PLAIN and not options.dry_run and path.is_file() and path.stat().st_size >= staging_process.HELPED_FROM
    )
    with staging.writing(helped=helped) as out:
        checker = _Checker(project, name, options, checked, out)
        units = _read_units(path, name, kind, options, checker.schema, text_from, progress)
        while chunk := list(_next_chunk(units)):
            checker.take(chunk)
    return checked


def _next_chunk(units: Iterator[Unit]) -> Iterator[Unit]:
    """At most CHUNK units, fewer if they are long, to bound memory."""
    words = 0
    for unit in islice(units, CHUNK):
        yield unit
        if isinstance(unit, SourceRecord):
            words += unit.n_words
            if words > 2_000_000:
                return


class _StoredSource(NamedTuple):
    """A source that the project has."""

    pk: int
    content_hash: str
    split: str


class _Checker:
    """Compares each unit with the project's sources and its schema."""

    def __init__(
        self, project: Project, name: str, options: ImportOptions, checked: CheckResult, out: BinaryIO
    ) -> None:
        self.project, self.name, self.options, self.checked, self.out = project, name, options, checked, out
        self.position = 0
        self.has_sources = SourceDocument.objects.filter(project=project).exists()
        self.schema: Schema | None = project.schema_version.schema if options.takes_references else None

    def take(self, chunk: list[Unit]) -> None:
        stored = self._stored([unit.external_id for unit in chunk if isinstance(unit, SourceRecord)])
        for unit in chunk:
            if isinstance(unit, Fault):
                self.checked.refuse(unit)
            elif isinstance(unit, LeftOut):
                self.checked.leave_out(unit)
            else:
                self._source(unit, stored)

    def _stored(self, ids: list[str]) -> dict[str, _StoredSource]:
        if not self.has_sources or not ids:
            return {}
        rows = SourceDocument.objects.filter(project=self.project, external_id__in=ids)
        return {
            external_id: _StoredSource(pk, content_hash, split)
            for external_id, pk, content_hash, split in rows.values_list(
                "external_id", "pk", "content_hash", "split"
            ).order_by()
        }

    def _source(self, record: SourceRecord, stored: dict[str, _StoredSource]) -> None:
        stored_source = stored.get(record.external_id)
        stored_id = stored_source.pk if stored_source is not None else None
        if stored_source is not None and stored_source.content_hash != record.content_hash:
            message = _("the project has a source of this id with another text; give this one another id")
            return self._refuse(record, "id", message, "changed_source")
        try:
            references = self._references(record, stored_source)
        except UnfitReference as error:
            return self._refuse(record, error.field, str(error), "reference", error.value)
        self.checked.read += 1
        self.checked.references += len(references)
        if stored_id is None:
            self.checked.new += 1
        else:
            self.checked.pass_over(record.place, record.external_id)
        if stored_id is None or references:
            self._stage(record, stored_id, references)
        return None

    def _stage(self, record: SourceRecord, stored_id: int | None, references: list[ReferenceRecord]) -> None:
        append_source(
            self.out,
            record,
            stored_id=stored_id,
            position=self.position,
            licence=self.options.licence,
            may_release_text=self.options.may_release_text,
            references=references,
        )
        self.position += 1

    def _references(self, record: SourceRecord, stored: _StoredSource | None) -> list[ReferenceRecord]:
        """The references to add: none if the source already has the same ones, with `add_summaries` those it lacks.

        Raises UnfitReference if they do not fit the schema, or differ from those imported earlier.
        """
        if self.schema is None or not record.references:
            return []
        separator = self.options.list_separator
        references = [fit_reference(reference, self.schema, separator) for reference in record.references]
        for reference in references:
            check_reference(reference, self.schema)
        metadata = dict(self.options.summary_metadata)
        if stored is not None and record.split and record.split != stored.split:
            metadata["split"] = record.split  # the source keeps the split that it came with first
        references = add_metadata(references, metadata) if metadata else references
        return references if stored is None else self._lacking(references, stored.pk)

    def _lacking(self, references: list[ReferenceRecord], stored_id: int) -> list[ReferenceRecord]:
        """The references that a stored source does not have. Raises UnfitReference if it has others and none may be
        added."""
        imported_samples = Sample.objects.filter(document_id=stored_id, sampler="import").order_by("position")
        earlier_references = [json.loads(text) for text in imported_samples.values_list("raw_json", flat=True)]
        if not earlier_references:
            return references
        if self.options.add_summaries:
            earlier_entries = read_imported_entries(stored_id)
            return [reference for reference in references if build_reference_entry(reference) not in earlier_entries]
        if earlier_references != [json.loads(raw_reference(reference)) for reference in references]:
            raise UnfitReference("references", _("the source has other references from an earlier import"), "")
        return []

    def _refuse(self, record: SourceRecord, name: str, message: str, code: str, value: str | None = None) -> None:
        line = int(line_match.group(1)) if (line_match := _LINE.match(record.place)) else None
        shown_value = to_printable(record.external_id if value is None else value)
        self.checked.refuse(Fault(self.name, line, None, name, shown_value, message, code))

"""Validates a file before anything is stored: each unit is new, a duplicate, left out, or a fault."""

import contextlib
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import BinaryIO, NamedTuple

from django.conf import settings
from django.utils.translation import gettext as _

from annotation.models import IMPORTED, Project, Sample, SourceDocument
from annotation.services.core.errors import BadInput
from annotation.services.sources import staging_process
from annotation.services.sources.column_mappings import SavedMapping, find_fitting_mapping, list_saved_mappings
from annotation.services.sources.import_preview import match_columns, preview_file, take_columns
from annotation.services.sources.import_types import CheckResult, ImportRequest
from annotation.services.sources.reading_apart import TRIES, ReaderEnded, ended_fault
from annotation.services.sources.reference_rows import ReferenceRows, raw_reference
from annotation.services.sources.references import (
    UnfitReference,
    check_reference,
    read_imported_entries,
)
from annotation.services.sources.staging import append_source
from annotation.services.sources.staging_process import StagingFile
from epitome.formats.faults import Fault, LeftOut
from epitome.formats.fields import MAPPED_FIELDS
from epitome.formats.macsum_out import build_reference_entry
from epitome.formats.notes import Notes
from epitome.formats.options import ImportOptions
from epitome.formats.reading import InputFile, Progress
from epitome.formats.records import ReferenceRecord, SourceRecord, Unit, check_column_mapping, split_of_name
from epitome.formats.registry import FORMATS, has_columns
from epitome.formats.request_values import fit_reference
from epitome.formats.row_references import add_metadata
from epitome.formats.row_table import RowsRepeat

CHUNK = 500
_LINE = re.compile(r"line (\d+)")


def decide_format(request: ImportRequest) -> str:
    """The requested format, or the detected one. Raises UnreadableFile, and BadInput for an invalid mapping."""
    options = request.options
    if options.mapping is not None:
        try:
            check_column_mapping(options.mapping, MAPPED_FIELDS)
        except ValueError as error:
            raise BadInput(str(error), field="mapping") from error
    if options.format != "auto":
        return options.format
    return request.reader.read_head(request.file, options.format, options).kind


def unreadable_result(fault: Fault) -> CheckResult:
    """The outcome for a file that cannot be read at all."""
    checked = CheckResult(format="", split="", staging=Path())
    checked.refuse(fault)
    checked.fatal = True
    return checked


def check_file(request: ImportRequest, kind: str, staging: StagingFile) -> CheckResult:
    """Read the whole file; valid sources are written to the staging file.

    Raises UnreadableFile for the file with the texts of its rows, and for a file that ends its reader.
    """
    joins, n_ended = False, 0
    while n_ended < TRIES:
        try:
            return _check_once(request, kind, staging, joins=joins)
        except RowsRepeat:  # found while reading, so that a file of one row per source is read once
            joins = True
        except ReaderEnded:
            n_ended += 1
        staging.close()
    raise ended_fault(request.file)


def _check_once(request: ImportRequest, kind: str, staging: StagingFile, *, joins: bool) -> CheckResult:
    """joins: whether rows of one source are joined; without it the first such row raises RowsRepeat."""
    file = replace(request.file, progress=_show_progress(request), notes=Notes())
    split = request.options.split if request.options.split is not None else split_of_name(request.file_name)
    checked = CheckResult(format=kind, split=split, staging=staging.path)
    options = _complete_options(request, kind, checked)
    _remark_columns(request, file, options)
    is_large = file.path.is_file() and file.path.stat().st_size >= staging_process.HELPED_FROM
    with staging.writing(helped=is_large and FORMATS[kind].is_plain and not options.dry_run) as out:
        checker = _Checker(request.project, file, options, checked, out)
        version = request.project.schema_version
        with contextlib.closing(request.reader.read_units(file, options, version, joins=joins)) as units:
            while chunk := list(_next_chunk(units)):
                checker.take(chunk)
    checked.notes = file.notes.as_list()
    return checked


def _complete_options(request: ImportRequest, kind: str, checked: CheckResult) -> ImportOptions:
    """The options of the request with the format, and with what the project knows: a kept mapping that fits, else
    columns matched by name and content; the limit of words; the schema of the summaries."""
    project = request.project
    options = replace(request.options, format=kind, pseudonym_key=project.export_salt)
    if options.max_words is None and FORMATS[kind].has_word_limit:
        options = replace(options, max_words=settings.EPITOME_MAX_WORDS)
    if options.mapping is None:
        saved = _find_saved_mapping(request, kind)
        if saved is not None:
            checked.columns_of = saved.file_name
            options = saved.apply(options)
        elif has_columns(kind) and not FORMATS[kind].has_own_columns:
            matched = preview_file(project, request.file, request.reader, kind).options
            options = take_columns(options, matched)
    return replace(options, schema=project.schema_version.schema) if options.takes_references else options


def _remark_columns(request: ImportRequest, file: InputFile, options: ImportOptions) -> None:
    """Note what is doubtful in the columns, where they are as they would be matched."""
    if options.mapping is None or not has_columns(options.format):
        return
    table = request.reader.read_head(replace(file, progress=None, notes=Notes()), options.format).table
    assert table is not None
    guess = match_columns(request.project, file, table)
    if guess.mapping == options.mapping:
        for remark in guess.remarks():
            file.notes.add(remark)


def _find_saved_mapping(request: ImportRequest, kind: str) -> SavedMapping | None:
    """The kept mapping that fits the file's columns."""
    if not list_saved_mappings(request.project):
        return None
    return find_fitting_mapping(request.project, request.reader.read_column_names(request.file, kind))


def _show_progress(request: ImportRequest) -> Progress:
    def report_progress(n_read: int, total: int) -> None:
        request.progress.set(50 * n_read // max(total, 1), 100, _("checking"))

    return report_progress


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
        self, project: Project, file: InputFile, options: ImportOptions, checked: CheckResult, out: BinaryIO
    ) -> None:
        self.project, self.file, self.options, self.checked, self.out = project, file, options, checked, out
        self.position = 0
        self.rows = ReferenceRows(options.schema) if options.schema is not None else None
        self.has_sources = SourceDocument.objects.filter(project=project).exists()

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
        self.checked.count_answers(record)
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
            references=self.rows.dump(references) if self.rows is not None and references else b"",
            n_references=len(references),
        )
        self.position += 1

    def _references(self, record: SourceRecord, stored: _StoredSource | None) -> list[ReferenceRecord]:
        """The references to add: none if the source already has the same ones, with `add_summaries` those it lacks.

        Raises UnfitReference if they do not fit the schema, or differ from those imported earlier.
        """
        schema = self.options.schema
        if schema is None or not record.references:
            return []
        separator = self.options.list_separator
        references = [fit_reference(reference, schema, separator) for reference in record.references]
        for reference in references:
            check_reference(reference, schema)
        metadata = dict(self.options.summary_metadata)
        if stored is not None and record.split and record.split != stored.split:
            metadata["split"] = record.split  # the source keeps the split of its first import
        references = add_metadata(references, metadata) if metadata else references
        return references if stored is None else self._lacking(references, stored.pk)

    def _lacking(self, references: list[ReferenceRecord], stored_id: int) -> list[ReferenceRecord]:
        """The references that a stored source does not have. Raises UnfitReference if it has others and none may be
        added."""
        imported_samples = Sample.objects.filter(document_id=stored_id, sampler=IMPORTED).order_by("position")
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
        shown_value = record.external_id if value is None else value
        self.checked.refuse(self.file.fault(message, line=line, field=name, value=shown_value, code=code))

"""Restoring an export of Epitome: sources, samples, summaries and skips, stored so that the next export is the same.

The whole file is checked first. People of the other site have no account here: their lines are stored verbatim, with
pseudonyms, times and scores. A line that exists already, identical except for its scores, is not added again.
"""

import hashlib
import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from django.db import IntegrityError
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.jobs import create_job, keep_result
from annotation.kinds import get_task_kind
from annotation.models import AuditVerb, Candidate, Project, SourceDocument, SourceImport
from annotation.services.core import audit, withdrawn_people
from annotation.services.core.errors import Conflict
from annotation.services.exports.dataset_reader import read_units_of
from annotation.services.exports.export_selection import select_all_rows
from annotation.services.restore.checks import (
    Head,
    build_design_texts,
    build_line_key,
    check_extras,
    check_line,
    dump_comparable_line,
    dump_stored_line,
    parse_head,
)
from annotation.services.restore.rows import BATCH, RowMaker, build_candidates, set_source_extras
from annotation.services.restore.versions import adopt_versions, check_versions_fit, current_versions
from annotation.services.scores.score_jobs import start_scoring
from annotation.services.sources import import_publish, staging
from annotation.services.sources.import_types import (
    FORMAT_IMPORTERS,
    MAX_FAULTS,
    CheckResult,
    FormatImporter,
    ImportRefused,
    ImportReport,
    ImportRequest,
)
from annotation.services.sources.source_bulk_insert import insert_sources
from annotation.transactions import write_transaction
from epitome.formats.epitome1 import EpitomeLine, dump_line, read_epitome1, source_record
from epitome.formats.faults import Fault, FieldFault
from epitome.formats.options import ImportOptions
from epitome.formats.reading import LINE_LIMIT, UnreadableFile, empty_file_fault
from epitome.schema import Schema, parse_schema

FORMAT = "epitome-1"
CHUNK = 200
LONGEST_LINE = 4 * LINE_LIMIT
"""A line of an export is longer than the line it was imported from: it also has segments and candidates."""


def restore_epitome1(request: ImportRequest) -> ImportReport:
    """Import a file written by `export`, atomically; importing it again adds nothing.

    read counts sources and faulty lines, references the added summaries and skips. A project without samples also
    adopts the file's schema and guideline versions; otherwise they must equal the project's.
    Raises ImportRefused for faults (neither dry run nor partial), Conflict when another sample has the same position.
    """
    options = request.options
    with ExitStack() as stack:
        paths = [staging.new_staging_path() for _number in range(3)]
        for staging_path in paths:
            stack.callback(staging_path.unlink, missing_ok=True)
        checked, head = _check_file(request, paths)
        report = ImportReport.from_check(checked, options)
        if report.faults and (checked.fatal or not options.partial) and not options.dry_run:
            raise ImportRefused(report)
        if options.dry_run or not (checked.new or checked.references or (head is not None and checked.read == 0)):
            return report
        _Restorer(request, report, head).run(paths)
        return report


def _check_file(request: ImportRequest, paths: list[Path]) -> tuple[CheckResult, Head | None]:
    """Check the whole file; new rows go to three staging files: sources, their extra values, lines."""

    def report_progress(n_read: int, total: int) -> None:
        request.progress.set(50 * n_read // max(total, 1), 100, _("checking"))

    file = replace(request.file, progress=report_progress)
    checked = CheckResult(format=FORMAT, split=request.options.split or "", staging=paths[0])
    with ExitStack() as stack:
        outs = [stack.enter_context(out_path.open("wb", buffering=1 << 20)) for out_path in paths]
        checker = _Checker(request.project, request.options, checked, outs)
        items = read_epitome1(file, LONGEST_LINE)
        try:
            while chunk := list(islice(items, CHUNK)):
                checker.take(chunk)
            if not checker.seen_any:
                checked.refuse(empty_file_fault(file))
        except UnreadableFile as error:
            checked.refuse(error.fault)
    return checked, checker.head


class _Checker:
    """Checks each line against the file so far and against the project."""

    def __init__(self, project: Project, options: ImportOptions, checked: CheckResult, outs: list[BinaryIO]) -> None:
        self.project, self.options, self.checked = project, options, checked
        self.sources_out, self.extras_out, self.lines_out = outs
        self.head: Head | None = None
        self.seen_any = False
        self.kind = get_task_kind(project.kind, has_sample=True)
        self.schemas: dict[int, Schema] = {
            number: parse_schema(text, needs_attributes=False)
            for number, text in current_versions(project).schemas.items()
        }
        self.position = 0
        self.refused: set[str] = set()
        self.left_out: set[str] = set()
        self.keys: set[int] = set()
        self.designs: dict[int, int] = {}
        self.last: tuple[str, list[dict[str, Any]]] = ("", [])
        self.withdrawn = withdrawn_people.withdrawn_pseudonyms(project)

    def take(self, chunk: list[EpitomeLine | Fault]) -> None:
        self.seen_any = True
        items = [item for item in chunk if isinstance(item, EpitomeLine)]
        stored = self._stored({str(item.data["source_id"]) for item in items if "source_id" in item.data})
        lines_of = {item.data["source_id"] for item in items if item.data["task"] not in ("source", "project")}
        there = self._existing_lines([stored[name][0] for name in lines_of if name in stored])
        for item in chunk:
            if isinstance(item, Fault):
                self.checked.refuse(item)
                continue
            try:
                self._take_one(item, stored, there)
            except FieldFault as error:
                self.checked.refuse(self._fault(item, error))
                if item.data["task"] == "source":
                    self.refused.add(item.data["source_id"])

    def _fault(self, item: EpitomeLine, error: FieldFault) -> Fault:
        """Includes the column only for faults that are listed: finding it means parsing the line a second time."""
        if len(self.checked.faults) < MAX_FAULTS:
            return item.spot.fault(error)
        return item.spot.file.fault(error.message, line=item.line, code=error.code)

    def _stored(self, names: set[str]) -> dict[str, tuple[int, str]]:
        rows = SourceDocument.objects.filter(project=self.project, external_id__in=names).order_by()
        return {name: (pk, digest) for name, pk, digest in rows.values_list("external_id", "pk", "content_hash")}

    def _existing_lines(self, document_ids: list[int]) -> dict[str, bytes]:
        """Existing lines of stored sources: line key -> comparable line."""
        if not document_ids:
            return {}
        units = read_units_of(project=self.project, choice=select_all_rows(), document_ids=document_ids)
        return {build_line_key(line): dump_comparable_line(line) for unit in units for line in unit.lines}

    def _take_one(self, item: EpitomeLine, stored: dict[str, tuple[int, str]], there: dict[str, bytes]) -> None:
        data = item.data
        if data["task"] == "project":
            self._head(data)
        elif data["task"] == "source":
            self._source(item, stored)
        elif data.get("source_id") in self.refused:
            raise FieldFault(("source_id",), "names a source that was refused", data["source_id"], "refused")
        elif data.get("source_id") not in self.left_out:
            self._line(data, there)

    def _head(self, data: dict[str, Any]) -> None:
        if self.head is not None:
            raise FieldFault(("task",), "stands twice; a file is of one project", "project", "doubled")
        self.head = parse_head(data)
        check_versions_fit(project=self.project, head=self.head)
        self.kind = get_task_kind(self.head.settings["kind"], has_sample=True)
        self.schemas |= {
            number: parse_schema(text, needs_attributes=False) for number, text in self.head.schemas.items()
        }

    def _source(self, item: EpitomeLine, stored: dict[str, tuple[int, str]]) -> None:
        record = source_record(item, self.options.split)
        check_extras(item.data)
        pk, digest = stored.get(record.external_id, (None, ""))
        if pk is not None and digest != record.content_hash:
            message = "the project has a source of this id with another text"
            raise FieldFault(("source_id",), message, record.external_id, "changed_source")
        self.checked.read += 1
        self.last = (record.external_id, record.segments)
        if self.options.max_words is not None and item.data["n_words"] > self.options.max_words:
            self.checked.left_out += 1
            self.left_out.add(record.external_id)
        elif pk is not None:
            self.checked.duplicate += 1
        else:
            self.checked.new += 1
            staging.append_source(
                self.sources_out,
                record,
                stored_id=None,
                position=self.position,
                licence=self.options.licence,
                may_release_text=self.options.may_release_text,
            )
            names = ("flags", "extractor", "n_segments", "n_words", "candidates")
            self.extras_out.write(dump_line({name: item.data[name] for name in names}))
            self.position += 1

    def _line(self, data: dict[str, Any], there: dict[str, bytes]) -> None:
        known_segments = self.last[1] if self.last[0] == data.get("source_id") and self.last[1] else None
        check_line(data, kind=self.kind, schemas=self.schemas, segments=known_segments)
        if data["annotator"] in self.withdrawn:
            raise FieldFault(("annotator",), "was withdrawn from this project", data["annotator"], "withdrawn")
        key = build_line_key(data)
        if hash(key) in self.keys:
            raise FieldFault(("sample_id",), "has a line of the same annotator before", data["sample_id"], "doubled")
        self.keys.add(hash(key))
        for name, text in build_design_texts(data).items():
            if self.designs.setdefault(hash(name), hash(text)) != hash(text):
                raise FieldFault(("sample_id",), f"differs from an earlier line of the same {name.split()[0]}", name)
        if key not in there:
            self.lines_out.write(dump_stored_line(data))
            self.checked.references += 1
        elif there[key] != dump_comparable_line(data):
            raise FieldFault(("sample_id",), "the project has another line of this", data["sample_id"], "changed_line")


class _Restorer:
    """Stores the checked rows: unpublished sources in short transactions, then lines and everything else in one."""

    def __init__(self, request: ImportRequest, report: ImportReport, head: Head | None) -> None:
        self.request, self.report, self.head = request, report, head
        self.project, self.by, self.progress = request.project, request.by, request.progress

    def run(self, paths: list[Path]) -> None:
        with self.request.file.path.open("rb") as stream:
            file_hash = hashlib.file_digest(stream, "sha256").hexdigest()
        with write_transaction():
            source_import = SourceImport.objects.create(
                project=self.project,
                file_name=self.request.file_name[:255],
                file_hash=file_hash,
                format=FORMAT,
                options=self.request.options.as_dict() | import_publish.describe_owner(self.request.job),
                created_by_id=self.by.pk if self.by is not None else None,
            )
        try:
            self._sources(source_import, paths[0], paths[1])
            self._publish(source_import, paths[2])
            self.progress.set(100, 100, _("done"))
        except IntegrityError as error:
            import_publish.discard_import(source_import)
            message = _("Another import added some of this meanwhile. Nothing was imported. Import the file again.")
            raise Conflict(message) from error
        except BaseException:
            import_publish.discard_import(source_import)
            raise

    def _sources(self, source_import: SourceImport, path: Path, extras_path: Path) -> None:
        n_stored = 0
        with extras_path.open("rb") as extras:
            for batch in staging.read_batches(path, rows=BATCH):
                extra_rows = [json.loads(line) for line in islice(extras, len(batch))]
                self.progress.check()
                with write_transaction():
                    import_publish.record_heartbeat(source_import, n_stored)
                    insert_sources(source_import=source_import, batch=batch)
                    self._extras(source_import, [source.external_id for source in batch], extra_rows)
                n_stored += len(batch)
                self._tell(n_stored, self.report.stored, 50, 30)

    def _extras(self, source_import: SourceImport, names: list[str], extra_rows: list[dict[str, Any]]) -> None:
        rows = SourceDocument.everything.filter(source_import=source_import, external_id__in=names)
        by_name = {row.external_id: row for row in rows}
        documents = [by_name[name] for name in names]
        set_source_extras(documents, extra_rows)
        candidates = [
            candidate
            for document, extra_row in zip(documents, extra_rows, strict=True)
            for candidate in build_candidates(document.pk, extra_row["candidates"])
        ]
        Candidate.objects.bulk_create(candidates, batch_size=BATCH)

    def _publish(self, source_import: SourceImport, lines_path: Path) -> None:
        with write_transaction():
            import_publish.record_heartbeat(source_import, self.report.stored)
            if self.head is not None:
                adopt_versions(project=self.project, head=self.head, by=self.by)
            maker = RowMaker(self.project)
            n_stored = 0
            for batch in _read_line_batches(lines_path):
                maker.store(batch)
                n_stored += len(batch)
                self._tell(n_stored, self.report.references, 80, 19)
            now = timezone.now()
            counts = self.report.counts()
            SourceDocument.everything.filter(source_import=source_import, published=False).update(published=True)
            SourceImport.objects.filter(pk=source_import.pk).update(counts=counts, published_at=now)
            target = f"import:{source_import.public_id}"
            audit.record_event(
                project=self.project, actor=self.by, verb=AuditVerb.SOURCE_IMPORT, target=target, **counts
            )
            keep_result(self.request.job, self.report.as_dict())
            if counts["stored"]:
                key = f"count_tokens:{source_import.public_id}"
                create_job(kind="count_tokens", project=self.project, by=self.by, idempotency_key=key)
            if counts["references"]:
                start_scoring(project=self.project, by=None, automatic=True)

    def _tell(self, n_stored: int, total: int, start: int, share: int) -> None:
        self.progress.set(start + share * n_stored // max(total, 1), 100, _("storing"))


def _read_line_batches(path: Path) -> Iterator[list[str]]:
    with path.open("rb") as lines:
        while batch := [line[:-1].decode() for line in islice(lines, BATCH)]:
            yield batch


FORMAT_IMPORTERS.register(FormatImporter(FORMAT, restore_epitome1))

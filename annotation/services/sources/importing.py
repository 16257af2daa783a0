"""Imports a file of sources: the whole file is checked first, then stored unpublished, then published at once.

`read = stored + duplicate + left_out + rejected` always holds. With a fault nothing is stored, unless `partial`.
"""

import contextlib
import hashlib
import shutil
import threading
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from django.contrib.auth.models import AbstractBaseUser
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.jobs import JobRefused, NoProgress, Progress, register_handler
from annotation.models import Job, Project, SourceImport
from annotation.services.core.errors import BadInput, Conflict, NotFound
from annotation.services.core.job_start import start_job
from annotation.services.sources import column_mappings, import_check, import_publish, import_types
from annotation.services.sources.import_types import (
    FORMAT_IMPORTERS,
    CheckResult,
    ImportRefused,
    ImportReport,
    ImportRequest,
)
from annotation.services.sources.import_uploads import is_swept
from annotation.services.sources.reading_apart import WHOLE, FileReader
from annotation.services.sources.staging import new_staging_path, staging_folder
from annotation.services.sources.staging_process import StagingFile
from annotation.transactions import write_transaction
from epitome.formats.options import ImportOptions
from epitome.formats.reading import InputFile, UnreadableFile, input_file
from epitome.formats.registry import has_columns

FOLDER = "imports"


def import_file(
    *,
    project: Project,
    path: Path,
    file_name: str,
    options: ImportOptions | None = None,
    by: AbstractBaseUser | None = None,
    progress: Progress | None = None,
    job: Job | None = None,
    text_from: InputFile | None = None,
) -> ImportReport:
    """Import one file completely or not at all. text_from: texts of rows that have none, by id.

    Raises ImportRefused if there are faults (neither dry run nor partial), Conflict if another import of the project
    stores the same sources concurrently.
    """
    options = options or ImportOptions()
    import_types.check_options(options)
    file = input_file(path, file_name, texts=text_from, encoding=options.encoding)
    reader = FileReader(WHOLE)
    request = ImportRequest(project, file, file_name, options, by, job, progress or NoProgress(), reader)
    import_publish.discard_dead_imports(project=project, job=job)
    staging = StagingFile(new_staging_path())
    try:
        with _hash_in_background(path) as file_hash:
            checked = _check_file(request, staging)
        if isinstance(checked, ImportReport):
            return checked
        report = ImportReport.from_check(checked, options)
        if options.dry_run or (report.faults and (checked.fatal or not options.partial)):
            if report.faults and not options.dry_run:
                raise ImportRefused(report)
            return report
        if checked.new or checked.references:
            _store_sources(request, file_hash(), checked, staging, report)
        _save_mapping(request, report.format)
        return report
    finally:
        reader.close()
        staging.close()


def _check_file(request: ImportRequest, staging: StagingFile) -> CheckResult | ImportReport:
    """Read the whole file into the staging file; a format with an importer of its own goes there."""
    try:
        kind = import_check.decide_format(request)
        if kind in FORMAT_IMPORTERS:
            return FORMAT_IMPORTERS[kind].run(request)
        return import_check.check_file(request, kind, staging)
    except UnreadableFile as error:  # also of the file of texts
        return import_check.unreadable_result(error.fault)


def _store_sources(
    request: ImportRequest, file_hash: str, checked: CheckResult, staging: StagingFile, report: ImportReport
) -> None:
    by, progress = request.by, request.progress
    with write_transaction():
        source_import = SourceImport.objects.create(
            project=request.project,
            file_name=request.file_name[:255],
            file_hash=file_hash,
            format=checked.format,
            options=request.options.as_dict() | import_publish.describe_owner(request.job),
            created_by_id=by.pk if by is not None else None,
        )

    def report_stored(n_stored: int) -> None:
        note = _("storing, %(done)d of %(total)d") % {"done": n_stored, "total": checked.new}
        progress.set(50 + 49 * n_stored // max(checked.new, 1), 100, note)
        progress.check()

    import_publish.store_and_publish(
        source_import=source_import, staged=staging, report=report, by=by, job=request.job, on_progress=report_stored
    )
    progress.set(100, 100, _("done"))


def _save_mapping(request: ImportRequest, kind: str) -> None:
    """Keep a given column mapping for later files with these columns."""
    options = request.options
    if options.mapping and has_columns(kind):
        header = request.reader.read_column_names(request.file, kind)
        saved = column_mappings.SavedMapping.of_options(options, request.file_name, header)
        column_mappings.save_mapping(project=request.project, saved=saved)


@contextlib.contextmanager
def _hash_in_background(path: Path) -> Iterator[Any]:
    """SHA-256 of a file, computed in a thread during the check (hashing releases the GIL). Yields a function."""
    digests: list[str] = []

    def hash_file() -> None:
        with contextlib.suppress(OSError), path.open("rb") as stream:
            digests.append(hashlib.file_digest(stream, "sha256").hexdigest())

    thread = threading.Thread(target=hash_file, name="file-hash")
    thread.start()
    try:
        yield lambda: digests[0] if digests else ""
    finally:
        thread.join()


class StoredFile(NamedTuple):
    """A file in the storage, and its name for people."""

    name: str
    file_name: str


def store_file(upload: File) -> StoredFile:
    """Put an uploaded file into the storage."""
    return StoredFile(default_storage.save(f"{FOLDER}/{uuid.uuid4()}", upload), (upload.name or "upload")[-255:])


def start_import(
    *,
    project: Project,
    upload: File,
    options: ImportOptions,
    by: AbstractBaseUser | None,
    texts: File | None = None,
) -> Job:
    """Store an uploaded file, and one with the texts of its rows, and queue the import."""
    import_types.check_options(options)
    file = store_file(upload)
    text_file = store_file(texts) if texts is not None else None
    try:
        return start_stored_import(project=project, file=file, options=options, by=by, texts=text_file)
    except Conflict:
        for stored in filter(None, (file, text_file)):
            default_storage.delete(stored.name)
        raise


def start_stored_import(
    *,
    project: Project,
    file: StoredFile,
    options: ImportOptions,
    by: AbstractBaseUser | None,
    texts: StoredFile | None = None,
) -> Job:
    """Queue the import of a file that is in the storage; the job deletes it at its end, unless texts of a page's
    upload were too long (see import_retry). texts: a file with the texts of rows that have none."""
    import_types.check_options(options)
    arguments = {"file": file.name, "file_name": file.file_name[-255:], "options": options.as_dict()}
    if texts is not None:
        arguments |= {"texts": texts.name, "texts_name": texts.file_name[-255:]}
    return start_job(kind="import", project=project, by=by, arguments=arguments)


def _list_uploads(job: Job) -> list[str]:
    """Names in the storage of the uploaded file and of the one with texts."""
    return [name for name in (job.arguments["file"], job.arguments.get("texts")) if name]


def _delete_uploads(job: Job, _by: AbstractBaseUser | None) -> None:
    transaction.on_commit(lambda: _delete_files(_list_uploads(job)))


@register_handler(
    "import",
    gettext_lazy("Import sources"),
    page="documents",
    kept=gettext_lazy("Nothing is imported."),
    cancelled=_delete_uploads,
)
def run_import(job: Job, progress: Progress) -> dict[str, Any]:
    """Import an uploaded file; a second run after a crash finds what the first one published."""
    if job.project is None:
        raise JobRefused(_("The project was deleted."))
    earlier_import = SourceImport.objects.filter(
        project=job.project, published_at__isnull=False, options__job=str(job.public_id)
    ).first()
    names = _list_uploads(job)
    if earlier_import is not None:
        _delete_files(names)
        progress.set(100, 100)
        return job.result or {**earlier_import.counts, "format": earlier_import.format, "faults": []}
    options = import_types.parse_options(job.arguments["options"])
    try:
        with local_copy(names[0]) as path, _local_texts(job) as text_from:
            report = import_file(
                project=job.project,
                path=path,
                file_name=job.arguments["file_name"],
                options=options,
                by=job.requested_by,
                progress=progress,
                job=job,
                text_from=text_from,
            )
    except ImportRefused as refused:
        _delete_files(names)
        result = refused.report.as_dict()
        raise JobRefused(refused.message, faults=result.pop("faults"), result=result) from refused
    except (BadInput, Conflict, NotFound) as refused:
        raise JobRefused(refused.message) from refused
    if not (report.left_out and is_swept(names[0])):  # else kept for a day, to be imported with a higher limit
        _delete_files(names)
    result = report.as_dict()
    if report.faults:
        Job.objects.filter(pk=job.pk).update(faults=result["faults"])
    return result


def _delete_files(names: Sequence[str]) -> None:
    for name in names:
        default_storage.delete(name)


@contextlib.contextmanager
def _local_texts(job: Job) -> Iterator[InputFile | None]:
    """The job's file of texts as a local one, if it has any. Raises NotFound if it is missing."""
    if not job.arguments.get("texts"):
        yield None
        return
    with local_copy(job.arguments["texts"]) as path:
        encoding = job.arguments["options"].get("encoding", "")
        yield input_file(path, job.arguments["texts_name"], encoding=encoding)


@contextlib.contextmanager
def local_copy(name: str) -> Iterator[Path]:
    """A stored file as a local path, copied if the storage is remote. Raises NotFound if it is missing."""
    if not default_storage.exists(name):
        raise NotFound(_("The uploaded file was deleted. Upload it again."))
    try:
        yield Path(default_storage.path(name))
    except NotImplementedError:
        path = staging_folder() / f"{uuid.uuid4()}.upload"
        try:
            with default_storage.open(name, "rb") as stored, path.open("wb") as out:
                shutil.copyfileobj(stored, out, 1 << 20)
            yield path
        finally:
            path.unlink(missing_ok=True)

"""Jobs of a publication: its check, its archive, its upload to a hub."""

import shutil
import tempfile
import uuid
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.core.files.base import File
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.jobs import JobRefused, Progress, register_handler
from annotation.models import AuditVerb, Job, Publication
from annotation.services.core import audit
from annotation.services.core.errors import ServiceError
from annotation.services.core.job_start import start_job
from annotation.services.exports.exporting import FOLDER, delete_work_folders, store_file, work_folder
from annotation.services.publications.folder_writer import write_folder
from annotation.services.publications.hub_upload import check_repository, upload_folder
from annotation.services.publications.publication_check import check_publication
from annotation.services.publications.publications import check_ready
from annotation.services.publications.row_counts import RowCounts
from annotation.transactions import write_transaction

CHECK, WRITE, PUSH = "publication-check", "publication-write", "publication-push"
KINDS = (CHECK, WRITE, PUSH)
ZIP_TIME = (1980, 1, 1, 0, 0, 0)
"""The same folder gives the same archive, byte for byte."""


def start_check(*, publication: Publication, by: AbstractBaseUser | None) -> Job:
    return _start(CHECK, publication, by)


def start_writing(*, publication: Publication, by: AbstractBaseUser | None) -> Job:
    """Queue the archive. Raises Conflict while something is undecided."""
    check_ready(publication)
    return _start(WRITE, publication, by)


def start_upload(*, publication: Publication, repository: str, private: bool, by: AbstractBaseUser | None) -> Job:
    """Queue the upload. Raises BadInput, Conflict while something is undecided or no hub is set up."""
    check_repository(repository)
    check_ready(publication)
    return _start(PUSH, publication, by, repository=repository, private=private)


def _start(kind: str, publication: Publication, by: AbstractBaseUser | None, **more: Any) -> Job:
    arguments = {"publication": publication.pk, "file_name": publication.tag, **more}
    return start_job(kind=kind, project=publication.project, by=by, arguments=arguments)


def find_running_job(publication: Publication) -> Job | None:
    rows = Job.objects.under_way().filter(project=publication.project, kind__in=KINDS)
    return rows.filter(arguments__publication=publication.pk).order_by("pk").first()


def find_last_job(publication: Publication, kind: str) -> Job | None:
    """The newest job of a kind, whatever its state."""
    rows = Job.objects.filter(project=publication.project, kind=kind, arguments__publication=publication.pk)
    return rows.order_by("-pk").first()


def _find_publication(job: Job) -> Publication:
    rows = Publication.objects.select_related("project", "release")
    publication = rows.filter(pk=job.arguments["publication"], project=job.project_id).first()
    if publication is None:
        raise JobRefused(_("The publication was deleted."))
    return publication


@contextmanager
def _refuse_errors() -> Iterator[None]:
    """A service's refusal ends the job at once."""
    try:
        yield
    except ServiceError as refused:
        raise JobRefused(refused.message) from refused


UPLOAD_KEPT = gettext_lazy("What was uploaded already stays on the hub.")


@register_handler(CHECK, gettext_lazy("Check a publication"), queue="text", page="publications")
def run_check(job: Job, progress: Progress) -> dict[str, Any]:
    publication = _find_publication(job)
    with _refuse_errors():
        checks = check_publication(publication=publication, by=job.requested_by, progress=progress)
    return {"tag": publication.tag, "sources": checks["sources"], "hits": publication.hits.count()}


@register_handler(WRITE, gettext_lazy("Write a publication"), page="publications")
def run_writing(job: Job, progress: Progress) -> dict[str, Any]:
    """Store the folder as a zip archive named after the job: a second run replaces that of the first."""
    publication = _find_publication(job)
    name = f"{publication.project.slug}-{publication.tag}"
    stored = f"{FOLDER}/{job.public_id}.zip"
    delete_work_folders([str(job.public_id)])
    with _job_folder(job) as root, _refuse_errors():
        folder, archive = root / name, root / f"{name}.zip"
        written = write_folder(publication=publication, folder=folder, by=job.requested_by, progress=progress)
        zip_folder(folder, archive)
        progress.check()
        size = archive.stat().st_size
        with archive.open("rb") as stream:
            store_file(stored, File(stream))
    counts = {"sources": written.n_sources, "summaries": written.n_summaries}
    return {"file": stored, "file_name": f"{name}.zip", "bytes": size, "counts": counts, "tag": publication.tag}


@register_handler(PUSH, gettext_lazy("Upload a publication"), page="publications", kept=UPLOAD_KEPT)
def run_upload(job: Job, progress: Progress) -> dict[str, Any]:
    publication = _find_publication(job)
    repository, private = job.arguments["repository"], bool(job.arguments["private"])
    delete_work_folders([str(job.public_id)])
    with _job_folder(job) as root, _refuse_errors():
        written = write_folder(publication=publication, folder=root / "dataset", by=job.requested_by, progress=progress)
        progress.check()
        address = push_folder(publication, root / "dataset", repository, private=private, by=job.requested_by)
    return {"address": address, "sources": written.n_sources, "tag": publication.tag}


def push_folder(
    publication: Publication, folder: Path, repository: str, *, private: bool, by: AbstractBaseUser | None
) -> str:
    """Upload a written folder; returns the address. Raises what `upload_folder` raises."""
    message = f"Release {publication.tag} of {publication.project.slug}"
    address = upload_folder(folder=folder, repository=repository, private=private, message=message)
    with write_transaction():
        audit.record_event(
            project=publication.project,
            actor=by,
            verb=AuditVerb.PUBLICATION_PUSH,
            target=f"publication:{publication.public_id}",
            repository=repository,
        )
    return address


def push_publication(
    *, publication: Publication, repository: str, private: bool, progress: Progress, by: AbstractBaseUser | None = None
) -> tuple[RowCounts, str]:
    """Write and upload in this process, for the command; returns what was written, and the address."""
    check_repository(repository)
    with tempfile.TemporaryDirectory(dir=work_folder()) as temp_name:
        folder = Path(temp_name) / "dataset"
        written = write_folder(publication=publication, folder=folder, by=by, progress=progress)
        return written, push_folder(publication, folder, repository, private=private, by=by)


@contextmanager
def _job_folder(job: Job) -> Iterator[Path]:
    """A folder of this attempt, deleted afterwards."""
    root = work_folder() / f"{job.public_id}-{uuid.uuid4().hex[:8]}"
    root.mkdir()
    try:
        yield root
    finally:
        shutil.rmtree(root, ignore_errors=True)


def zip_folder(folder: Path, archive: Path) -> None:
    """All files of a folder, under its name."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(f"{folder.name}/{path.relative_to(folder).as_posix()}", ZIP_TIME)
            entry.compress_type = zipfile.ZIP_STORED if path.suffix == ".parquet" else zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            with path.open("rb") as stream, out.open(entry, "w") as target:
                shutil.copyfileobj(stream, target)

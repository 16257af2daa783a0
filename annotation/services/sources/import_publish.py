"""Storing a checked file: unpublished rows in short transactions, then one transaction that publishes them all.

Rows of an unfinished import are deleted: by the import itself when it fails, by the next import of the project or the
sweeper when its process was killed.
"""

import os
import socket
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from annotation.jobs import create_job, keep_result, register_sweeper
from annotation.models import AuditVerb, Job, Project, SourceDocument, SourceImport
from annotation.services.core import audit
from annotation.services.core.errors import Conflict
from annotation.services.scores.score_jobs import start_scoring
from annotation.services.sources import staging
from annotation.services.sources.import_types import ImportReport
from annotation.services.sources.reference_rows import load_rows
from annotation.services.sources.references import WithReferences, restore_references
from annotation.services.sources.source_bulk_insert import insert_sources
from annotation.services.sources.staging_process import StagingFile
from annotation.transactions import write_transaction

DEAD_AFTER = timedelta(minutes=10)
"""An unpublished import of another machine without a heartbeat for this long is dead; a batch takes under a second."""
STALE_FILE_SECONDS = 24 * 3600
DELETE_ROWS = 1000


def describe_owner(job: Job | None) -> dict[str, Any]:
    """Job and process of an import, stored in its options so that later runs can check whether the process is alive."""
    pid = os.getpid()
    return {
        "job": str(job.public_id) if job is not None else None,
        "worker": {"host": socket.gethostname(), "pid": pid, "started": _process_start_mark(pid)},
    }


def _process_start_mark(pid: int) -> str:
    """Start time of a process of this machine as an opaque text (from /proc if available); empty if there is none."""
    try:
        os.kill(pid, 0)
        text = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except ProcessLookupError:
        return ""
    except OSError:  # somebody else's process, or a system without /proc
        return "running"
    return text.rsplit(")", 1)[-1].split()[19]


def store_and_publish(
    *,
    source_import: SourceImport,
    staged: StagingFile,
    report: ImportReport,
    by: AbstractBaseUser | None,
    job: Job | None,
    on_progress: Callable[[int], None],
) -> None:
    """Store the staged sources and publish them. On any failure the rows are deleted and the error is re-raised.

    Raises Conflict when another import stored one of the ids meanwhile.
    """
    try:
        n_stored = 0
        for batch in staging.read_batches(staged):
            with write_transaction():
                record_heartbeat(source_import, n_stored)
                insert_sources(source_import=source_import, batch=batch)
            n_stored += len(batch)
            on_progress(n_stored)
        publish_import(source_import, staged.path, report, by, job)
    except IntegrityError as error:
        discard_import(source_import)
        raise Conflict(
            _("Another import added some of these sources meanwhile. Nothing was imported. Import the file again.")
        ) from error
    except BaseException:
        discard_import(source_import)
        raise


def record_heartbeat(source_import: SourceImport, n_stored: int) -> None:
    """Store progress and time as a heartbeat; raises Conflict when a later run deleted this import as dead."""
    heartbeat = {"stored_so_far": n_stored, "at": timezone.now().isoformat()}
    if not SourceImport.objects.filter(pk=source_import.pk, published_at__isnull=True).update(counts=heartbeat):
        raise Conflict(_("This import was cancelled and cleaned up. Start it again."))


def publish_import(
    source_import: SourceImport, path: Path, report: ImportReport, by: AbstractBaseUser | None, job: Job | None
) -> None:
    """Publish all rows in one transaction, and keep what the job will say of it."""
    project, counts = source_import.project, report.counts()
    with write_transaction():
        record_heartbeat(source_import, counts["stored"])
        if counts["references"]:
            restore_references(project=project, sources=_with_references(source_import, path))
        SourceDocument.everything.filter(source_import=source_import, published=False).update(published=True)
        SourceImport.objects.filter(pk=source_import.pk).update(counts=counts, published_at=timezone.now())
        audit.record_event(
            project=project,
            actor=by,
            verb=AuditVerb.SOURCE_IMPORT,
            target=f"import:{source_import.public_id}",
            **counts,
        )
        keep_result(job, report.as_dict())
        if counts["stored"]:
            create_job(
                kind="count_tokens", project=project, by=by, idempotency_key=f"count_tokens:{source_import.public_id}"
            )
        if counts["references"]:
            start_scoring(project=project, by=None, automatic=True)


def _with_references(source_import: SourceImport, path: Path) -> Iterator[WithReferences]:
    ids = dict(
        SourceDocument.everything.filter(source_import=source_import).values_list("external_id", "pk").order_by()
    )
    for source in staging.all_staged(path):
        if source.n_references:
            document = source.stored_id if source.stored_id is not None else ids[source.external_id]
            yield WithReferences(document, load_rows(source.references), is_new=source.stored_id is None)


def discard_import(source_import: SourceImport) -> None:
    """Delete an unpublished import and its rows, in short transactions; does nothing to a published one."""
    rows = SourceDocument.everything.filter(source_import=source_import, published=False)
    if SourceImport.objects.filter(pk=source_import.pk, published_at__isnull=False).exists():
        return
    while ids := list(rows.order_by("pk").values_list("pk", flat=True)[:DELETE_ROWS]):
        with write_transaction():
            SourceDocument.everything.filter(pk__in=ids).delete()
    with write_transaction():
        SourceImport.objects.filter(pk=source_import.pk, published_at__isnull=True).delete()


def discard_dead_imports(*, project: Project | None = None, job: Job | None = None) -> int:
    """Delete the rows of killed imports; returns the number of imports. `job`: the job that is starting again now."""
    unfinished = SourceImport.objects.filter(published_at__isnull=True)
    if project is not None:
        unfinished = unfinished.filter(project=project)
    dead = [row for row in unfinished if _is_dead(row, job)]
    for source_import in dead:
        discard_import(source_import)
    return len(dead)


def _is_dead(source_import: SourceImport, job: Job | None) -> bool:
    job_id = source_import.options.get("job")
    if job_id is not None:
        if job is not None and job_id == str(job.public_id):
            return True  # this run owns the job now, so the earlier run is dead
        if Job.objects.under_way().filter(public_id=job_id).exists():
            return False
    worker = source_import.options.get("worker", {})
    if worker.get("host") == socket.gethostname():
        started = _process_start_mark(worker.get("pid", 0))
        return not started or worker.get("started") != started
    last_heartbeat = parse_datetime(str(source_import.counts.get("at", ""))) or source_import.created_at
    return timezone.now() - last_heartbeat > DEAD_AFTER


@register_sweeper
def sweep_imports() -> None:
    """Delete what killed imports left: unpublished rows and stale staging files."""
    discard_dead_imports()
    oldest = timezone.now().timestamp() - STALE_FILE_SECONDS
    for file in staging.staging_folder().iterdir():
        if file.suffix in (".staged", ".upload") and file.stat().st_mtime < oldest:
            file.unlink(missing_ok=True)

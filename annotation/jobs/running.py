"""Runs one job: claims its lease, renews it while working, and stores the result unless the lease was lost."""

import logging
from collections.abc import Sequence
from typing import Any

from django.db import close_old_connections, connection
from django.db.models import Case, F, Value, When
from django.utils import timezone
from django.utils.translation import override

from annotation.jobs.clock import database_now
from annotation.jobs.creating import send_hint
from annotation.jobs.faults import describe_fault
from annotation.jobs.priorities import choose_job, list_due_jobs
from annotation.jobs.progress import JobLost, JobProgress
from annotation.jobs.registry import HANDLERS, JobPaused, JobRefused
from annotation.jobs.renewing import renew_leases
from annotation.jobs.worker_names import new_token
from annotation.models import Job, JobState
from annotation.models.jobs import GAVE_WAY
from annotation.transactions import write_transaction
from epitome.site.file_language import FILE_LANGUAGE

log = logging.getLogger(__name__)
STOPPED = "The worker stopped each time it worked on this job. It was tried as often as allowed."


def list_open_jobs(queues: Sequence[str] | None = None, *, limit: int = 20) -> list[tuple[int, str]]:
    """Ids and queues of jobs that may be begun now, in the order of their turns."""
    return [(job.pk, job.queue) for job in list_due_jobs(queues)[:limit]]


def claim_job(job_id: int) -> Job | None:
    """Claim the job if it is queued or its lease expired; counts one attempt. Without attempts left it becomes DEAD.

    A job that gave way keeps the time at which it was first started."""
    now = database_now()
    rows = Job.objects.filter(pk=job_id)
    with write_transaction():
        rows.claimable(now).exhaust(now, most_attempts=F("max_attempts"), error=STOPPED)
        started_at = Case(When(GAVE_WAY, then=F("started_at")), default=Value(now))
        claimed = rows.claim(now, worker=new_token(), attempts=F("attempts") + 1, started_at=started_at)
    return Job.objects.select_related("project", "requested_by").get(pk=job_id) if claimed else None


def finish_job(job: Job, state: JobState, **changes: Any) -> bool:
    """Store the final state, if this run still owns the job."""
    with write_transaction():
        ended = job.held().end(state, finished_at=timezone.now(), **changes)
        if ended and state == JobState.DONE:
            HANDLERS[job.kind].stored(job)
    return bool(ended)


def keep_result(job: Job | None, result: dict[str, Any]) -> None:
    """Store what a job will say, in the caller's transaction that does its work: where the worker dies before it says
    so, the next one finds the work done and `job.result` filled."""
    if job is not None:
        job.held().update(result=result)


def release_job(job: Job, **changes: Any) -> bool:
    """Queue the job again, if this run still owns it."""
    with write_transaction():
        return bool(job.held().release(**changes))


def run_hinted_job(job_id: int, queues: Sequence[str]) -> bool:
    """Run the job whose turn it is; a message that names another is sent again. True when one ran.

    queues: those that this worker serves.
    """
    _close_old_connections()
    chosen_id = choose_job(job_id, queues)
    if chosen_id == job_id:
        return run_job(job_id, queues)
    ran = chosen_id is not None and run_job(chosen_id, queues)
    queue = Job.objects.filter(pk=job_id, state=JobState.QUEUED).values_list("queue", flat=True).first()
    if queue is not None:
        send_hint(job_id, queue)
    return ran


def _close_old_connections() -> None:
    if not connection.in_atomic_block:  # do not close a connection inside the caller's transaction
        close_old_connections()


@override(FILE_LANGUAGE)  # what a job stores does not depend on who asked for it
def run_job(job_id: int, queues: Sequence[str] = ()) -> bool:
    """Run one job if it can be claimed. True when this call ran it; the outcome is stored on its row.

    queues: those that its worker serves; the job gives way to what waits in these.
    """
    _close_old_connections()
    job = claim_job(job_id)
    if job is None:
        return False
    progress = JobProgress(job, queues)
    try:
        with renew_leases(f"lease-{job.pk}", job.held()):
            result = HANDLERS[job.kind].work(job, progress)
        totals = {"progress_total": progress.done} if progress.total is None else {"progress_total": progress.total}
        finish_job(job, JobState.DONE, result=result, error="", progress_done=progress.done, **totals)
    except JobLost:
        log.warning("job %s was taken from this worker; stopping", job_id)
    except JobPaused:
        _pause_job(job, progress)
    except JobRefused as refused:
        finish_job(job, JobState.FAILED, error=refused.message, faults=refused.faults, result=refused.result)
    except Exception as error:  # stored with the job and logged
        log.exception("job %s (%s) broke", job_id, job.kind)
        is_last_attempt = job.attempts >= job.max_attempts
        trace = describe_fault(error)
        _close_old_connections()  # one that broke tells nobody
        if is_last_attempt:
            finish_job(job, JobState.DEAD, error=trace)
        else:
            release_job(job, error=trace, started_at=database_now())  # it is tried again a lease later
    return True


def _pause_job(job: Job, progress: JobProgress) -> None:
    """Queue the job again with what it has done so far; this run does not count as an attempt."""
    changes: dict[str, Any] = {"attempts": F("attempts") - 1, "result": progress.counts, "lease_until": database_now()}
    if progress.done:
        changes |= {"progress_done": progress.done, "progress_total": progress.total}
    if release_job(job, **changes):
        send_hint(job.pk, job.queue)

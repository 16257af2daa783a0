"""Runs one job: claims its lease, renews it while working, and stores the result unless the lease was lost."""

import logging
import os
import socket
import traceback
import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.db import close_old_connections, connection
from django.db.models import F, Q
from django.utils import timezone

from annotation.jobs.clock import database_now
from annotation.jobs.creating import send_hint
from annotation.jobs.progress import JobLost, JobProgress
from annotation.jobs.registry import HANDLERS, JobPaused, JobRefused
from annotation.jobs.renewing import renew_in_background
from annotation.models import Job, JobState
from annotation.transactions import write_transaction

log = logging.getLogger(__name__)


def _claimable_filter(now: datetime) -> Q:
    return Q(state=JobState.QUEUED) | Q(state=JobState.RUNNING, lease_until__lt=now)


def list_open_jobs(queues: Sequence[str] | None = None, *, limit: int = 20) -> list[tuple[int, str]]:
    """Ids and queues of jobs that are queued or whose lease expired; oldest first."""
    jobs = Job.objects.filter(_claimable_filter(database_now())).order_by("id")
    if queues is not None:
        jobs = jobs.filter(queue__in=queues)
    return list(jobs.values_list("pk", "queue")[:limit])


def claim_job(job_id: int) -> Job | None:
    """Claim the job if it is queued or its lease expired; counts one attempt. Without attempts left it becomes DEAD."""
    now = database_now()
    worker = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
    claimable_jobs = Job.objects.filter(_claimable_filter(now), pk=job_id)
    with write_transaction():
        claimable_jobs.filter(attempts__gte=F("max_attempts")).update(
            state=JobState.DEAD,
            finished_at=now,
            lease_until=None,
            error="The worker stopped each time it worked on this job. It was tried as often as allowed.",
        )
        claimed = claimable_jobs.filter(attempts__lt=F("max_attempts")).update(
            state=JobState.RUNNING,
            attempts=F("attempts") + 1,
            worker=worker,
            lease_until=now + timedelta(seconds=settings.EPITOME_JOB_LEASE_SECONDS),
            started_at=now,
        )
    return Job.objects.select_related("project", "requested_by").get(pk=job_id) if claimed else None


def renew_lease(job: Job, until: datetime) -> None:
    """Extend the lease of a running job, if this worker still owns it."""
    with write_transaction():
        Job.objects.run_by(job.worker, job.pk).update(lease_until=until)


def finish_job(job: Job, state: JobState, **changes: Any) -> bool:
    """Store the final state, if this run still owns the job."""
    with write_transaction():
        ended = Job.objects.run_by(job.worker, job.pk).update(
            state=state,
            lease_until=None,
            finished_at=None if state == JobState.QUEUED else timezone.now(),
            **changes,
        )
        if ended and state == JobState.DONE:
            HANDLERS[job.kind].stored(job)
    return bool(ended)


def run_job(job_id: int) -> bool:
    """Run one job if it can be claimed. True when this call ran it; the outcome is stored on its row."""
    if not connection.in_atomic_block:  # do not close a connection inside the caller's transaction
        close_old_connections()
    job = claim_job(job_id)
    if job is None:
        return False
    progress = JobProgress(job)
    try:
        with renew_in_background(f"lease-{job.pk}", partial(renew_lease, job)):
            result = HANDLERS[job.kind].work(job, progress)
        totals = {"progress_total": progress.done} if progress.total is None else {"progress_total": progress.total}
        finish_job(job, JobState.DONE, result=result, error="", progress_done=progress.done, **totals)
    except JobLost:
        log.warning("job %s was taken from this worker; stopping", job_id)
    except JobPaused:
        if finish_job(job, JobState.QUEUED, attempts=0):
            send_hint(job.pk, job.queue)
    except JobRefused as refused:
        finish_job(job, JobState.FAILED, error=refused.message, faults=refused.faults, result=refused.result)
    except Exception as error:  # stored with the job and logged
        log.exception("job %s (%s) broke", job_id, job.kind)
        is_last_attempt = job.attempts >= job.max_attempts
        trace = "".join(traceback.format_exception_only(error)).strip().replace("\x00", "\\0")
        finish_job(
            job,
            JobState.DEAD if is_last_attempt else JobState.QUEUED,
            error=trace[:2000].encode(errors="replace").decode(),
        )
    return True

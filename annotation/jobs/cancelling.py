"""Cancelling a job. Its worker, if it has one, finds that the row is no longer its own, and stores nothing more."""

from django.contrib.auth.models import AbstractBaseUser
from django.utils import timezone

from annotation.jobs.registry import HANDLERS
from annotation.models import Job, JobState
from annotation.transactions import write_transaction


def may_cancel(job: Job) -> bool:
    """Whether the job is under way and of a kind that can be cancelled."""
    return job.state in JobState.UNDER_WAY and job.kind in HANDLERS and bool(HANDLERS[job.kind].kept)


def cancel_job(job: Job, by: AbstractBaseUser | None) -> bool:
    """Cancel a job, and with it what it works on, such as a run. False where it has ended already."""
    if not may_cancel(job):
        return False
    with write_transaction():
        ended = Job.objects.under_way().filter(pk=job.pk).end(JobState.CANCELLED, finished_at=timezone.now())
        if ended:
            HANDLERS[job.kind].cancelled(job, by)
    return bool(ended)

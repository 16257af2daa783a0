"""Which due job comes first: background jobs wait for all others, and among equals the oldest comes first.

The broker knows no priorities: its messages only say that something is due.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Q

from annotation.jobs.clock import database_now
from annotation.jobs.registry import HANDLERS, PREFERENCES
from annotation.models import Job, JobState


def claimable_filter(now: datetime) -> Q:
    """Jobs that are queued, or whose worker died."""
    return Q(state=JobState.QUEUED) | Q(state=JobState.RUNNING, lease_until__lt=now)


def is_background(kind: str) -> bool:
    return kind in HANDLERS and HANDLERS[kind].background


def background_kinds() -> list[str]:
    return [handler.kind for handler in HANDLERS if handler.background]


def due_filter(now: datetime) -> Q:
    """Claimable jobs, without those that broke within the last lease time: they are tried again by polling."""
    retry_before = now - timedelta(seconds=settings.EPITOME_JOB_LEASE_SECONDS)
    return claimable_filter(now) & (Q(attempts=0) | Q(started_at__lt=retry_before))


def _foreground_filter() -> Q:
    """Jobs that somebody waits for. A long job between two slices (JobPaused) has its turn when its own hint comes."""
    return ~Q(kind__in=background_kinds()) & ~Q(attempts=0, started_at__isnull=False)


def is_foreground_waiting(queues: Sequence[str]) -> bool:
    """Whether a worker of these queues has other work than background jobs."""
    return Job.objects.filter(due_filter(database_now()), _foreground_filter(), queue__in=queues).exists()


def find_job_before(job_id: int, queues: Sequence[str]) -> int | None:
    """The job that a worker of these queues does before a background job; None: nothing, or that is no such job."""
    if not Job.objects.filter(pk=job_id, kind__in=background_kinds()).exists():
        return None
    due_jobs = Job.objects.filter(due_filter(database_now()), queue__in=queues).order_by("pk")
    first = due_jobs.filter(_foreground_filter()).first()
    if first is None:
        first = due_jobs.filter(kind__in=background_kinds(), pk__lt=job_id).first()
    return first.pk if first is not None else None


def choose_job(job_id: int, queues: Sequence[str]) -> int | None:
    """The job that a worker of these queues does now that one is announced; None: leave it to another worker."""
    if (first_id := find_job_before(job_id, queues)) is not None:
        return first_id
    for prefer in PREFERENCES:
        chosen_id = prefer(job_id, queues)
        if chosen_id != job_id:
            return chosen_id
    return job_id

"""Which due job comes first: background jobs wait for all others, and among equals the oldest comes first.

The broker knows no priorities: its messages only say that something is due.
"""

from collections.abc import Sequence

from django.db.models import Q

from annotation.jobs.clock import database_now
from annotation.jobs.registry import HANDLERS, PREFERENCES
from annotation.models import Job


def is_background(kind: str) -> bool:
    return kind in HANDLERS and HANDLERS[kind].background


def background_kinds() -> list[str]:
    return [handler.kind for handler in HANDLERS if handler.background]


def _foreground_filter() -> Q:
    """Jobs that somebody waits for. A long job between two slices (JobPaused) has its turn when its own hint comes."""
    return ~Q(kind__in=background_kinds()) & ~Q(attempts=0, started_at__isnull=False)


def is_foreground_waiting(queues: Sequence[str]) -> bool:
    """Whether a worker of these queues has other work than background jobs."""
    return Job.objects.due(database_now()).filter(_foreground_filter(), queue__in=queues).exists()


def find_job_before(job_id: int, queues: Sequence[str]) -> int | None:
    """The job that a worker of these queues does before a background job; None: nothing, or that is no such job."""
    if not Job.objects.filter(pk=job_id, kind__in=background_kinds()).exists():
        return None
    due_jobs = Job.objects.due(database_now()).filter(queue__in=queues).order_by("pk")
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

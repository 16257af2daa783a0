"""Which due job comes first, and when a job at work gives way to the others.

Jobs take turns. A job that can go on later gives way once it has worked for a while and others wait; it then waits
like them, and its row says how far it is. So a short job waits for one turn of a long one, not for its end, with a
worker that shares a broker and with one that has none: a turn is a run of the job, and between two turns nothing but
its row is left. Jobs that nobody waits for (background) come after all others.

The broker knows no priorities: its messages only say that something is due.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from annotation.jobs.clock import database_now
from annotation.jobs.registry import HANDLERS, PREFERENCES
from annotation.models import Job

TURN_SECONDS = 2.0
"""A job works at least this long before it gives way to jobs that have not begun."""
LONG_TURN_SECONDS = 10.0
"""... and this long before it gives way to others that have had turns too, so that not all time goes into changing."""
LATER = timedelta(seconds=20)
"""A job that has had a turn waits as if it had come this much later: new jobs first, but it is never left out."""
MOST_DUE = 1000
"""Due jobs compared at most, the oldest."""


def is_background(kind: str) -> bool:
    return kind in HANDLERS and HANDLERS[kind].background


def background_kinds() -> list[str]:
    return [handler.kind for handler in HANDLERS if handler.background]


def list_due_jobs(queues: Sequence[str] | None = None) -> list[Job]:
    """Jobs that may be begun now by a worker of these queues (None: of any), in the order of their turns."""
    rows = Job.objects.due(database_now())
    if queues is not None:
        rows = rows.filter(queue__in=queues)
    oldest = rows.defer("arguments", "result", "faults", "error").order_by("pk")[:MOST_DUE]
    return sorted(oldest, key=rank_job)


def rank_job(job: Job) -> tuple[bool, datetime, int]:
    """Orders due jobs: background jobs last and in the order they came, others by how long they wait."""
    if is_background(job.kind):
        return True, job.created_at, job.pk
    return False, job.waits_since + LATER if job.has_given_way else job.created_at, job.pk


def is_turn_over(kind: str, seconds: float, queues: Sequence[str]) -> bool:
    """Whether a job that has worked so long gives way to others that wait for a worker of these queues."""
    if seconds < TURN_SECONDS and not is_background(kind):
        return False
    waiting = Job.objects.due(database_now()).filter(queue__in=queues).exclude(kind__in=background_kinds())
    if not is_background(kind) and seconds < LONG_TURN_SECONDS:
        waiting = waiting.first_turn()
    return waiting.exists()


def choose_job(job_id: int, queues: Sequence[str]) -> int | None:
    """The job that a worker of these queues does now that one is announced; None: leave it to another worker."""
    for due_id in [job.pk for job in list_due_jobs(queues)] or [job_id]:
        chosen_id: int | None = due_id
        for prefer in PREFERENCES:
            chosen_id = prefer(due_id, queues)
            if chosen_id != due_id:
                break
        if chosen_id is not None:
            return chosen_id
    return None

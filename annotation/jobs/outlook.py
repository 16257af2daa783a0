"""When a job will be done: how many stand before it, for how long, and what its own rate says."""

from dataclasses import dataclass
from functools import cached_property
from statistics import median

from annotation.jobs.clock import database_now
from annotation.jobs.priorities import LONG_TURN_SECONDS, TURN_SECONDS, list_due_jobs, rank_job
from annotation.jobs.registry import HANDLERS
from annotation.models import Job, JobState, WorkerHeartbeat

RECENT = 9
"""Jobs of a kind whose length says how long the next one may take."""
RATE_FIELDS = ("kind", "queue", "state", "created_at", "started_at", "lease_until", "progress_done", "progress_total")
SURE_AFTER = 3.0
"""Seconds of work before a job's rate says anything."""


@dataclass(frozen=True)
class Outlook:
    """n_before: jobs that come first while all workers are busy. seconds_before: until its turn; seconds_left: until
    its end, once it works. None where nothing is known."""

    n_before: int = 0
    seconds_before: float | None = None
    seconds_left: float | None = None


class Queue:
    """The jobs and workers as they are now, each read once however many jobs are asked about."""

    def __init__(self) -> None:
        self.now = database_now()
        self._usual: dict[str, float | None] = {}

    @cached_property
    def workers(self) -> list[list[str]]:
        """The queues of each worker."""
        return list(WorkerHeartbeat.objects.running(self.now).values_list("queues", flat=True))

    @cached_property
    def running(self) -> list[Job]:
        return list(Job.objects.in_work(self.now).only(*RATE_FIELDS))

    @cached_property
    def due(self) -> list[Job]:
        """The jobs that may begin, in the order of their turns."""
        return list_due_jobs()

    def look_ahead(self, job: Job) -> Outlook:
        """The outlook of a job under way; for one that has ended there is none."""
        if job.state not in JobState.UNDER_WAY:
            return Outlook()
        if job.started_at is not None:
            return Outlook(seconds_left=self._estimate_rest(job))
        served = [queues for queues in self.workers if job.queue in queues]
        if not served:
            return Outlook()
        queues = {name for queues in served for name in queues}
        running = [other for other in self.running if other.queue in queues]
        jobs_before = [other for other in self.due if other.queue in queues and rank_job(other) < rank_job(job)]
        n_before = len(jobs_before) + len(running) - len(served) + 1
        if n_before <= 0:
            return Outlook(seconds_before=0.0)
        turns = [*((other, TURN_SECONDS) for other in running), *((other, LONG_TURN_SECONDS) for other in jobs_before)]
        seconds = [self._estimate_turn(other, turn) for other, turn in turns]
        known = [value for value in seconds if value is not None]
        return Outlook(n_before, sum(known) / len(served) if len(known) == len(seconds) else None)

    def _estimate_turn(self, job: Job, turn: float) -> float | None:
        """How long a job keeps a worker before the next one comes."""
        rest = self._estimate_rest(job)
        if job.kind in HANDLERS and HANDLERS[job.kind].takes_turns:
            return turn if rest is None else min(turn, rest)
        return rest

    def _estimate_rest(self, job: Job) -> float | None:
        """Seconds until the end: by the job's own rate, else by the length of the last jobs of its kind."""
        elapsed = (self.now - job.started_at).total_seconds() if job.started_at is not None else 0.0
        if job.progress_total and job.progress_done and elapsed >= SURE_AFTER:
            return max(0, job.progress_total - job.progress_done) * elapsed / job.progress_done
        if job.kind not in self._usual:
            self._usual[job.kind] = _find_usual_length(job.kind)
        usual = self._usual[job.kind]
        return None if usual is None else max(1.0, usual - elapsed)


def look_ahead(job: Job) -> Outlook:
    """The outlook of one job."""
    return Queue().look_ahead(job)


def _find_usual_length(kind: str) -> float | None:
    """The median length of the last jobs of a kind; None where there was none."""
    rows = Job.objects.done().filter(kind=kind).order_by("-pk").values_list("started_at", "finished_at")[:RECENT]
    lengths = [ended - started for started, ended in rows if started is not None and ended is not None]
    return median(length.total_seconds() for length in lengths) if lengths else None

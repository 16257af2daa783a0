"""Progress reporting: on the job's row for pages, on a terminal for commands."""

import time
from collections.abc import Sequence
from typing import Any, Protocol

from django.db.models import F

from annotation.jobs.priorities import is_background, is_foreground_waiting
from annotation.jobs.registry import JobPaused
from annotation.models import Job
from annotation.transactions import write_transaction
from epitome.terminal_progress import TerminalProgress

__all__ = ["JobLost", "JobProgress", "NoProgress", "Progress", "TerminalProgress"]
WRITE_EVERY = 0.5  # seconds; enough for a progress bar, and every write costs a commit


class JobLost(Exception):
    """This run no longer owns its job: the lease expired or the job was cancelled. Stop and store nothing more."""


class Progress(Protocol):
    def set(self, done: int, total: int | None = None, note: str = "") -> None:
        """Report that `done` of `total` are done."""

    def advance(self, n: int = 1) -> None:
        """Report n more."""

    def check(self) -> None:
        """Raise JobLost when this run should stop, JobPaused when a background job should go on later."""

    def carry(self, counts: dict[str, Any]) -> dict[str, Any]:
        """The counts to go on with: those that this job had when it last gave way, else the ones passed.

        What the caller then adds to them is stored with the job when it gives way again.
        """


class NoProgress:
    """For callers that do not show progress."""

    def set(self, done: int, total: int | None = None, note: str = "") -> None:
        return None

    def advance(self, n: int = 1) -> None:
        return None

    def check(self) -> None:
        return None

    def carry(self, counts: dict[str, Any]) -> dict[str, Any]:
        return counts


class JobProgress:
    """Writes to the job's row, and only while this run owns it. queues: those that its worker serves."""

    def __init__(self, job: Job, queues: Sequence[str] = ()) -> None:
        self.job, self.held_job = job, job.held()
        self.done, self.total, self.note = 0, job.progress_total, ""
        self.written = 0.0
        self.counts: dict[str, Any] = job.result
        self.queues = queues if is_background(job.kind) else ()
        self.n_checks = 0

    def set(self, done: int, total: int | None = None, note: str = "") -> None:
        self.done = done
        self.total = total if total is not None else self.total
        self.note = note or self.note
        if time.monotonic() - self.written >= WRITE_EVERY:
            self.flush()

    def advance(self, n: int = 1) -> None:
        self.set(self.done + n)

    def check(self) -> None:
        if not self.held_job.exists():
            raise self._lost()
        self.n_checks += 1
        # Not at the first check: with some work done in every run, the job ends however many others come.
        if self.queues and self.n_checks > 1 and is_foreground_waiting(self.queues):
            raise JobPaused(f"job {self.job.pk} gives way")

    def carry(self, counts: dict[str, Any]) -> dict[str, Any]:
        self.counts = {**counts, **self.counts}
        return self.counts

    def flush(self) -> None:
        self.written = time.monotonic()
        with write_transaction():
            stored = self.held_job.update(
                progress_done=self.done,
                progress_total=self.total if self.total is not None else F("progress_total"),
                progress_note=self.note[:200],
            )
        if not stored:
            raise self._lost()

    def _lost(self) -> JobLost:
        return JobLost(f"job {self.job.pk} is no longer owned by this worker")

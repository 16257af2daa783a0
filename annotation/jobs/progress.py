"""Progress reporting: on the job's row for pages, on a terminal for commands."""

import time
from collections.abc import Sequence
from typing import Any, Protocol

from django.db.models import F

from annotation.jobs.priorities import is_turn_over
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
        """Raise JobLost when this run should stop."""

    def checkpoint(self) -> None:
        """Like `check`, where all work so far is stored and the job can go on from there in another run: also raises
        JobPaused where the job has had its turn and others wait."""

    def is_turn_over(self) -> bool:
        """Whether the job has had its turn and others wait."""

    def carry(self, counts: dict[str, Any]) -> dict[str, Any]:
        """The counts to go on with: those that this job had when it last gave way, else the ones passed.

        What the caller then adds to them is stored with the job when it gives way again.
        """

    def keep(self) -> None:
        """Store the counts of `carry` in the caller's transaction, with the work that they count: where the worker dies
        after it, the next one goes on with them."""


class NoProgress:
    """For callers that do not show progress."""

    def set(self, done: int, total: int | None = None, note: str = "") -> None:
        return None

    def advance(self, n: int = 1) -> None:
        return None

    def check(self) -> None:
        return None

    def checkpoint(self) -> None:
        self.check()

    def is_turn_over(self) -> bool:
        return False

    def carry(self, counts: dict[str, Any]) -> dict[str, Any]:
        return counts

    def keep(self) -> None:
        return None


class JobProgress:
    """Writes to the job's row, and only while this run owns it. queues: those that its worker serves."""

    def __init__(self, job: Job, queues: Sequence[str] = ()) -> None:
        self.job, self.held_job = job, job.held()
        self.done, self.total, self.note = 0, job.progress_total, ""
        self.written = 0.0
        self.counts: dict[str, Any] = job.result
        self.queues = queues
        self.began = time.monotonic()
        self.n_checkpoints = 0

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

    def checkpoint(self) -> None:
        self.check()
        self.n_checkpoints += 1
        if self.n_checkpoints == 1:  # what came before was getting ready, and a job that only gets ready never ends
            self.began = time.monotonic()
        elif self.is_turn_over():
            raise JobPaused(f"job {self.job.pk} gives way")

    def is_turn_over(self) -> bool:
        return bool(self.queues) and is_turn_over(self.job.kind, time.monotonic() - self.began, self.queues)

    def carry(self, counts: dict[str, Any]) -> dict[str, Any]:
        self.counts = {**counts, **self.counts}
        return self.counts

    def keep(self) -> None:
        self.held_job.update(result=self.counts)

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

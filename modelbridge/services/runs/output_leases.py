"""Leases of outputs: claimed in batches, stored once, released, or failed. The row decides, never the worker's memory.

Every worker has its own token. Its results are stored only if the row still has that token, so a worker whose lease
has expired changes nothing.

Shares with tasks and ratings how open rows are locked (annotation.claiming). Differs from them because a worker is no
person: the output is slot, claim and attempt in one row, a worker holds a batch, and an expired lease needs no sweep:
the output counts as one more attempt and is claimable again, until MAX_ATTEMPTS.
"""

import os
import socket
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce

from annotation.claiming import lock_rows
from annotation.jobs import database_now, renew_in_background
from annotation.transactions import write_transaction
from modelbridge.models import OutputState, Run, RunState, SystemOutput
from modelbridge.services.runs.run_announcements import announce_run
from modelbridge.systems.batching import Failure
from modelbridge.systems.cleaning import clean_text
from modelbridge.systems.protocol import Output

MAX_ATTEMPTS = 3
STOPPED = "The worker stopped each time this sample was in work. It was tried as often as allowed."
NO_WEIGHTS = "none"
MAX_PROMPT = 1_000_000


def new_token() -> str:
    """A token for one RunWorker: host name, process id and a random part."""
    return f"{socket.gethostname()[:60]}:{os.getpid()}:{uuid.uuid4().hex[:12]}"


def _claimable_filter(now: Any) -> Q:
    return Q(state=OutputState.WAITING) | Q(state=OutputState.LEASED, lease_until__lt=now)


def claim_batch(run: Run, token: str, limit: int, *, ahead: bool = False) -> list[SystemOutput]:
    """Lease up to `limit` open outputs and count one attempt for each; [] when there are none.

    Outputs that were tried before come last and one at a time, so that a sample that kills the worker is identified.
    ahead: for a later batch: only outputs that were never tried, and the attempt is counted by `begin_batch`.
    """
    now = database_now()
    most_attempts = 1 if ahead else MAX_ATTEMPTS
    open_outputs = SystemOutput.objects.filter(_claimable_filter(now), run=run, attempts__lt=most_attempts)
    ordered = lock_rows(open_outputs.order_by("attempts", "work_order"))
    with write_transaction():
        picked = list(ordered.values_list("pk", "attempts")[: max(1, limit)])
        if not picked:
            return []
        fresh = [pk for pk, attempts in picked if attempts == 0]
        ids = fresh or [picked[0][0]]
        open_outputs.filter(pk__in=ids).update(
            state=OutputState.LEASED,
            worker=token,
            lease_until=now + timedelta(seconds=settings.EPITOME_JOB_LEASE_SECONDS),
            attempts=F("attempts") if ahead else F("attempts") + 1,
        )
        Run.objects.filter(pk=run.pk, state=RunState.QUEUED).update(
            state=RunState.RUNNING, started_at=Coalesce(F("started_at"), now)
        )
    return list(SystemOutput.objects.filter(pk__in=ids, worker=token, state=OutputState.LEASED).order_by("work_order"))


def begin_batch(run: Run, token: str, outputs: Sequence[SystemOutput]) -> None:
    """Count the attempt of outputs that were claimed ahead, where the lease is still held."""
    with write_transaction():
        _leased_outputs(run, token).filter(pk__in=[row.pk for row in outputs], attempts=0).update(attempts=1)


def count_waiting(run: Run) -> int:
    """How many outputs are in nobody's hands."""
    return SystemOutput.objects.filter(_claimable_filter(database_now()), run=run).count()


@contextmanager
def renew_leases(run: Run, token: str) -> Iterator[None]:
    """Renew the leases of a token while a batch is being generated."""
    with renew_in_background(f"outputs-{run.pk}", partial(extend_leases, run, token)):
        yield


def extend_leases(run: Run, token: str, until: datetime) -> None:
    """Set the end of the leases that a worker holds on outputs of a run."""
    with write_transaction():
        _leased_outputs(run, token).update(lease_until=until)


def _leased_outputs(run: Run, token: str) -> "QuerySet[SystemOutput]":
    return SystemOutput.objects.filter(run=run, worker=token, state=OutputState.LEASED)


def store_results(run: Run, token: str, results: Sequence[tuple[SystemOutput, Output | Failure]]) -> int:
    """Store the results of a batch in one transaction, each only if its lease is still held; returns their number."""
    now = database_now()
    changes = [(row.pk, _result_fields(row, result, now)) for row, result in results]
    with write_transaction():
        return sum(_leased_outputs(run, token).filter(pk=pk).update(**values) for pk, values in changes)


def _result_fields(row: SystemOutput, result: Output | Failure, now: Any) -> dict[str, Any]:
    if isinstance(result, Failure):
        return _failure_fields(row, result.reason, now)
    text, flags = clean_text(result.text, settings.EPITOME_MAX_OUTPUT)
    prompt, _flags = clean_text(result.prompt, MAX_PROMPT)
    return {
        "state": OutputState.DONE,
        "lease_until": None,
        "finished_at": now,
        "error": "",
        "text": text,
        "flags": flags,
        "told": dict(result.told),
        "prompt": prompt,
        "decoding": dict(result.decoding),
        "seed": result.seed,
        "weights": result.weights or NO_WEIGHTS,
        "versions": dict(result.versions),
        "truncated": max(0, int(result.truncated)),
        "seconds": max(0.0, float(result.seconds)),
        "usage": dict(result.usage),
        "cost": float(result.usage.get("cost", 0.0) or 0.0),
        "candidates": [{"text": text, "score": score} for text, score in result.candidates],
        "scores": dict(result.scores),
    }


def _failure_fields(row: SystemOutput, reason: str, now: Any) -> dict[str, Any]:
    """Fields after a failed attempt: waiting again, or failed after the last attempt."""
    last = row.attempts >= MAX_ATTEMPTS
    return {
        "state": OutputState.FAILED if last else OutputState.WAITING,
        "lease_until": None,
        "worker": row.worker if last else "",
        "finished_at": now if last else None,
        "error": clean_text(reason, 2000)[0] or "The system gave no reason.",
    }


def release_outputs(run: Run, token: str, *, reason: str = "", counted: bool = True) -> int:
    """Release all leases of a token. reason: why the attempt failed. counted=False: the attempt does not count. What
    was claimed ahead and not begun just waits again."""
    now = database_now()
    with write_transaction():
        rows = list(_leased_outputs(run, token))
        for row in rows:
            if counted and row.attempts:
                _leased_outputs(run, token).filter(pk=row.pk).update(**_failure_fields(row, reason or STOPPED, now))
            else:
                _leased_outputs(run, token).filter(pk=row.pk).update(
                    state=OutputState.WAITING, lease_until=None, worker="", attempts=max(0, row.attempts - 1)
                )
    return len(rows)


def fail_exhausted_outputs(run: Run) -> int:
    """Fail outputs whose lease expired on the last allowed attempt; returns how many."""
    now = database_now()
    with write_transaction():
        return SystemOutput.objects.filter(
            run=run, state=OutputState.LEASED, lease_until__lt=now, attempts__gte=MAX_ATTEMPTS
        ).update(state=OutputState.FAILED, lease_until=None, finished_at=now, error=STOPPED)


def settle_run(run: Run) -> bool:
    """End the run when every output is done or failed; True if this call ended it."""
    outputs = SystemOutput.objects.filter(run=run)
    with write_transaction():
        if outputs.filter(state__in=OutputState.OPEN).exists():
            return False
        worked = outputs.filter(state=OutputState.DONE).exists()
        ended = Run.objects.filter(pk=run.pk, state__in=RunState.UNDER_WAY).update(
            state=RunState.DONE if worked else RunState.FAILED,
            finished_at=database_now(),
            error="" if worked else "No sample has an output; see the reasons of the samples.",
        )
        if ended:
            announce_run(run)
    return bool(ended)


def fail_run(run: Run, reason: str) -> None:
    """Fail a run that cannot continue; finished outputs are kept, and it can be resumed."""
    with write_transaction():
        ended = Run.objects.filter(pk=run.pk, state__in=RunState.UNDER_WAY).update(
            state=RunState.FAILED, finished_at=database_now(), error=clean_text(reason, 2000)[0]
        )
        if ended:
            announce_run(run)


def release_dead_leases(run: Run) -> int:
    """Release leases of dead processes on this machine before they expire; returns how many."""
    here = f"{socket.gethostname()[:60]}:"
    leased = SystemOutput.objects.filter(run=run, state=OutputState.LEASED, worker__startswith=here)
    freed = 0
    for token in set(leased.values_list("worker", flat=True)):
        if not _is_alive(int(token.split(":")[-2])):
            freed += release_outputs(run, token)
    return freed


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True

"""Leases of outputs: claimed in batches, stored once, released, or failed. The row decides, never the worker's memory.

Leases are described in annotation.models.leased_work. Here a worker holds a batch of outputs; each claim counts as
an attempt, until MAX_ATTEMPTS.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import F, Max
from django.db.models.functions import Coalesce

from annotation.claiming import lock_rows
from annotation.jobs import database_now, list_dead_holders
from annotation.transactions import write_transaction
from epitome.systems.batching import Failure
from epitome.systems.cleaning import clean_text
from epitome.systems.protocol import Output
from modelbridge.models import OutputState, Run, RunState, SystemOutput
from modelbridge.models.runs import OutputQuerySet
from modelbridge.services.runs.run_announcements import announce_run

MAX_ATTEMPTS = 3
ALIKE = 8
"""Samples that fail for one reason, before any has an output, until a run stops."""
STOPPED = "The worker stopped each time this sample was in work. It was tried as often as allowed."
NO_WEIGHTS = "none"
MAX_PROMPT = 1_000_000


def claim_batch(
    run: Run, token: str, limit: int, *, ahead: bool = False, last_first: bool = False
) -> list[SystemOutput]:
    """Lease up to `limit` open outputs and count one attempt for each; [] when there are none.

    Outputs that were tried before come last and one at a time, so that a sample that kills the worker is identified.
    ahead: for a later batch: only outputs that were never tried, and the attempt is counted by `begin_batch`.
    last_first: the shortest sources before the longer ones.
    """
    now = database_now()
    most_attempts = 1 if ahead else MAX_ATTEMPTS
    open_outputs = run.outputs.claimable(now).filter(attempts__lt=most_attempts)
    ordered = lock_rows(open_outputs.order_by("attempts", "-work_order" if last_first else "work_order"))
    with write_transaction():
        picked = list(ordered.values_list("pk", "attempts")[: max(1, limit)])
        if not picked:
            return []
        fresh = [pk for pk, attempts in picked if attempts == 0]
        ids = fresh or [picked[0][0]]
        attempts = F("attempts") if ahead else F("attempts") + 1
        run.outputs.filter(pk__in=ids).claim(now, worker=token, attempts=attempts)
        Run.objects.filter(pk=run.pk, state=RunState.QUEUED).update(
            state=RunState.RUNNING, started_at=Coalesce(F("started_at"), now)
        )
    return list(run.outputs.held_by(token).filter(pk__in=ids).order_by("work_order"))


def begin_batch(run: Run, token: str, outputs: Sequence[SystemOutput]) -> None:
    """Count the attempt of outputs that were claimed ahead, where the lease is still held."""
    with write_transaction():
        run.outputs.held_by(token).filter(pk__in=[row.pk for row in outputs], attempts=0).update(attempts=1)


def count_waiting(run: Run) -> int:
    """How many outputs are in nobody's hands."""
    return run.outputs.claimable(database_now()).count()


def store_results(run: Run, token: str, results: Sequence[tuple[SystemOutput, Output | Failure]]) -> int:
    """Store the results of a batch in one transaction, each only if its lease is still held; returns their number."""
    now = database_now()
    changes = [(row, result, _result_fields(result)) for row, result in results]
    held = run.outputs.held_by(token)
    with write_transaction():
        return sum(
            _store_failure(held, row, fields, now)
            if isinstance(result, Failure)
            else held.filter(pk=row.pk).end(OutputState.DONE, finished_at=now, **fields)
            for row, result, fields in changes
        )


def _result_fields(result: Output | Failure) -> dict[str, Any]:
    if isinstance(result, Failure):
        return {"error": clean_text(result.reason, 2000)[0] or "The system gave no reason."}
    text, flags = clean_text(result.text, settings.EPITOME_MAX_OUTPUT)
    prompt, _flags = clean_text(result.prompt, MAX_PROMPT)
    return {
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
        "steps": list(result.steps),
    }


def _store_failure(held: OutputQuerySet, row: SystemOutput, fields: dict[str, Any], now: datetime) -> int:
    """After a failed attempt the output waits again; after the last one it has failed."""
    if row.attempts < MAX_ATTEMPTS:
        return held.filter(pk=row.pk).release(**fields)
    return held.filter(pk=row.pk).end(OutputState.FAILED, finished_at=now, **fields)


def release_outputs(run: Run, token: str, *, reason: str = "", counted: bool = True) -> int:
    """Release all leases of a token. reason: why the attempt failed. counted=False: the attempt does not count. What
    was claimed ahead and not started just waits again."""
    now = database_now()
    with write_transaction():
        held = run.outputs.held_by(token)
        rows = list(held.all())
        for row in rows:
            if counted and row.attempts:
                _store_failure(held, row, _result_fields(Failure(reason or STOPPED)), now)
            else:
                held.filter(pk=row.pk).release(attempts=max(0, row.attempts - 1))
    return len(rows)


class SharedFault(NamedTuple):
    """n samples failed for one reason, and no other has an output. is_of_all: that with the shortest source is among
    them; the longest are tried first, and shorter ones may still fit."""

    reason: str
    n: int
    is_of_all: bool


def find_shared_fault(run: Run) -> SharedFault | None:
    """Why at least ALIKE samples failed, where none failed otherwise or has an output; numbers in it may differ."""
    rows = list(run.outputs.exclude(error="").order_by("work_order").values_list("work_order", "error"))
    if len(rows) < ALIKE or len({re.sub(r"[\d,.]+", "#", error) for _order, error in rows}) > 1:
        return None
    if run.outputs.filter(state=OutputState.DONE).exists():
        return None
    last = run.outputs.aggregate(last=Max("work_order"))["last"]
    return SharedFault(rows[-1][1], len(rows), is_of_all=rows[-1][0] == last)


def fail_exhausted_outputs(run: Run) -> int:
    """Fail outputs whose lease expired on the last allowed attempt; returns how many."""
    now = database_now()
    with write_transaction():
        return run.outputs.expired(now).exhaust(now, most_attempts=MAX_ATTEMPTS, error=STOPPED)


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
    return sum(release_outputs(run, token) for token in list_dead_holders(run.outputs.all()))

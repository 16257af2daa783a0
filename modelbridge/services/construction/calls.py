"""Calls to a chat model: claimed before they are sent, stored in a transaction of their own as soon as they are
answered.

A call that was answered and stored is never sent again: only the worker whose token the row has may store, and a stored
row is no longer open. A worker that ends in the middle of a call leaves a lease; the call is claimed again when it has
expired, or at once where the worker was a process of this machine (annotation.models.leased_work). Such calls are
counted in `interrupted`, because the server may have been at work on them. Every attempt at a call carries the same
idempotency key, its public id. A call that was answered or refused, and is asked again, gets another one: a gateway
would give its first answer again.
"""

import uuid
from collections.abc import Mapping
from typing import Any, cast

from django.db.models import F

from annotation.claiming import lock_rows
from annotation.jobs import database_now, list_dead_holders
from annotation.transactions import write_transaction
from epitome.construction.answers import AnswerFault, needs_paraphrase, parse_answer
from epitome.prompts.chat import Message
from epitome.prompts.rewrites import Call, hash_conversation, rewrite_messages
from epitome.systems.chat_options import ChatOptions
from epitome.systems.cleaning import clean_text, clean_value
from epitome.systems.protocol import Output
from modelbridge.models import ConstructionStep, Rewrite, RewriteState, SystemRevision
from modelbridge.models.construction import RewriteQuerySet

MAX_ANSWER = 200_000
BATCH = 500
MAX_INTERRUPTED = 20
STOPPED = "The worker stopped each time this call was under way. It was tried as often as allowed."
ATTEMPTS = 2
"""An answer that cannot be used is asked for once more, with what is wrong."""


def claim_calls(step: ConstructionStep, revision: SystemRevision, token: str, limit: int) -> list[Rewrite]:
    """Lease up to `limit` open calls of a step, oldest first; [] when there are none."""
    now = database_now()
    open_calls = step.rewrites.claimable(now)
    with write_transaction():
        open_calls.exhaust(now, most_attempts=MAX_INTERRUPTED, error=STOPPED)
        ids = list(lock_rows(open_calls.order_by("pk")).values_list("pk", flat=True)[: max(0, limit)])
        if not ids:
            return []
        calls = step.rewrites.filter(pk__in=ids)
        calls.expired(now).update(interrupted=F("interrupted") + 1)
        calls.claim(now, worker=token, revision=revision)
    return list(step.rewrites.held_by(token).filter(pk__in=ids).order_by("pk"))


def build_conversation(call: Rewrite, settings_of_system: ChatOptions) -> list[Message]:
    """The messages of a call, with the answers that came before it in the same conversation."""
    earlier = _earlier_answers(call)
    first = _first_attempt(call) if call.attempt > 1 else None
    if first is not None:
        earlier.append(first.raw_answer)
    return rewrite_messages(
        cast(Call, call.call),
        call.text,
        earlier=earlier,
        fault=first.error if first is not None else "",
        own_texts=settings_of_system.prompt,
    )


def _first_attempt(call: Rewrite) -> Rewrite:
    return _same_conversation(call).get(call=call.call, attempt=call.attempt - 1)


def _earlier_answers(call: Rewrite) -> list[str]:
    if call.call != Rewrite.Call.PARAPHRASE:
        return []
    return [_same_conversation(call).done().get(call=Rewrite.Call.IDENTIFICATION).raw_answer]


def _same_conversation(call: Rewrite) -> Any:
    return Rewrite.objects.filter(step=call.step_id, document=call.document_id, subject=call.subject)


def store_answer(call: Rewrite, token: str, output: Output, messages: list[Message]) -> bool:
    """Store an answer, and in the same transaction the call that follows from it. False where the lease was lost.

    An answer that cannot be read makes a second attempt; that one fails the call.
    """
    now = database_now()
    raw_answer, _flags = clean_text(output.text, MAX_ANSWER)
    changes: dict[str, Any] = {
        "state": RewriteState.DONE,
        "finished_at": now,
        "raw_answer": raw_answer,
        "prompt_hash": hash_conversation(messages),
        "usage": _add_usage(call.usage, output.usage),
        "cost": call.cost + float(output.usage.get("cost", 0.0) or 0.0),
        "versions": clean_value(dict(output.versions)),
        "decoding": clean_value(dict(output.decoding)),
        "seed": output.seed,
        "error": "",
    }
    follow_up = None
    try:
        changes["texts"] = parse_answer(cast(Call, call.call), raw_answer)
        if call.call == Rewrite.Call.IDENTIFICATION and needs_paraphrase(changes["texts"]):
            follow_up = _next_call(call, Rewrite.Call.PARAPHRASE, 1)
    except AnswerFault as fault:
        is_last = call.attempt >= ATTEMPTS
        changes |= {"state": RewriteState.FAILED if is_last else RewriteState.RETRIED, "error": str(fault)}
        follow_up = None if is_last else _next_call(call, call.call, call.attempt + 1)
    with write_transaction():
        stored = _held_call(call, token).end(**changes)
        if stored and follow_up is not None:
            Rewrite.objects.bulk_create([follow_up], ignore_conflicts=True)
    return bool(stored)


def _held_call(call: Rewrite, token: str) -> RewriteQuerySet:
    return Rewrite.objects.filter(pk=call.pk).held_by(token)


def _add_usage(earlier: Mapping[str, Any], usage: Mapping[str, Any]) -> dict[str, Any]:
    """The usage of a call with that of the answers that it had before it was resumed, which were paid for too."""
    numbers = {name: value for name, value in earlier.items() if isinstance(value, int | float)}
    return {**numbers, **{name: value + numbers.get(name, 0) for name, value in usage.items()}}


def _next_call(call: Rewrite, name: str, attempt: int) -> Rewrite:
    return Rewrite(
        project_id=call.project_id,
        step_id=call.step_id,
        document_id=call.document_id,
        base_id=call.base_id,
        subject=call.subject,
        text=call.text,
        call=name,
        attempt=attempt,
    )


def fail_call(call: Rewrite, token: str, reason: str) -> None:
    """The server refused this call for good; the others go on."""
    with write_transaction():
        _held_call(call, token).end(
            RewriteState.FAILED,
            finished_at=database_now(),
            error=clean_text(reason, 2000)[0] or "The server gave no reason.",
        )


def ask_again(step: ConstructionStep) -> None:
    """Open the failed calls of a step; call inside a transaction. What they have cost and how often they were
    interrupted is kept, unless they were given up for that."""
    calls = list(step.rewrites.failed())
    for call in calls:
        if call.error == STOPPED:  # no answer of it has arrived: a gateway may still have one
            call.interrupted = 0
        else:
            call.public_id = uuid.uuid4()
        call.state, call.error, call.worker, call.finished_at = RewriteState.WAITING, "", "", None
    fields = ["public_id", "state", "error", "worker", "finished_at", "interrupted"]
    Rewrite.objects.bulk_update(calls, fields, batch_size=BATCH)


def release_calls(step: ConstructionStep, token: str, *, interrupted: bool = False) -> int:
    """Give the leased calls of a worker back; returns how many. interrupted: it ended in the middle of them."""
    changes: dict[str, Any] = {"interrupted": F("interrupted") + 1} if interrupted else {}
    with write_transaction():
        return step.rewrites.held_by(token).release(**changes)


def release_dead_calls(step: ConstructionStep) -> int:
    """Give back the calls of dead processes of this machine before their leases expire; returns how many."""
    return sum(release_calls(step, token, interrupted=True) for token in list_dead_holders(step.rewrites.all()))

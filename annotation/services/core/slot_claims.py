"""Steps that tasks and ratings share when slots are claimed: marking slots as taken, and expiring leases."""

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from django.db.models import QuerySet

from annotation.claiming import AbstractSlot, SlotState
from annotation.services.core.prepared_queries import IntParam, PreparedUpdate, Sent
from annotation.services.core.retry import Overtaken

BATCH = 200
Lease = TypeVar("Lease")


def take_slots(model: type[AbstractSlot], slot_ids: Sequence[int]) -> None:
    """Mark open slots as taken, all or none. Raises Overtaken if one of them is not open any more."""
    check_taken(send_taken(model, slot_ids), slot_ids)


def send_taken(model: type[AbstractSlot], slot_ids: Sequence[int]) -> Sent:
    """Mark open slots as taken; `check_taken` must follow once the answer is there."""
    return _send_step(model, slot_ids, SlotState.OPEN, SlotState.TAKEN)


def send_filled(model: type[AbstractSlot], slot_id: int) -> Sent:
    """Mark a taken slot as filled."""
    return _send_step(model, [slot_id], SlotState.TAKEN, SlotState.FILLED)


def check_taken(update: Sent, slot_ids: Sequence[int]) -> None:
    """Raises Overtaken if one of the slots was not open any more."""
    if update.changed != len(slot_ids):
        raise Overtaken


def _send_step(model: type[AbstractSlot], slot_ids: Sequence[int], before: SlotState, after: SlotState) -> Sent:
    values = {f"slot{i}": slot_id for i, slot_id in enumerate(slot_ids)}
    return _prepare_step(model, len(slot_ids), before.value, after.value).send(**values)


@functools.cache
def _prepare_step(model: type[AbstractSlot], count: int, before: str, after: str) -> PreparedUpdate:
    slot_ids = [IntParam(f"slot{i}") for i in range(count)]
    slots: QuerySet[Any] = model._default_manager.filter(pk__in=slot_ids, state=before)
    return PreparedUpdate(lambda: (slots, {"state": after}))


def expire_in_batches(due: "QuerySet[Any, Lease]", expire: Callable[[Lease], int]) -> int:
    """Expire leases whose end has passed, the oldest first, each in a transaction of its own; returns how many.

    due: the open leases that have ended. expire: returns 1, or 0 if the lease was extended or closed meanwhile.
    """
    n_expired = 0
    while True:
        batch = list(due.order_by("lease_until")[:BATCH])
        n_expired += sum(expire(lease) for lease in batch)
        if len(batch) < BATCH:
            return n_expired

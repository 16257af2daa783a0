"""Claims of items by raters: exactly N ratings per item, each by another rater, one item at a time per rater.

Differs from the leases of tasks (annotation.services.tasks.leases): an item is claimed alone, so that one row is claim
and attempt: there are no other attempts to lock, and no rest of a unit that keeps a claim open.
"""

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.models.functions import Now
from django.utils import timezone

from annotation.claiming import SlotState, lease_end, lock_rows
from annotation.jobs.registry import register_sweeper
from annotation.models import AuditVerb
from annotation.services.core import audit
from annotation.services.core.prepared_queries import DurationParam, PreparedInsert
from annotation.services.core.retry import Overtaken, retry_on_contention
from annotation.services.core.slot_claims import expire_in_batches, take_slots
from annotation.transactions import write_transaction
from evaluation.models import ItemAssignment, ItemAssignmentState, RatingSlot, Round, RoundState
from evaluation.services.rating import item_slots
from evaluation.services.rating.rater_standing import (
    RaterStanding,
    has_room,
    load_standing,
    reclaimable_assignments,
)

INSERT_ASSIGNMENT = PreparedInsert(ItemAssignment, lease_until=lambda: lease_end(DurationParam("lease0")))


@dataclass(frozen=True, slots=True)
class ClaimResult:
    """`reason`, if there is no item: done (everything is rated), all_yours (no remaining item is for this rater),
    leased (others hold the remaining items), quota (this rater has had as many as planned), paused, closed,
    rater_paused (a rule paused this rater), not_open (no item yet), consent, instructions or qualification (required
    first). `fresh`: claimed by this call."""

    assignment: ItemAssignment | None
    reason: str = ""
    fresh: bool = False
    standing: RaterStanding | None = None


def claim_next(*, round_: Round, rater: AbstractBaseUser) -> ClaimResult:
    """Return the item this rater holds, else reclaim an expired or released one, else claim a new one.

    The caller must check that the person rates in the round. Raises Conflict only after many lost races.
    """
    return _claim_item(round_, int(rater.pk))


@retry_on_contention(8, unique_keys=True)
def _claim_item(round_: Round, rater_id: int) -> ClaimResult:
    with write_transaction():
        rater_standing = load_standing(round_.pk, rater_id)
        if rater_standing is None:
            return ClaimResult(None, "all_yours")
        reason = _blocking_reason(round_, rater_standing)
        if reason:
            return ClaimResult(None, reason)
        if rater_standing.claimed_id is not None:
            return ClaimResult(_renew_claim(rater_standing.claimed_id, round_), standing=rater_standing)
        if rater_standing.max_items is not None and not has_room(round_.pk, rater_id):
            if ItemAssignment.objects.filter(round=round_, rater=rater_id, state="claimed").exists():
                raise Overtaken  # claimed by another request meanwhile
            return ClaimResult(None, "quota")
        reclaimed = _reclaim_assignment(round_, rater_id) if rater_standing.can_reclaim else None
        if reclaimed is not None:
            return ClaimResult(reclaimed, fresh=True, standing=rater_standing)
        slot = item_slots.pick_slot(round_, rater_id, rater_standing)
        if slot is not None:
            return ClaimResult(
                open_assignment(round_, rater_id, slot, rater_standing.last + 1), fresh=True, standing=rater_standing
            )
    return ClaimResult(None, item_slots.reason_without_slot(round_, rater_id, rater_standing))


def _blocking_reason(round_: Round, rater_standing: RaterStanding) -> str:
    """Why this rater cannot get any item now; "" if nothing blocks the claim."""
    if rater_standing.state not in RoundState.RUNNING:
        return "closed"
    if rater_standing.paused_at is not None:
        return "rater_paused"
    if rater_standing.consent_due and rater_standing.claimed_id is None:
        return "consent"
    if not rater_standing.read:
        return "instructions"
    if round_.rules.qualification and not rater_standing.qualified:
        return "qualification"
    if rater_standing.waits:
        return "not_open"
    return "paused" if rater_standing.state == RoundState.PAUSED and rater_standing.claimed_id is None else ""


def _renew_claim(assignment_id: int, round_: Round) -> ItemAssignment:
    """Return the claimed assignment with a renewed lease. Raises Overtaken if it was released meanwhile."""
    assignment = ItemAssignment.objects.get(pk=assignment_id)
    assignment.round = round_
    if not extend_lease(assignment):
        raise Overtaken
    return assignment


def open_assignment(round_: Round, rater_id: int, slot: RatingSlot, position: int) -> ItemAssignment:
    take_slots(RatingSlot, [slot.pk])
    now = timezone.now()
    values: dict[str, Any] = {
        "public_id": uuid.uuid4(),
        "round_id": round_.pk,
        "item_id": slot.item_id,
        "slot_id": slot.pk,
        "document_id": slot.document_id,
        "rater_id": rater_id,
        "state": ItemAssignmentState.CLAIMED.value,
        "position": position,
        "left": slot.left,
        "revision": 0,
        "note": "",
        "opened_at": now,
        "closed_at": None,
        "first_shown_at": now,
        "last_seen_at": now,
        "active_seconds": 0.0,
        "answered_at": None,
    }
    key = INSERT_ASSIGNMENT.one(**values, lease=timedelta(minutes=round_.project.lease_minutes))
    assignment = ItemAssignment(pk=key, **values)
    assignment.round = round_
    return assignment


def _reclaim_assignment(round_: Round, rater_id: int) -> ItemAssignment | None:
    """Reclaim an expired or released assignment whose item has an open slot, keeping its id and answers."""
    reclaimable = reclaimable_assignments(ItemAssignment.objects.filter(round=round_, rater=rater_id))
    assignment = lock_rows(reclaimable, skip_locked=False).order_by("position").first()
    if assignment is None:
        return None
    slot = item_slots.find_open_slot(assignment)
    if slot is None:
        raise Overtaken
    take_slots(RatingSlot, [slot.pk])
    now = timezone.now()
    ItemAssignment.objects.filter(pk=assignment.pk).update(
        state=ItemAssignmentState.CLAIMED,
        slot=slot,
        lease_until=lease_end(timedelta(minutes=round_.project.lease_minutes)),
        last_seen_at=now,
        closed_at=None,
    )
    assignment.refresh_from_db()
    assignment.round = round_
    return assignment


def extend_lease(assignment: ItemAssignment) -> bool:
    """Renew the lease of a claimed item; return False if it is not claimed any more."""
    end = lease_end(timedelta(minutes=assignment.round.project.lease_minutes))
    with write_transaction():
        return (
            ItemAssignment.objects.filter(pk=assignment.pk, state=ItemAssignmentState.CLAIMED).update(lease_until=end)
            == 1
        )


def end_claim(assignment: ItemAssignment, state: ItemAssignmentState) -> bool:
    """End a claimed assignment and reopen its slot. Must run in a transaction; returns False if it is not claimed."""
    now = timezone.now()
    if not ItemAssignment.objects.filter(pk=assignment.pk, state=ItemAssignmentState.CLAIMED).update(
        state=state, closed_at=now
    ):
        return False
    assert assignment.slot_id is not None, "whoever claims an item has one of its slots"
    RatingSlot.objects.filter(pk=assignment.slot_id, state=SlotState.TAKEN).update(state=SlotState.OPEN)
    return True


@retry_on_contention()
def release_item(*, assignment: ItemAssignment) -> None:
    """Release an item; its answers are kept. Idempotent."""
    with write_transaction():
        end_claim(assignment, ItemAssignmentState.RELEASED)


@register_sweeper
def expire_claims(now: datetime | None = None) -> int:
    """Expire claims whose lease has ended (by the database's clock, or `now`); return how many."""
    due = ItemAssignment.objects.filter(state=ItemAssignmentState.CLAIMED, lease_until__lt=now or Now())
    return expire_in_batches(due.select_related("round__project"), lambda assignment: _expire_claim(assignment, now))


@retry_on_contention()
def _expire_claim(assignment: ItemAssignment, now: datetime | None) -> int:
    with write_transaction():
        due = ItemAssignment.objects.filter(
            pk=assignment.pk, state=ItemAssignmentState.CLAIMED, lease_until__lt=now or Now()
        )
        if lock_rows(due, skip_locked=False).first() is None or not end_claim(assignment, ItemAssignmentState.EXPIRED):
            return 0
        audit.record_event(
            project=assignment.round.project,
            actor=None,
            verb=AuditVerb.ITEM_EXPIRE,
            target=f"item:{assignment.public_id}",
        )
    return 1

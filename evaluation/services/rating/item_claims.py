"""Claims of items by raters: exactly N ratings per item, each by another rater, one item at a time per rater.

The search for an open slot only suggests one; conditional updates and unique keys decide. A rater follows the order of
their lane, then continues in other lanes when it is empty. Sources that the rater met a few items ago are skipped.
"""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, Now
from django.utils import timezone

from annotation.claiming import SlotState
from annotation.jobs.registry import register_sweeper
from annotation.services.core import audit
from annotation.services.core.prepared_queries import IntParam, Prepared, PreparedInsert, PreparedUpdate
from annotation.services.core.retry import Overtaken, retry_on_contention
from annotation.services.tasks.leases import lease_end
from annotation.transactions import write_transaction
from evaluation.models import ItemView, RaterReading, RatingSlot, Round, RoundRater, RoundState, ViewState
from evaluation.services.rounds import rater_eligibility

BATCH = 200
MAX_COMPARED = 300
"""Maximum number of slots compared when every open slot belongs to a recently met source."""


@dataclass(frozen=True, slots=True)
class RaterStanding:
    """State of a rater in a round. claimed_id: key of the claimed assignment. last: highest position so far. n_raters:
    current raters. n_finished: finished items. put_down: an expired or released assignment can be reclaimed."""

    state: str
    lane: int
    n_raters: int
    read: bool
    qualified: bool
    claimed_id: int | None
    last: int
    n_finished: int
    put_down: bool


@dataclass(frozen=True, slots=True)
class ClaimResult:
    """`reason`, if there is no item: done (everything is rated), all_yours (no remaining item is for this rater),
    leased (others hold the remaining items), paused, closed, instructions or qualification (required first). `fresh`:
    claimed by this call."""

    view: ItemView | None
    reason: str = ""
    fresh: bool = False
    standing: RaterStanding | None = None


def _standing_query() -> "QuerySet[Any]":
    keys = {"round": IntParam("round"), "rater": IntParam("rater")}
    assignments = ItemView.objects.filter(**keys).order_by()
    raters = RoundRater.objects.filter(round=IntParam("round"), left_at=None).order_by()
    reading = RaterReading.objects.filter(**keys)
    return RoundRater.objects.filter(**keys, left_at=None).values_list(
        "round__state",
        "lane",
        _count_rows(raters),
        Exists(reading),
        Exists(reading.filter(qualified_at__isnull=False)),
        Subquery(assignments.filter(state="claimed").values("pk")[:1]),
        Coalesce(Subquery(assignments.order_by("-position").values("position")[:1]), 0),
        _count_rows(assignments.filter(state="done")),
        Exists(_reclaimable_assignments(assignments)),
    )


def _count_rows(rows: "QuerySet[Any]") -> Coalesce:
    return Coalesce(Subquery(rows.values("round").annotate(n=Count("pk")).values("n")), 0)


def _reclaimable_assignments(assignments: "QuerySet[ItemView]") -> "QuerySet[ItemView]":
    """Expired or released assignments whose item still has an open slot."""
    open_ = RatingSlot.objects.filter(item=OuterRef("item_id"), state="open")
    return assignments.filter(Exists(open_), state__in=["expired", "released"])


STANDING_QUERY: Prepared[Any] = Prepared(_standing_query)


def load_standing(round_id: int, rater_id: int) -> RaterStanding | None:
    """Load the state in one query; None for somebody who does not rate in the round or has left it."""
    row = STANDING_QUERY.first(round=round_id, rater=rater_id)
    return RaterStanding(*row) if row is not None else None


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
        reclaimed = _reclaim_assignment(round_, rater_id) if rater_standing.put_down else None
        if reclaimed is not None:
            return ClaimResult(reclaimed, fresh=True, standing=rater_standing)
        slot = _pick_slot(round_, rater_id, rater_standing)
        if slot is not None:
            return ClaimResult(
                _open_assignment(round_, rater_id, slot, rater_standing.last + 1), fresh=True, standing=rater_standing
            )
    return ClaimResult(None, _reason_without_item(round_, rater_id, rater_standing))


def _blocking_reason(round_: Round, rater_standing: RaterStanding) -> str:
    """Why this rater cannot get any item now; "" if nothing blocks the claim."""
    if rater_standing.state not in (RoundState.OPEN, RoundState.PAUSED):
        return "closed"
    if not rater_standing.read:
        return "instructions"
    if round_.rules.qualification and not rater_standing.qualified:
        return "qualification"
    return "paused" if rater_standing.state == RoundState.PAUSED and rater_standing.claimed_id is None else ""


def _renew_claim(assignment_id: int, round_: Round) -> ItemView:
    """Return the claimed assignment with a renewed lease. Raises Overtaken if it was released meanwhile."""
    assignment = ItemView.objects.get(pk=assignment_id)
    assignment.round = round_
    if not extend_lease(assignment):
        raise Overtaken
    return assignment


def _free_slots() -> "QuerySet[RatingSlot]":
    """Open slots of items that this rater has not had, of sources from which this rater is not barred. A repeat is
    included only after the rater has finished the item it repeats."""
    rater, round_ = IntParam("rater"), IntParam("round")
    met = ItemView.objects.filter(item=OuterRef("item_id"), rater=rater)
    rated_first = ItemView.objects.filter(item=OuterRef("repeats_id"), rater=rater, state="done")
    slots = RatingSlot.objects.filter(round=round_, state="open").filter(~Exists(met))
    return rater_eligibility.exclude_barred(slots.filter(Q(repeats__isnull=True) | Exists(rated_first)), round_, rater)


def _lane_slots() -> "QuerySet[RatingSlot]":
    return _free_slots().filter(number=IntParam("lane")).order_by("place")


def _slots_in_any_lane() -> "QuerySet[RatingSlot]":
    return _free_slots().order_by("number", "place")


def _prepare_pick(slots: "Callable[[], QuerySet[RatingSlot]]", *, skip_locked: bool) -> "Prepared[RatingSlot]":
    """Prepare a query that locks one slot of a source that the rater has not met recently."""
    met = ItemView.objects.filter(
        round=IntParam("round"),
        rater=IntParam("rater"),
        document=OuterRef("document_id"),
        position__gt=IntParam("since"),
    )
    return Prepared(
        lambda: (
            slots().filter(~Exists(met)).select_for_update(skip_locked=skip_locked, of=("self",), no_key=True).all()[:1]
        )
    )


LANE_UNLOCKED, LANE_WAITING = (
    _prepare_pick(_lane_slots, skip_locked=True),
    _prepare_pick(_lane_slots, skip_locked=False),
)
ANY_LANE_UNLOCKED, ANY_LANE_WAITING = (
    _prepare_pick(_slots_in_any_lane, skip_locked=True),
    _prepare_pick(_slots_in_any_lane, skip_locked=False),
)
LANE_REMAINING: Prepared[RatingSlot] = Prepared(lambda: _lane_slots()[:MAX_COMPARED])
ANY_LANE_REMAINING: Prepared[RatingSlot] = Prepared(lambda: _slots_in_any_lane()[:MAX_COMPARED])
TAKE_SLOT = PreparedUpdate(lambda: (RatingSlot.objects.filter(pk=IntParam("slot"), state="open"), {"state": "taken"}))
INSERT_ASSIGNMENT = PreparedInsert(ItemView)


def _shares_lanes(round_: Round, rater_standing: RaterStanding) -> bool:
    """Whether raters continue in other lanes: only if there are more raters than ratings per item. Otherwise everybody
    rates every item, and a replacement rater continues in the lane of the one who left."""
    return rater_standing.n_raters > round_.raters_per_item


def _pick_slot(round_: Round, rater_id: int, rater_standing: RaterStanding) -> RatingSlot | None:
    """Lock one open slot: the rater's own lane first, and a source not met recently. Only the last query waits for rows
    that other transactions have locked."""
    shared = _shares_lanes(round_, rater_standing)
    keys = {"round": round_.pk, "rater": rater_id, "lane": rater_standing.lane}
    since = rater_standing.last - max(1, round_.apart - 1)
    for query in (LANE_UNLOCKED, ANY_LANE_UNLOCKED, ANY_LANE_WAITING) if shared else (LANE_UNLOCKED, LANE_WAITING):
        slot = query.first(**keys, since=since)
        if slot is not None:
            return slot
    return _pick_met_longest_ago(round_, rater_id, (ANY_LANE_REMAINING if shared else LANE_REMAINING).rows(**keys))


def _pick_met_longest_ago(round_: Round, rater_id: int, rows: Sequence[RatingSlot]) -> RatingSlot | None:
    """Pick a slot when only recently met sources remain: the source met longest ago."""
    if not rows:
        return None
    assignments = ItemView.objects.filter(round=round_, rater=rater_id, document__in=[row.document_id for row in rows])
    last = dict(assignments.order_by("position").values_list("document_id", "position"))
    return min(rows, key=lambda row: (last.get(row.document_id, 0), row.number, row.place))


def take_slot(slot_id: int) -> None:
    """Mark an open slot as taken. Raises Overtaken if it is not open any more."""
    if not TAKE_SLOT.run(slot=slot_id):
        raise Overtaken


def _open_assignment(round_: Round, rater_id: int, slot: RatingSlot, position: int) -> ItemView:
    take_slot(slot.pk)
    now = timezone.now()
    values: dict[str, Any] = {
        "public_id": uuid.uuid4(),
        "round_id": round_.pk,
        "item_id": slot.item_id,
        "slot_id": slot.pk,
        "document_id": slot.document_id,
        "rater_id": rater_id,
        "state": ViewState.CLAIMED.value,
        "position": position,
        "left": slot.left,
        "revision": 0,
        "note": "",
        "opened_at": now,
        "lease_until": now + timedelta(minutes=round_.project.lease_minutes),
        "closed_at": None,
        "first_shown_at": now,
        "last_seen_at": now,
        "active_seconds": 0.0,
        "answered_at": None,
    }
    assignment = ItemView(pk=INSERT_ASSIGNMENT.one(**values), **values)
    assignment.round = round_
    return assignment


def _reclaim_assignment(round_: Round, rater_id: int) -> ItemView | None:
    """Reclaim an expired or released assignment whose item has an open slot, keeping its id and answers."""
    reclaimable = _reclaimable_assignments(ItemView.objects.filter(round=round_, rater=rater_id))
    assignment = reclaimable.select_for_update(of=("self",), no_key=True).order_by("position").first()
    if assignment is None:
        return None
    slot = find_open_slot(assignment)
    if slot is None:
        raise Overtaken
    take_slot(slot.pk)
    now = timezone.now()
    ItemView.objects.filter(pk=assignment.pk).update(
        state=ViewState.CLAIMED,
        slot=slot,
        lease_until=lease_end(timedelta(minutes=round_.project.lease_minutes)),
        last_seen_at=now,
        closed_at=None,
    )
    assignment.refresh_from_db()
    return assignment


def find_open_slot(assignment: ItemView) -> RatingSlot | None:
    """Find an open slot of the assignment's item, its previous slot first."""
    rows = list(RatingSlot.objects.filter(item=assignment.item_id, state=SlotState.OPEN))
    return min(rows, key=lambda row: (row.pk != assignment.slot_id, row.number), default=None)


def _reason_without_item(round_: Round, rater_id: int, rater_standing: RaterStanding) -> str:
    unfilled = RatingSlot.objects.filter(round=round_, state__in=[SlotState.OPEN, SlotState.TAKEN])
    mine = unfilled if _shares_lanes(round_, rater_standing) else unfilled.filter(number=rater_standing.lane)
    met = ItemView.objects.filter(item=OuterRef("item_id"), rater=rater_id)
    if mine.filter(~Exists(met), state=SlotState.TAKEN).exists():
        return "leased"
    return "all_yours" if unfilled.exists() else "done"


def extend_lease(assignment: ItemView) -> bool:
    """Renew the lease of a claimed item; return False if it is not claimed any more."""
    end = lease_end(timedelta(minutes=assignment.round.project.lease_minutes))
    with write_transaction():
        return ItemView.objects.filter(pk=assignment.pk, state=ViewState.CLAIMED).update(lease_until=end) == 1


def end_claim(assignment: ItemView, state: ViewState) -> bool:
    """End a claimed assignment and reopen its slot. Must run in a transaction; returns False if it is not claimed."""
    now = timezone.now()
    if not ItemView.objects.filter(pk=assignment.pk, state=ViewState.CLAIMED).update(state=state, closed_at=now):
        return False
    RatingSlot.objects.filter(pk=assignment.slot_id, state=SlotState.TAKEN).update(state=SlotState.OPEN)
    return True


@retry_on_contention()
def release_item(*, assignment: ItemView) -> None:
    """Release an item; its answers are kept. Idempotent."""
    with write_transaction():
        end_claim(assignment, ViewState.RELEASED)


@register_sweeper
def expire_claims(now: datetime | None = None) -> int:
    """Expire claims whose lease has ended (by the database's clock, or `now`); return how many."""
    n_expired = 0
    while True:
        due = ItemView.objects.filter(state=ViewState.CLAIMED, lease_until__lt=now or Now())
        rows = list(due.select_related("round__project").order_by("lease_until")[:BATCH])
        n_expired += sum(_expire_claim(row, now) for row in rows)
        if len(rows) < BATCH:
            return n_expired


@retry_on_contention()
def _expire_claim(assignment: ItemView, now: datetime | None) -> int:
    with write_transaction():
        due = ItemView.objects.filter(pk=assignment.pk, state=ViewState.CLAIMED, lease_until__lt=now or Now())
        if due.select_for_update(of=("self",), no_key=True).first() is None or not end_claim(
            assignment, ViewState.EXPIRED
        ):
            return 0
        audit.record_event(
            project=assignment.round.project, actor=None, verb="item.expire", target=f"item:{assignment.public_id}"
        )
    return 1

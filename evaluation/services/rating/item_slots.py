"""Open slots of items for a rater: the planned order of their lane first, and no source that they met a few items ago.

The search only suggests a slot; conditional updates and unique keys decide. When a lane is empty its rater continues in
other lanes if raters share the items.

Differs from tasks (annotation.services.tasks.claim): the order is planned, a rater must not have worked on the source,
and the item that a repeat repeats must be rated first.
"""

from collections.abc import Callable, Sequence

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.claiming import SlotState, lock_rows
from annotation.services.core.prepared_queries import IntParam, Param, Prepared
from evaluation.models import ItemAssignment, RatingSlot, Round
from evaluation.services.rating.rater_standing import RaterStanding, shares_lanes
from evaluation.services.rounds import rater_eligibility

MAX_COMPARED = 300
"""Maximum number of slots compared when every open slot belongs to a recently met source."""


def _free_slots(round_: int | Param, rater: int | Param) -> "QuerySet[RatingSlot]":
    """Open slots of items that this rater has not had, of sources from which this rater is not barred. A repeat is
    included only after the rater has finished the item it repeats, by a planned rating."""
    met = ItemAssignment.objects.filter(item=OuterRef("item_id"), rater=rater)
    rated_first = ItemAssignment.objects.filter(
        item=OuterRef("repeats_id"), rater=rater, state="done", slot__extra=False
    )
    slots = RatingSlot.objects.filter(round=round_, state="open").filter(~Exists(met))
    return rater_eligibility.exclude_barred(slots.filter(Q(repeats__isnull=True) | Exists(rated_first)), round_, rater)


def _lane_slots() -> "QuerySet[RatingSlot]":
    slots = _free_slots(IntParam("round"), IntParam("rater"))
    return slots.filter(number=IntParam("lane")).order_by("place")


def _slots_in_any_lane() -> "QuerySet[RatingSlot]":
    return _free_slots(IntParam("round"), IntParam("rater")).order_by("number", "place")


def _prepare_pick(slots: "Callable[[], QuerySet[RatingSlot]]", *, skip_locked: bool) -> "Prepared[RatingSlot]":
    """Prepare a query that locks one slot of a source that the rater has not met recently."""
    met = ItemAssignment.objects.filter(
        round=IntParam("round"),
        rater=IntParam("rater"),
        document=OuterRef("document_id"),
        position__gt=IntParam("since"),
    )
    return Prepared(lambda: lock_rows(slots().filter(~Exists(met)), skip_locked=skip_locked)[:1])


LANE_UNLOCKED = _prepare_pick(_lane_slots, skip_locked=True)
LANE_WAITING = _prepare_pick(_lane_slots, skip_locked=False)
ANY_LANE_UNLOCKED = _prepare_pick(_slots_in_any_lane, skip_locked=True)
ANY_LANE_WAITING = _prepare_pick(_slots_in_any_lane, skip_locked=False)


def pick_slot(round_: Round, rater_id: int, rater_standing: RaterStanding) -> RatingSlot | None:
    """Lock one open slot: the rater's own lane first, and a source not met recently. Only the last query waits for rows
    that other transactions have locked."""
    shared = shares_lanes(round_, rater_standing.n_raters)
    lanes = _list_lanes(round_, rater_standing)
    keys = {"round": round_.pk, "rater": rater_id, "since": rater_standing.last - max(1, round_.apart - 1)}
    shared_queries = [(query, lanes[0]) for query in (LANE_UNLOCKED, ANY_LANE_UNLOCKED, ANY_LANE_WAITING)]
    own_queries = [(query, lane) for lane in lanes for query in (LANE_UNLOCKED, LANE_WAITING)]
    for query, lane in shared_queries if shared else own_queries:
        slot = query.first(**keys, lane=lane)
        if slot is not None:
            return slot
    remaining = _free_slots(round_.pk, rater_id)
    if not shared:
        remaining = remaining.filter(number__in=lanes)
    return _pick_met_longest_ago(round_, rater_id, list(remaining.order_by("number", "place")[:MAX_COMPARED]))


def _list_lanes(round_: Round, rater_standing: RaterStanding) -> list[int]:
    """The rater's lane, and that of additional ratings where the round may request some."""
    return [rater_standing.lane, *([round_.raters_per_item + 1] if round_.rules.extra_ratings else [])]


def _pick_met_longest_ago(round_: Round, rater_id: int, rows: Sequence[RatingSlot]) -> RatingSlot | None:
    """Pick a slot when only recently met sources remain: the source met longest ago."""
    if not rows:
        return None
    assignments = ItemAssignment.objects.filter(
        round=round_, rater=rater_id, document__in=[row.document_id for row in rows]
    )
    last = dict(assignments.order_by("position").values_list("document_id", "position"))
    return min(rows, key=lambda row: (last.get(row.document_id, 0), row.number, row.place))


def find_open_slot(assignment: ItemAssignment) -> RatingSlot | None:
    """Find an open slot of the assignment's item, its previous slot first."""
    rows = list(RatingSlot.objects.filter(item=assignment.item_id, state=SlotState.OPEN))
    return min(rows, key=lambda row: (row.pk != assignment.slot_id, row.number), default=None)


def reason_without_slot(round_: Round, rater_id: int, rater_standing: RaterStanding) -> str:
    """done | all_yours | leased, after no slot was found. Nobody learns that all is rated where additional ratings may
    still be requested: a rater who then got an item would know that it is one."""
    unfilled = RatingSlot.objects.filter(round=round_, state__in=[SlotState.OPEN, SlotState.TAKEN])
    lanes = _list_lanes(round_, rater_standing)
    mine = unfilled if shares_lanes(round_, rater_standing.n_raters) else unfilled.filter(number__in=lanes)
    met = ItemAssignment.objects.filter(item=OuterRef("item_id"), rater=rater_id)
    if mine.filter(~Exists(met), state=SlotState.TAKEN).exists():
        return "leased"
    return "all_yours" if round_.rules.extra_ratings or unfilled.exists() else "done"

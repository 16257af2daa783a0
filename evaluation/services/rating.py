"""The next item of a rater: exactly N ratings of each item, nobody twice, one item at a time.

Looking for a free slot only picks; conditional updates and the unique keys decide. A rater follows the order of the
own lane, and goes on in other lanes when it is empty. Sources that this rater met a few items ago are passed over.
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
from annotation.jobs.registry import sweeper
from annotation.services import audit
from annotation.services.leases import lease_end
from annotation.services.prepared import Prepared, PreparedInsert, PreparedUpdate, whole
from annotation.services.retrying import Overtaken, retried
from annotation.transactions import write
from evaluation.models import ItemView, RaterReading, RatingSlot, Round, RoundRater, RoundState, ViewState
from evaluation.services import barring

BATCH = 200
LOOKED_AT = 300
"""Slots compared where every free one is of a source met lately."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a rater stands in a round. held: the view at hand. last: the highest position so far. n_raters: those who
    have not left. done: items finished. put_down: something that was let go of is wanted still."""

    state: str
    lane: int
    n_raters: int
    read: bool
    qualified: bool
    held: int | None
    last: int
    done: int
    put_down: bool


@dataclass(frozen=True, slots=True)
class ClaimResult:
    """`reason`, when there is no item: done (all is rated), all_yours (what is left is not for you), leased (others
    hold what is left), paused, closed, instructions or qualification (to be done first). `fresh`: claimed now."""

    view: ItemView | None
    reason: str = ""
    fresh: bool = False
    standing: Standing | None = None


def _standing() -> "QuerySet[Any]":
    given = {"round": whole("round"), "rater": whole("rater")}
    own = ItemView.objects.filter(**given).order_by()
    raters = RoundRater.objects.filter(round=whole("round"), left_at=None).order_by()
    reading = RaterReading.objects.filter(**given)
    return RoundRater.objects.filter(**given, left_at=None).values_list(
        "round__state",
        "lane",
        _count(raters),
        Exists(reading),
        Exists(reading.filter(qualified_at__isnull=False)),
        Subquery(own.filter(state="claimed").values("pk")[:1]),
        Coalesce(Subquery(own.order_by("-position").values("position")[:1]), 0),
        _count(own.filter(state="done")),
        Exists(_wanted_again(own)),
    )


def _count(rows: "QuerySet[Any]") -> Coalesce:
    return Coalesce(Subquery(rows.values("round").annotate(n=Count("pk")).values("n")), 0)


def _wanted_again(own: "QuerySet[ItemView]") -> "QuerySet[ItemView]":
    """What ran out or was given back and has a free place still."""
    open_ = RatingSlot.objects.filter(item=OuterRef("item_id"), state="open")
    return own.filter(Exists(open_), state__in=["expired", "released"])


STANDING: Prepared[Any] = Prepared(_standing)


def standing(round_id: int, rater_id: int) -> Standing | None:
    """One query; None for somebody who does not rate in the round, or has left it."""
    found = STANDING.first(round=round_id, rater=rater_id)
    return Standing(*found) if found is not None else None


def claim_next(*, round_: Round, rater: AbstractBaseUser) -> ClaimResult:
    """The item this rater holds, else one that ran out and is still free, else a new one.

    The caller has made sure that the person rates in the round. Conflict only when many tries were overtaken.
    """
    return _claim(round_, int(rater.pk))


@retried(8, unique_keys=True)
def _claim(round_: Round, rater_id: int) -> ClaimResult:
    with write():
        own = standing(round_.pk, rater_id)
        if own is None:
            return ClaimResult(None, "all_yours")
        reason = _not_now(round_, own)
        if reason:
            return ClaimResult(None, reason)
        if own.held is not None:
            return ClaimResult(_hold_on(own.held, round_), standing=own)
        back = _take_up(round_, rater_id) if own.put_down else None
        if back is not None:
            return ClaimResult(back, fresh=True, standing=own)
        picked = _pick(round_, rater_id, own)
        if picked is not None:
            return ClaimResult(_open(round_, rater_id, picked, own.last + 1), fresh=True, standing=own)
    return ClaimResult(None, _why_nothing(round_, rater_id, own))


def _not_now(round_: Round, own: Standing) -> str:
    """Why this rater gets nothing now, whatever there is; "" when nothing is in the way."""
    if own.state not in (RoundState.OPEN, RoundState.PAUSED):
        return "closed"
    if not own.read:
        return "instructions"
    if round_.rules.qualification and not own.qualified:
        return "qualification"
    return "paused" if own.state == RoundState.PAUSED and own.held is None else ""


def _hold_on(view_id: int, round_: Round) -> ItemView:
    """The view at hand, its lease begun afresh. Raises Overtaken when it was let go of meanwhile."""
    held = ItemView.objects.get(pk=view_id)
    held.round = round_
    if not extend(held):
        raise Overtaken
    return held


def _free() -> "QuerySet[RatingSlot]":
    """Open slots of items that this rater has not had, of sources without this rater's hand in them."""
    rater, round_ = whole("rater"), whole("round")
    had = ItemView.objects.filter(item=OuterRef("item_id"), rater=rater)
    before = ItemView.objects.filter(item=OuterRef("repeats_id"), rater=rater, state="done")
    slots = RatingSlot.objects.filter(round=round_, state="open").filter(~Exists(had))
    return barring.not_barred(slots.filter(Q(repeats__isnull=True) | Exists(before)), round_, rater)


def _in_lane() -> "QuerySet[RatingSlot]":
    return _free().filter(number=whole("lane")).order_by("place")


def _anywhere() -> "QuerySet[RatingSlot]":
    return _free().order_by("number", "place")


def _look(slots: "Callable[[], QuerySet[RatingSlot]]", *, skip_locked: bool) -> "Prepared[RatingSlot]":
    """One slot of a source not met lately, locked by itself."""
    met = ItemView.objects.filter(
        round=whole("round"), rater=whole("rater"), document=OuterRef("document_id"), position__gt=whole("since")
    )
    return Prepared(
        lambda: (
            slots().filter(~Exists(met)).select_for_update(skip_locked=skip_locked, of=("self",), no_key=True).all()[:1]
        )
    )


LANE_FREE, LANE = _look(_in_lane, skip_locked=True), _look(_in_lane, skip_locked=False)
ALL_FREE, ALL = _look(_anywhere, skip_locked=True), _look(_anywhere, skip_locked=False)
LANE_LEFT: Prepared[RatingSlot] = Prepared(lambda: _in_lane()[:LOOKED_AT])
ALL_LEFT: Prepared[RatingSlot] = Prepared(lambda: _anywhere()[:LOOKED_AT])
TAKE = PreparedUpdate(lambda: (RatingSlot.objects.filter(pk=whole("slot"), state="open"), {"state": "taken"}))
VIEWS = PreparedInsert(ItemView)


def _shares(round_: Round, own: Standing) -> bool:
    """Whether raters go on in other lanes: only where there are more of them than ratings per item. Else everybody
    rates every item, and somebody who takes another's place goes on where that one stopped."""
    return own.n_raters > round_.raters_per_item


def _pick(round_: Round, rater_id: int, own: Standing) -> RatingSlot | None:
    """One free slot: of the own lane first, of a source not met lately. Only the last look waits for slots that others
    are taking at this moment."""
    shared = _shares(round_, own)
    given = {"round": round_.pk, "rater": rater_id, "lane": own.lane}
    since = own.last - max(1, round_.apart - 1)
    for look in (LANE_FREE, ALL_FREE, ALL) if shared else (LANE_FREE, LANE):
        found = look.first(**given, since=since)
        if found is not None:
            return found
    return _longest_ago(round_, rater_id, (ALL_LEFT if shared else LANE_LEFT).rows(**given))


def _longest_ago(round_: Round, rater_id: int, rows: Sequence[RatingSlot]) -> RatingSlot | None:
    """Nothing but sources met lately is left: that of the one met longest ago."""
    if not rows:
        return None
    views = ItemView.objects.filter(round=round_, rater=rater_id, document__in=[row.document_id for row in rows])
    last = dict(views.order_by("position").values_list("document_id", "position"))
    return min(rows, key=lambda row: (last.get(row.document_id, 0), row.number, row.place))


def take(slot_id: int) -> None:
    """Make an open slot taken. Raises Overtaken."""
    if not TAKE.run(slot=slot_id):
        raise Overtaken


def _open(round_: Round, rater_id: int, slot: RatingSlot, position: int) -> ItemView:
    take(slot.pk)
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
    made = ItemView(pk=VIEWS.one(**values), **values)
    made.round = round_
    return made


def _take_up(round_: Round, rater_id: int) -> ItemView | None:
    """What ran out or was given back by this rater and is still wanted, under the id it had, with its answers."""
    put_down = _wanted_again(ItemView.objects.filter(round=round_, rater=rater_id))
    found = put_down.select_for_update(of=("self",), no_key=True).order_by("position").first()
    if found is None:
        return None
    slot = free_slot(found)
    if slot is None:
        raise Overtaken
    take(slot.pk)
    now = timezone.now()
    ItemView.objects.filter(pk=found.pk).update(
        state=ViewState.CLAIMED,
        slot=slot,
        lease_until=lease_end(timedelta(minutes=round_.project.lease_minutes)),
        last_seen_at=now,
        closed_at=None,
    )
    found.refresh_from_db()
    return found


def free_slot(view: ItemView) -> RatingSlot | None:
    """An open slot of the view's item, its own one first."""
    rows = list(RatingSlot.objects.filter(item=view.item_id, state=SlotState.OPEN))
    return min(rows, key=lambda row: (row.pk != view.slot_id, row.number), default=None)


def _why_nothing(round_: Round, rater_id: int, own: Standing) -> str:
    unfilled = RatingSlot.objects.filter(round=round_, state__in=[SlotState.OPEN, SlotState.TAKEN])
    mine = unfilled if _shares(round_, own) else unfilled.filter(number=own.lane)
    had = ItemView.objects.filter(item=OuterRef("item_id"), rater=rater_id)
    if mine.filter(~Exists(had), state=SlotState.TAKEN).exists():
        return "leased"
    return "all_yours" if unfilled.exists() else "done"


def extend(view: ItemView) -> bool:
    """Start the lease of a held item afresh; False when it is not held any more."""
    end = lease_end(timedelta(minutes=view.round.project.lease_minutes))
    with write():
        return ItemView.objects.filter(pk=view.pk, state=ViewState.CLAIMED).update(lease_until=end) == 1


def put_down(view: ItemView, state: ViewState) -> bool:
    """End a held view and give its slot back. Inside a transaction; False when it was not held any more."""
    now = timezone.now()
    if not ItemView.objects.filter(pk=view.pk, state=ViewState.CLAIMED).update(state=state, closed_at=now):
        return False
    RatingSlot.objects.filter(pk=view.slot_id, state=SlotState.TAKEN).update(state=SlotState.OPEN)
    return True


@retried()
def release(*, view: ItemView) -> None:
    """Give an item back; its answers stay. Twice is as good as once."""
    with write():
        put_down(view, ViewState.RELEASED)


@sweeper
def expire(now: datetime | None = None) -> int:
    """Take back items whose lease has run out (by the database's clock, or `now`); returns how many."""
    taken = 0
    while True:
        due = ItemView.objects.filter(state=ViewState.CLAIMED, lease_until__lt=now or Now())
        rows = list(due.select_related("round__project").order_by("lease_until")[:BATCH])
        taken += sum(_expire_one(row, now) for row in rows)
        if len(rows) < BATCH:
            return taken


@retried()
def _expire_one(view: ItemView, now: datetime | None) -> int:
    with write():
        due = ItemView.objects.filter(pk=view.pk, state=ViewState.CLAIMED, lease_until__lt=now or Now())
        if due.select_for_update(of=("self",), no_key=True).first() is None or not put_down(view, ViewState.EXPIRED):
            return 0
        audit.record(project=view.round.project, actor=None, verb="item.expire", target=f"item:{view.public_id}")
    return 1

"""The next item of a rater: exactly N ratings of each item, nobody twice, one item at a time.

Looking for a free slot only picks; conditional updates and the unique keys decide. A rater follows the order of the
own lane, and goes on in other lanes when it is empty. Sources that this rater met a few items ago are passed over.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from annotation.claiming import SlotState
from annotation.jobs.registry import sweeper
from annotation.services import audit
from annotation.services.leases import lease_end
from annotation.services.retrying import Overtaken, retried
from annotation.transactions import write
from evaluation.models import ItemView, RatingSlot, Round, RoundRater, RoundState, ViewState
from evaluation.services import barring, instructing

BATCH = 200
LOOKED_AT = 300
"""Slots compared where every free one is of a source met lately."""


@dataclass(frozen=True, slots=True)
class ClaimResult:
    """`reason`, when there is no item: done (all is rated), all_yours (what is left is not for you), leased (others
    hold what is left), paused, closed, instructions or qualification (to be done first). `fresh`: claimed now."""

    view: ItemView | None
    reason: str = ""
    fresh: bool = False


def claim_next(*, round_: Round, rater: AbstractBaseUser) -> ClaimResult:
    """The item this rater holds, else one that ran out and is still free, else a new one.

    The caller has made sure that the person rates in the round. Conflict only when many tries were overtaken.
    """
    if round_.state not in (RoundState.OPEN, RoundState.PAUSED):
        return ClaimResult(None, "closed")
    step = instructing.next_step(round_, rater)
    if step:
        return ClaimResult(None, step)
    return _claim(round_, rater)


@retried(8, unique_keys=True)
def _claim(round_: Round, rater: AbstractBaseUser) -> ClaimResult:
    own = ItemView.objects.filter(round=round_, rater=rater.pk)
    held = own.filter(state=ViewState.CLAIMED).first()
    if held is not None:
        held.round = round_
        if not extend(held):
            raise Overtaken
        return ClaimResult(held)
    with write():
        state = Round.objects.filter(pk=round_.pk).values_list("state", flat=True)[0]
        if state != RoundState.OPEN:
            return ClaimResult(None, "paused" if state == RoundState.PAUSED else "closed")
        back = _take_up(own, round_)
        if back is not None:
            return ClaimResult(back, fresh=True)
        met = list(own.order_by("-position").values_list("position", "document_id")[: max(1, round_.apart - 1)])
        picked = _pick(round_, rater, [document for _position, document in met])
        if picked is not None:
            return ClaimResult(_open(round_, rater, picked, met[0][0] + 1 if met else 1), fresh=True)
    return ClaimResult(None, _why_nothing(round_, rater))


def _free(round_: Round, rater: AbstractBaseUser) -> "QuerySet[RatingSlot]":
    """Open slots of items that this rater has not had, of sources without this rater's hand in them."""
    had = ItemView.objects.filter(item=OuterRef("item_id"), rater=rater.pk)
    before = ItemView.objects.filter(item=OuterRef("repeats_id"), rater=rater.pk, state=ViewState.DONE)
    slots = RatingSlot.objects.filter(round=round_, state=SlotState.OPEN).filter(~Exists(had))
    return barring.not_barred(slots.filter(Q(repeats__isnull=True) | Exists(before)), round_, rater.pk)


def _pick(round_: Round, rater: AbstractBaseUser, near: Sequence[int]) -> RatingSlot | None:
    """One free slot, locked by itself: of the own lane first, of a source not met lately. Only the last look waits for
    slots that others are taking at this moment."""
    free = _free(round_, rater)
    lane, shared = _lane(round_, rater)
    own = free.filter(number=lane).order_by("place")
    all_ = free.order_by("number", "place") if shared else own
    for slots, skip in ((own, True), *(((all_, True),) if shared else ()), (all_, False)):
        far = slots.exclude(document__in=list(near)) if near else slots
        found = far.select_for_update(skip_locked=skip, of=("self",), no_key=True).first()
        if found is not None:
            return found
    return _longest_ago(round_, rater, all_)


def _lane(round_: Round, rater: AbstractBaseUser) -> tuple[int, bool]:
    """The rater's lane, and whether raters go on in other lanes: only where there are more of them than ratings per
    item. Else everybody rates every item, and somebody who takes another's place goes on where that one stopped."""
    lanes = dict(RoundRater.objects.filter(round=round_, left_at=None).values_list("rater_id", "lane"))
    return lanes[int(rater.pk)], len(lanes) > round_.raters_per_item


def _longest_ago(round_: Round, rater: AbstractBaseUser, slots: "QuerySet[RatingSlot]") -> RatingSlot | None:
    """Nothing but sources met lately is left: that of the one met longest ago."""
    rows = list(slots[:LOOKED_AT])
    if not rows:
        return None
    views = ItemView.objects.filter(round=round_, rater=rater.pk, document__in=[row.document_id for row in rows])
    last = dict(views.order_by("position").values_list("document_id", "position"))
    return min(rows, key=lambda row: (last.get(row.document_id, 0), row.number, row.place))


def take(slot_id: int) -> None:
    """Make an open slot taken. Raises Overtaken."""
    if not RatingSlot.objects.filter(pk=slot_id, state=SlotState.OPEN).update(state=SlotState.TAKEN):
        raise Overtaken


def _open(round_: Round, rater: AbstractBaseUser, slot: RatingSlot, position: int) -> ItemView:
    take(slot.pk)
    now = timezone.now()
    return ItemView.objects.create(
        round=round_,
        item_id=slot.item_id,
        slot=slot,
        document_id=slot.document_id,
        rater_id=rater.pk,
        position=position,
        left=slot.left,
        opened_at=now,
        lease_until=now + timedelta(minutes=round_.project.lease_minutes),
        first_shown_at=now,
        last_seen_at=now,
    )


def _take_up(own: "QuerySet[ItemView]", round_: Round) -> ItemView | None:
    """What ran out or was given back by this rater and is still wanted, under the id it had, with its answers."""
    open_ = RatingSlot.objects.filter(item=OuterRef("item_id"), state=SlotState.OPEN)
    put_down = own.filter(Exists(open_), state__in=[ViewState.EXPIRED, ViewState.RELEASED])
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


def _why_nothing(round_: Round, rater: AbstractBaseUser) -> str:
    lane, shared = _lane(round_, rater)
    unfilled = RatingSlot.objects.filter(round=round_, state__in=[SlotState.OPEN, SlotState.TAKEN])
    mine = unfilled if shared else unfilled.filter(number=lane)
    had = ItemView.objects.filter(item=OuterRef("item_id"), rater=rater.pk)
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

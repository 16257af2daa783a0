"""State of a rater in a round: what they hold, have rated and may continue with, loaded in one query."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.models import CrowdWorker
from annotation.services.core.prepared_queries import IntParam, Prepared
from evaluation.models import ItemAssignment, ItemAssignmentState, RaterReading, RatingSlot, Round, RoundRater


@dataclass(frozen=True, slots=True)
class RaterStanding:
    """State of a rater in a round. state: of the round. n_raters: current raters. claimed_id: key of the claimed
    assignment. last: highest position so far. n_finished: finished items. can_reclaim: an expired or released one
    can be reclaimed. max_items: held or rated at most; None: no limit. consent_due: a consent version must be agreed to
    first. waits: no item can be had yet. paused_at: when a rule paused this rater."""

    state: str
    lane: int
    n_raters: int
    read: bool
    qualified: bool
    claimed_id: int | None
    last: int
    n_finished: int
    can_reclaim: bool
    max_items: int | None
    consent_due: bool
    waits: bool
    paused_at: datetime | None


def _standing_query() -> "QuerySet[Any]":
    keys = {"round": IntParam("round"), "rater": IntParam("rater")}
    assignments = ItemAssignment.objects.filter(**keys).order_by()
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
        Exists(reclaimable_assignments(assignments)),
        "max_items",
        Exists(CrowdWorker.objects.filter(user=IntParam("rater"), consent_due=True)),
        "round__waits_for_judges",
        "paused_at",
    )


def _count_rows(rows: "QuerySet[Any]") -> Coalesce:
    return Coalesce(Subquery(rows.values("round").annotate(n=Count("pk")).values("n")), 0)


def reclaimable_assignments(assignments: "QuerySet[ItemAssignment]") -> "QuerySet[ItemAssignment]":
    """Expired or released assignments whose item still has an open slot."""
    open_ = RatingSlot.objects.filter(item=OuterRef("item_id"), state="open")
    return assignments.filter(Exists(open_), state__in=ItemAssignmentState.LATE)


STANDING_QUERY: Prepared[Any] = Prepared(_standing_query)


def load_standing(round_id: int, rater_id: int) -> RaterStanding | None:
    """Load the state in one query; None for somebody who does not rate in the round or has left it."""
    row = STANDING_QUERY.first(round=round_id, rater=rater_id)
    return RaterStanding(*row) if row is not None else None


def shares_lanes(round_: Round, n_raters: int) -> bool:
    """Whether raters continue in other lanes: only if there are more raters than ratings per item. Otherwise everybody
    rates every item, and a replacement rater continues in the lane of the one who left. n_raters: current raters."""
    return n_raters > round_.raters_per_item


def planned_items(round_: Round, n_raters: int | None = None, *, max_items: int | None = None) -> int | None:
    """Number of items per rater; None if raters share the items among themselves. n_raters: if already known.
    max_items: of this rater, None for no limit."""
    if n_raters is None:
        n_raters = RoundRater.objects.filter(round=round_, left_at=None).count()
    if max_items is not None:
        return min(max_items, round_.n_for_people)
    return None if shares_lanes(round_, n_raters) else round_.n_for_people


def has_room(round_id: int, rater_id: int) -> bool:
    """Whether a rater with a limit may have another item. Locks the rater's row until the transaction ends, so that two
    claims at once, or a claim and an item finished late, cannot exceed the limit."""
    row = RoundRater.objects.select_for_update(no_key=True).filter(round=round_id, rater=rater_id).first()
    if row is None or row.max_items is None:
        return True
    counted = ItemAssignment.objects.filter(round=round_id, rater=rater_id, state__in=ItemAssignmentState.LIVE)
    return counted.count() < row.max_items

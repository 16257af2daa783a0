"""Access checks for rounds and items to rate. Unknown objects and objects of others raise the same NotFound."""

import uuid
from collections.abc import Sequence

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.claiming import SlotState
from annotation.services.core.access import MAKERS, Person, row_for
from annotation.services.core.errors import NotFound
from annotation.services.core.prepared_queries import IntParam, Prepared, UUIDParam
from annotation.services.staff import pipeline_counts
from evaluation.models import ItemAssignment, ItemAssignmentState, RatingSlot, Round, RoundRater, RoundState
from evaluation.services.rounds.rater_eligibility import eligible_raters


def managed_round(user: Person, public_id: uuid.UUID | str) -> Round:
    """Find a round as a researcher or admin of its project. Raises NotFound."""
    return row_for(user, Round.objects.all(), public_id, MAKERS)


def own_rounds(user: Person) -> "QuerySet[Round]":
    """Launched rounds in which this person is a current rater."""
    return _rounds_of(user.pk or 0).select_related("project")


def _rounds_of(rater: int) -> "QuerySet[Round]":
    memberships = RoundRater.objects.filter(round=OuterRef("pk"), rater=rater, left_at=None)
    return Round.objects.filter(Exists(memberships), state__in=RoundState.LAUNCHED)


@pipeline_counts.ROUND_COUNTS.register
def count_open_rounds(user: Person, projects: list[int]) -> dict[int, int]:
    """Project -> number of open rounds in which this person holds an item or can still claim one."""
    return {project: n for project, n in _count_open_rounds(user.pk or 0) if project in projects}


def _count_open_rounds(rater: int) -> "QuerySet[Round, tuple[int, int]]":
    assignments = ItemAssignment.objects.filter(rater=rater).exclude(state__in=ItemAssignmentState.LATE)
    rated_first = Q(repeats=None) | Exists(assignments.filter(item=OuterRef("repeats"), slot__extra=False))
    free_slots = RatingSlot.objects.filter(rated_first, round=OuterRef("pk"), state=SlotState.OPEN)
    free_slots = free_slots.exclude(Exists(assignments.filter(item=OuterRef("item"))))
    claimed = ItemAssignment.objects.filter(round=OuterRef("pk"), rater=rater, state=ItemAssignmentState.CLAIMED)
    has_next = Exists(free_slots) & ~Exists(_full_memberships(rater)) | Exists(claimed)
    rounds = _rounds_of(rater).filter(has_next, state=RoundState.OPEN)
    return rounds.order_by().values_list("project").annotate(n=Count("pk"))


def _full_memberships(rater: int) -> "QuerySet[RoundRater]":
    """Memberships of a round whose rater has had as many items as planned; a subquery for a query of rounds."""
    live = ItemAssignment.objects.filter(round=OuterRef("round"), rater=rater, state__in=ItemAssignmentState.LIVE)
    counted = live.order_by().values("round").annotate(n=Count("pk")).values("n")
    rows = RoundRater.objects.filter(round=OuterRef("pk"), rater=rater, left_at=None)
    return rows.filter(max_items__lte=Coalesce(Subquery(counted), 0))


def is_eligible(user: Person, round_: Round) -> bool:
    """Whether the person may still rate in the project. Evaluated per request, so role changes apply at once."""
    return bool(user.pk) and eligible_raters(round_.project).filter(pk=user.pk or 0).exists()


def _rates_in(round_: str, project: str) -> Q:
    """Condition that the query parameter `rater` is a current, eligible rater of the round at these lookup paths."""
    membership = RoundRater.objects.filter(round=OuterRef(round_), rater=IntParam("rater"), left_at=None)
    eligible = eligible_raters(OuterRef(OuterRef(project))).filter(pk=IntParam("rater"))
    return Q(Exists(membership)) & Q(Exists(eligible))


FROZEN_COLUMNS = ("config", "config_toml", "design")
"""Columns of a round that are read once per process (Round.rules, Round.instructions)."""
ROUND_QUERY: Prepared[Round] = Prepared(
    lambda: (
        Round.objects.select_related("project")
        .defer(*FROZEN_COLUMNS)
        .filter(_rates_in("pk", "project_id"), public_id=UUIDParam("round"), state__in=RoundState.LAUNCHED)
    )
)


def own_round(user: Person, public_id: uuid.UUID | str) -> Round:
    """Find a round in which this person rates. Raises NotFound."""
    round_ = ROUND_QUERY.first(round=uuid.UUID(str(public_id)), rater=user.pk or 0)
    if round_ is None:
        raise NotFound()
    return round_


ITEM_RELATIONS = ("first", "second", "reference", "document__source_text", "sample__schema_version")
UNREAD_COLUMNS = ("document__metadata_json", "sample__schema_version__text")
"""What the page of an item shows, and large columns of these rows that it does not need."""


def _prepare_own_assignment(*, joined: Sequence[str] = (), unread: Sequence[str] = ()) -> Prepared[ItemAssignment]:
    """joined, unread: relations of the item to load too, and columns of them to leave out."""
    own = {"public_id": UUIDParam("item_assignment"), "rater": IntParam("rater")}
    deferred = [*(f"round__{name}" for name in FROZEN_COLUMNS), *(f"item__{name}" for name in unread)]
    return Prepared(
        lambda: (
            ItemAssignment.objects.select_related("round__project", "item", *(f"item__{name}" for name in joined))
            .defer(*deferred)
            .filter(_rates_in("round_id", "round__project_id"), round__state__in=RoundState.LAUNCHED, **own)
        )
    )


PAGE_QUERY = _prepare_own_assignment(joined=ITEM_RELATIONS, unread=UNREAD_COLUMNS)
ANSWER_QUERY = _prepare_own_assignment()


def own_item_assignment(user: Person, public_id: uuid.UUID | str, *, for_page: bool = True) -> ItemAssignment:
    """Find this rater's assignment by its public id. for_page: also load what its page shows. Raises NotFound."""
    assignment = (PAGE_QUERY if for_page else ANSWER_QUERY).first(
        item_assignment=uuid.UUID(str(public_id)), rater=user.pk or 0
    )
    if assignment is None:
        raise NotFound()
    return assignment

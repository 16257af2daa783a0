"""The only way from a person to a round or an item to rate. Unknown and not yours look alike."""

import uuid

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from annotation.claiming import SlotState
from annotation.services import overview
from annotation.services.access import MAKERS, Person, row_for
from annotation.services.errors import NotFound
from annotation.services.prepared import Prepared, uid, whole
from evaluation.models import Item, ItemView, RatingSlot, Round, RoundRater, RoundState, ViewState
from evaluation.services.barring import may_rate

SHOWN = (RoundState.OPEN, RoundState.PAUSED, RoundState.CLOSED, RoundState.UNBLINDED)


def managed_round(user: Person, public_id: uuid.UUID | str) -> Round:
    """A round for researchers and admins of its project."""
    return row_for(user, Round.objects.all(), public_id, MAKERS)


def own_rounds(user: Person) -> "QuerySet[Round]":
    """Launched rounds this person rates in and has not left."""
    own = RoundRater.objects.filter(round=OuterRef("pk"), rater=user.pk or 0, left_at=None)
    return Round.objects.filter(Exists(own), state__in=SHOWN).select_related("project")


def to_rate(user: Person, projects: list[int]) -> dict[int, int]:
    """Project -> open rounds in which something is left for this person: an item at hand, or one not met yet."""
    own = ItemView.objects.filter(rater=user.pk or 0).exclude(state__in=[ViewState.EXPIRED, ViewState.RELEASED])
    rated_first = Q(repeats=None) | Exists(own.filter(item=OuterRef("repeats")))
    free = RatingSlot.objects.filter(rated_first, round=OuterRef("pk"), state=SlotState.OPEN)
    free = free.exclude(Exists(own.filter(item=OuterRef("item"))))
    held = ItemView.objects.filter(round=OuterRef("pk"), rater=user.pk or 0, state=ViewState.CLAIMED)
    rounds = own_rounds(user).filter(Exists(free) | Exists(held), project__in=projects, state=RoundState.OPEN)
    counted = rounds.select_related(None).order_by().values_list("project").annotate(n=Count("pk"))
    return dict(counted.values_list("project", "n"))


overview.ROUNDS.append(to_rate)


def is_eligible(user: Person, round_: Round) -> bool:
    """Whether the person may rate in the project still; a change of roles counts on the next request."""
    return bool(user.pk) and may_rate(round_.project).filter(pk=user.pk or 0).exists()


def _rates_in(round_: str, project: str) -> Q:
    """That `rater`, given when the query runs, rates in the round at these paths and may do so still."""
    own = RoundRater.objects.filter(round=OuterRef(round_), rater=whole("rater"), left_at=None)
    able = may_rate(OuterRef(OuterRef(project))).filter(pk=whole("rater"))
    return Q(Exists(own)) & Q(Exists(able))


FROZEN = ("config", "config_toml", "design")
"""Columns of a round that are read once per process (Round.rules, Round.instructions)."""
ROUND: Prepared[Round] = Prepared(
    lambda: (
        Round.objects.select_related("project")
        .defer(*FROZEN)
        .filter(_rates_in("pk", "project_id"), public_id=uid("round"), state__in=SHOWN)
    )
)


def own_round(user: Person, public_id: uuid.UUID | str) -> Round:
    """A round this person rates in. Raises NotFound."""
    found = ROUND.first(round=uuid.UUID(str(public_id)), rater=user.pk or 0)
    if found is None:
        raise NotFound(_("There is no such thing, or it is not yours."))
    return found


SHOWN_OF_ITEM = ("first", "second", "reference", "document__source_text", "sample__schema_version")
UNREAD = ("document__metadata_json", "sample__schema_version__text")
ITEM: Prepared[Item] = Prepared(
    lambda: Item.objects.select_related(*SHOWN_OF_ITEM).defer(*UNREAD).filter(pk=whole("item"))
)


def _views(*joined: str) -> "QuerySet[ItemView]":
    rows = ItemView.objects.select_related("round__project", "item", *joined)
    rows = rows.defer(*(f"round__{name}" for name in FROZEN))
    mine = _rates_in("round_id", "round__project_id")
    return rows.filter(mine, public_id=uid("view"), rater=whole("rater"), round__state__in=SHOWN)


TO_SHOW: Prepared[ItemView] = Prepared(
    lambda: _views(*(f"item__{name}" for name in SHOWN_OF_ITEM)).defer(
        *(f"round__{name}" for name in FROZEN), *(f"item__{name}" for name in UNREAD)
    )
)
TO_ANSWER: Prepared[ItemView] = Prepared(_views)


def loaded(view: ItemView, round_: Round) -> ItemView:
    """A view that was just claimed, with all that its page shows."""
    view.round, view.item = round_, ITEM.rows(item=view.item_id)[0]
    return view


def own_view(user: Person, public_id: uuid.UUID | str, *, shown: bool = True) -> ItemView:
    """An item under this rater's own id, with all that its page shows; or without, to answer it. Raises NotFound."""
    found = (TO_SHOW if shown else TO_ANSWER).first(view=uuid.UUID(str(public_id)), rater=user.pk or 0)
    if found is None:
        raise NotFound(_("There is no such thing, or it is not yours."))
    return found

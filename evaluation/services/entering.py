"""The only way from a person to a round or an item to rate. Unknown and not yours look alike."""

import uuid

from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext as _

from annotation.services.access import MAKERS, Person, row_for
from annotation.services.errors import NotFound
from evaluation.models import ItemView, Round, RoundRater, RoundState
from evaluation.services.barring import may_rate

SHOWN = (RoundState.OPEN, RoundState.PAUSED, RoundState.CLOSED, RoundState.UNBLINDED)


def managed_round(user: Person, public_id: uuid.UUID | str) -> Round:
    """A round for researchers and admins of its project."""
    return row_for(user, Round.objects.all(), public_id, MAKERS)


def own_rounds(user: Person) -> "QuerySet[Round]":
    """Launched rounds this person rates in and has not left."""
    own = RoundRater.objects.filter(round=OuterRef("pk"), rater=user.pk or 0, left_at=None)
    return Round.objects.filter(Exists(own), state__in=SHOWN).select_related("project")


def is_eligible(user: Person, round_: Round) -> bool:
    """Whether the person may rate in the project still; a change of roles counts on the next request."""
    return bool(user.pk) and may_rate(round_.project).filter(pk=user.pk or 0).exists()


def own_round(user: Person, public_id: uuid.UUID | str) -> Round:
    """A round this person rates in. Raises NotFound."""
    found = own_rounds(user).filter(public_id=public_id).first()
    if found is None or not is_eligible(user, found):
        raise NotFound(_("There is no such thing, or it is not yours."))
    return found


JOINED = (
    "round__project",
    "slot",
    "item__first",
    "item__second",
    "item__reference",
    "item__document__source_text",
    "item__sample__schema_version",
)


def _views() -> "QuerySet[ItemView]":
    return ItemView.objects.select_related(*JOINED).defer("item__document__metadata_json")


def loaded(view: ItemView) -> ItemView:
    """A view that was just claimed, with all that its page shows."""
    return _views().get(pk=view.pk)


def own_view(user: Person, public_id: uuid.UUID | str) -> ItemView:
    """An item under this rater's own id, with all that its page shows. Raises NotFound."""
    found = _views().filter(public_id=public_id, rater=user.pk or 0).first()
    if found is None or not own_rounds(user).filter(pk=found.round_id).exists() or not is_eligible(user, found.round):
        raise NotFound(_("There is no such thing, or it is not yours."))
    return found

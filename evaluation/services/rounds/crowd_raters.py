"""Raters from a crowd: a link leads to one open round, in which each person rates a number of items at most."""

import uuid

from django.db.models import Count
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import CrowdLink, CrowdWorker, Project, Role
from annotation.services.core.errors import BadInput
from annotation.services.people.crowd_roles import CROWD_ROLES, CrowdRole, LinkTarget
from annotation.services.people.invitations import Closed
from evaluation.models import ItemAssignment, ItemAssignmentState, Round, RoundLink, RoundRater, RoundState
from evaluation.services.rounds.round_pay import describe_pay


def list_open_rounds(project: Project) -> list[LinkTarget]:
    """The rounds that a link can lead to, the newest first."""
    rounds = Round.objects.filter(project=project, state=RoundState.OPEN).order_by("-pk")
    return [_describe_round(round_) for round_ in rounds]


def _describe_round(round_: Round) -> LinkTarget:
    return LinkTarget(str(round_.public_id), round_.name, round_.rules.items_per_person or None, describe_pay(round_))


def attach_round(link: CrowdLink, target: str) -> None:
    """Store the round of a new link. Raises BadInput unless it is an open round of the link's project, and for more
    items of each person than its design plans."""
    try:
        rounds = Round.objects.filter(project=link.project, public_id=uuid.UUID(target), state=RoundState.OPEN)
        round_ = rounds.first()
    except ValueError:
        round_ = None
    if round_ is None:
        raise BadInput(_("Choose an open round of this project."), field="target")
    planned = round_.rules.items_per_person
    if planned and link.tasks > planned:
        message = ngettext(
            "The design of the round plans %(n)d item for each person at most.",
            "The design of the round plans %(n)d items for each person at most.",
            planned,
        )
        raise BadInput(message % {"n": planned}, field="tasks")
    RoundLink.objects.create(link=link, round=round_)


def find_round(link: CrowdLink) -> Round | None:
    """The round that a link leads to; None for a link of writers."""
    return Round.objects.filter(crowd_links__link=link).first()


def find_target(link: CrowdLink) -> LinkTarget | None:
    round_ = find_round(link)
    return _describe_round(round_) if round_ is not None else None


def why_closed(link: CrowdLink) -> str:
    """Why nobody can start to rate now, in words; "" while the round is open."""
    round_ = find_round(link)
    if round_ is None or round_.state not in RoundState.RUNNING:
        return _("The study has ended. Thank you for your interest.")
    if round_.waits_for_judges:
        return _("The study has not started yet. Please come back later.")
    return "" if round_.state == RoundState.OPEN else _("The study is paused. Please come back later.")


def join_round(worker: CrowdWorker) -> None:
    """Make a new account a rater of the round, in the lane with the fewest raters. Raises Closed."""
    row = RoundLink.objects.filter(link=worker.link_id).first()
    round_ = Round.objects.select_for_update().filter(pk=row.round_id).first() if row is not None else None
    if round_ is None or round_.state != RoundState.OPEN or round_.waits_for_judges:
        raise Closed(why_closed(worker.link), code="ended")
    RoundRater.objects.create(
        round=round_,
        rater=worker.user,
        lane=_pick_lane(round_),
        joined_at=timezone.now(),
        max_items=worker.link.tasks,
    )


def _pick_lane(round_: Round) -> int:
    current = RoundRater.objects.filter(round=round_, left_at=None)
    raters = dict(current.values_list("lane").annotate(n=Count("pk")))
    return min(range(1, round_.raters_per_item + 1), key=lambda lane: (raters.get(lane, 0), lane))


def count_rated(worker: CrowdWorker) -> int:
    """Items that a person finished, also those that came too late to count."""
    rated = ItemAssignment.objects.filter(rater=worker.user_id, round__crowd_links__link=worker.link_id)
    return rated.filter(state__in=ItemAssignmentState.ANSWERED).count()


CROWD_ROLES.register(
    CrowdRole(
        role=Role.RATER.value,
        page="rating",
        list_targets=list_open_rounds,
        attach=attach_round,
        find_target=find_target,
        why_closed=why_closed,
        join=join_round,
        count_done=count_rated,
    )
)

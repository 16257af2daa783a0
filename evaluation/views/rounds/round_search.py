"""Rounds in the search: all by name for their makers; for raters their own, under the name that raters see."""

from collections.abc import Iterable

from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy

from annotation.models import Role
from annotation.services.core import access
from annotation.views.search.kinds import HITS_PER_KIND, Asker, Hit, register_kind
from evaluation.models import Round
from evaluation.services.rounds import round_access

OWN_SEARCHED = 50


@register_kind("rounds", gettext_lazy("Rounds"), order=7)
def find_rounds(asker: Asker) -> Iterable[Hit]:
    if asker.project is None:
        return []
    if {role.value for role in access.MAKERS} & asker.roles:
        return _find_by_name(asker)
    return _find_own(asker) if Role.RATER.value in asker.roles else []


def _find_by_name(asker: Asker) -> list[Hit]:
    assert asker.project is not None
    matching = Q(name__icontains=asker.text)
    if asker.text.isascii() and asker.text.isdigit():
        matching |= Q(number=int(asker.text[:9]))
    rows = Round.objects.filter(matching, project=asker.project).order_by("-pk")
    return [
        Hit(round_.name, str(round_.get_state_display()), reverse("round", args=[asker.project.slug, round_.public_id]))
        for round_ in rows.defer(*round_access.FROZEN_COLUMNS)[:HITS_PER_KIND]
    ]


def _find_own(asker: Asker) -> list[Hit]:
    """A rater knows a round by its title; its name may reveal what is compared."""
    assert asker.project is not None
    rounds = round_access.own_rounds(asker.user).filter(project=asker.project).order_by("-pk")
    newest = rounds.defer(*round_access.FROZEN_COLUMNS)[:OWN_SEARCHED]
    fitting = [round_ for round_ in newest if asker.fits(round_.title)]
    if not fitting or not round_access.is_eligible(asker.user, fitting[0]):
        return []
    address = reverse("rating", args=[asker.project.slug])
    return [Hit(round_.title, "", address) for round_ in fitting[:HITS_PER_KIND]]

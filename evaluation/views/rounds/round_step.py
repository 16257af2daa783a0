"""Rounds as a step on the overview, once everything is written and systems have run."""

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Project
from annotation.views.staff.later_steps import LATER_STEPS, LaterStep, Step
from epitome.figures.numbers import format_count
from evaluation.models import Round, RoundState
from evaluation.services.monitoring.round_progress import count_places


def find_round_step(project: Project) -> Step | None:
    """To design, launch, close or unblind a round, whichever comes next; None once one is unblinded."""
    newest = Round.objects.filter(project=project).order_by("-pk").only("public_id", "number", "state").first()
    if newest is None:
        text = _("Raters judge the summaries of people and systems without knowing who wrote what.")
        return Step(_("Have summaries rated"), text, _("New round"), reverse("round-new", args=[project.slug]))
    url, label = reverse("round", args=[project.slug, newest.public_id]), _("Go to the round")
    number = {"n": newest.number}
    if newest.state == RoundState.DRAFT:
        return Step(_("Launch round %(n)d") % number, _("Its design is a draft; raters cannot see it."), label, url)
    if newest.state in RoundState.RUNNING:
        return _running_step(newest, label, url)
    if newest.state == RoundState.CLOSED:
        text = _("It is closed and still blinded. Unblinding shows which system wrote what, and cannot be undone.")
        return Step(_("Unblind round %(n)d") % number, text, label, url)
    return None


def _running_step(round_: Round, label: str, url: str) -> Step:
    progress = count_places(round_)
    if progress.filled >= progress.places:
        return Step(_("Close round %(n)d") % {"n": round_.number}, _("All its items are rated."), label, url)
    text = ngettext("%(done)s of %(all)s rating is in.", "%(done)s of %(all)s ratings are in.", progress.places) % {
        "done": format_count(progress.filled),
        "all": format_count(progress.places),
    }
    return Step(_("Rating in progress"), text, label, url)


LATER_STEPS.register(LaterStep("rounds", 2, find_round_step))

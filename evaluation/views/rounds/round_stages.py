"""Rounds and ratings as stages of the overview."""

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.figures.numbers import format_count
from annotation.models import Project
from annotation.services.staff.project_progress import RoundTotals
from annotation.views.staff.measuring_stages import MEASURING_STAGES, MeasuringStage
from evaluation.services.monitoring.round_totals import count_rounds, count_unblinded


@MEASURING_STAGES.register
def count_round_stages(project: Project) -> list[MeasuringStage]:
    """Four queries at most."""
    totals = count_rounds([project.pk]).get(project.pk) or RoundTotals()
    n_launched, n_unblinded = count_unblinded(project)
    open_note = ngettext("%(n)s open", "%(n)s open", totals.open) % {"n": format_count(totals.open)}
    url = reverse("rounds", args=[project.slug])
    return [
        MeasuringStage(3, _("Rounds unblinded"), n_unblinded, n_launched, open_note if totals.open else "", url),
        MeasuringStage(4, _("Ratings"), totals.rated, totals.ratings, "", url),
    ]

"""Rounds and ratings as stages of the overview."""

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Project
from annotation.services.staff.project_progress import RoundTotals
from annotation.views.staff.measuring_stages import MEASURING_STAGES, MeasuringStage
from epitome.figures.numbers import format_count
from evaluation.services.monitoring.round_totals import count_rounds


@MEASURING_STAGES.register
def count_round_stages(project: Project) -> list[MeasuringStage]:
    """Two queries at most."""
    totals = count_rounds([project.pk]).get(project.pk) or RoundTotals()
    n_open = ngettext("%(n)s open", "%(n)s open", totals.open) % {"n": format_count(totals.open)}
    note = n_open if totals.open else ""
    url = reverse("rounds", args=[project.slug])
    return [
        MeasuringStage(3, _("Rounds unblinded"), totals.unblinded, totals.launched, note, url),
        MeasuringStage(4, _("Ratings"), totals.rated, totals.ratings, "", url),
    ]

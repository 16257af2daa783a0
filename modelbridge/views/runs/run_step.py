"""Running systems as a step on the overview, once everything is written."""

from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.views.staff.later_steps import LATER_STEPS, LaterStep, Step
from modelbridge.models import Run


def find_run_step(project: Project) -> Step | None:
    """To run a first system; None once a run is done or under way."""
    if Run.objects.listed().filter(project=project).exists():
        return None
    text = _("Run systems on the samples, or upload their summaries, to compare them with the human ones.")
    return Step(_("Run systems"), text, _("Go to systems"), reverse("systems", args=[project.slug]))


LATER_STEPS.register(LaterStep("runs", 1, find_run_step))

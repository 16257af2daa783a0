"""Finds the run that scored a project's contrastive examples, so that they are not replaced under its results."""

from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services.contrastives.sets import CONTRASTIVE_USES
from modelbridge.models import Run, RunState

OVER = "contrastives"
"""Beginning of `Run.over` of runs over contrastive examples."""


@CONTRASTIVE_USES.register
def describe_scoring_run(project: Project) -> str:
    """A sentence that names a run over the examples; "" without one."""
    runs = Run.objects.filter(project=project, over__startswith=OVER).exclude(state=RunState.CANCELLED)
    run = runs.select_related("revision__system").order_by("-pk").first()
    if run is None:
        return ""
    return _("The run %(run)s is over these examples, so they cannot be replaced.") % {"run": run}

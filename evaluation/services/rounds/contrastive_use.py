"""Finds the round that shows a project's contrastive examples, so that they are not replaced under its results."""

from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services.contrastives.sets import CONTRASTIVE_USES
from evaluation.models import Round, RoundState


@CONTRASTIVE_USES.register
def describe_check_round(project: Project) -> str:
    """A sentence that names the newest launched round over the examples; "" without one."""
    rounds = Round.objects.filter(project=project, state__in=RoundState.LAUNCHED).order_by("-pk")
    for round_ in rounds.only("name", "config"):
        if any(target["kind"] == "contrastive" for target in round_.config["targets"]):
            message = _("These examples are in the round %(name)s, so they cannot be replaced.")
            return message % {"name": round_.name}
    return ""

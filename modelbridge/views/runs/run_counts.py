"""Runs with their counts of finished and failed outputs."""

from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce

from annotation.models import Project
from modelbridge.models import OutputState, Run, RunQuerySet, SystemOutput


def runs_with_counts(project: Project) -> RunQuerySet:
    """The runs of a project, annotated with `n_done` and `n_failed`."""
    rows = Run.objects.filter(project=project).select_related("revision__system", "created_by", "project")
    return rows.annotate(n_done=_count_outputs(OutputState.DONE), n_failed=_count_outputs(OutputState.FAILED))


def _count_outputs(state: str) -> Coalesce:
    rows = SystemOutput.objects.filter(run=OuterRef("pk"), state=state).order_by().values("run")
    return Coalesce(Subquery(rows.annotate(n=Count("pk")).values("n")), 0)

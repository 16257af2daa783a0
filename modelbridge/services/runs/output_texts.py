"""Registers outputs as texts to be measured: the same measures, signatures and jobs as for summaries."""

from collections.abc import Sequence
from typing import Any

from django.db.models import OuterRef, Q, QuerySet

from annotation.models import Project, SchemaVersion, Score
from annotation.services.scores.measure_batches import SCORED_TEXTS
from modelbridge.models import OutputState, SystemOutput
from modelbridge.services.runs.changed_requests import TEXTS


class Outputs:
    """System outputs that are texts for a request. Their rows exist before their texts, so progress is the number of
    finished ones. Those of changed requests count too, measured by the sample's own request."""

    kind: str = Score.Target.OUTPUT
    counted = "outputs"

    def rows(self, project_id: int) -> "QuerySet[SystemOutput]":
        return SystemOutput.objects.filter(TEXTS, project=project_id, state=OutputState.DONE)

    def of_version(self, version: SchemaVersion) -> "QuerySet[SystemOutput]":
        return self.rows(version.project_id).filter(sample__schema_version=version)

    def of_outer(self) -> "QuerySet[Any]":
        return SystemOutput.objects.filter(TEXTS, project=OuterRef("pk"), state=OutputState.DONE)

    def mark(self, project: Project) -> int:
        return self.rows(project.pk).count()

    def since(self, project: Project, mark: int) -> Q | None:
        return None if self.mark(project) == mark else Q()

    def texts(self, project: Project, ids: Sequence[int]) -> dict[int, str]:
        return dict(self.rows(project.pk).filter(pk__in=ids).values_list("pk", "text"))


SCORED_TEXTS.register(Outputs())

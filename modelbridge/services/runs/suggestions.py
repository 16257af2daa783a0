"""Offers the outputs of finished runs as texts for annotators to start from."""

import uuid
from collections.abc import Collection

from annotation.models import Project
from annotation.services.core.suggestion_sources import SUGGESTION_SOURCES
from modelbridge.models import OutputState, Run, RunQuerySet, SystemOutput
from modelbridge.services.runs.run_labels import label_run

MOST_LISTED = 100


class SuggestedRuns:
    """Finished runs whose outputs are texts for the samples' own requests."""

    key = "run"

    def list_arguments(self, project: Project) -> list[tuple[str, str]]:
        runs = self._runs(project).select_related("revision__system").order_by("-pk")[:MOST_LISTED]
        return [(str(run.public_id), label_run(run)) for run in runs]

    def has_texts(self, project: Project, argument: str) -> bool:
        public_id = _parse_id(argument)
        return public_id is not None and self._runs(project).filter(public_id=public_id).exists()

    def read_texts(self, project: Project, argument: str, samples: Collection[int]) -> dict[int, str]:
        public_id = _parse_id(argument)
        if public_id is None:
            return {}
        outputs = SystemOutput.objects.filter(
            run__project=project, run__public_id=public_id, state=OutputState.DONE, sample__in=samples
        )
        return dict(outputs.exclude(text="").values_list("sample_id", "text"))

    def _runs(self, project: Project) -> RunQuerySet:
        return Run.objects.writing().done().filter(project=project)


def _parse_id(argument: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(argument)
    except ValueError:
        return None


SUGGESTION_SOURCES.register(SuggestedRuns())

"""The second lane of the overview's pipeline: systems, runs, rounds. Higher rooms register its stages."""

from collections.abc import Callable
from dataclasses import dataclass

from annotation.extension_points import ExtensionPoint, qualified_name
from annotation.models import Project


@dataclass(frozen=True)
class MeasuringStage:
    """order: its place in the lane. number of total; total None where there is no target. note: words below."""

    order: int
    label: str
    number: int
    total: int | None
    note: str
    url: str


MEASURING_STAGES = ExtensionPoint[Callable[[Project], list[MeasuringStage]]]("measuring stages", key=qualified_name)
"""Project -> stages of one room."""


def list_measuring_stages(project: Project) -> list[MeasuringStage]:
    """The stages in which there is something."""
    stages = [
        stage for count_stages in MEASURING_STAGES for stage in count_stages(project) if stage.number or stage.total
    ]
    return sorted(stages, key=lambda stage: stage.order)

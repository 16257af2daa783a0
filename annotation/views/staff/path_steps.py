"""Steps of the path from a first file to a release: what each room adds to the check list of the overview."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from annotation.extension_points import ExtensionPoint, qualified_name
from annotation.models import Project, Role
from annotation.services.core import access
from annotation.services.staff.dashboard import Stages
from annotation.services.staff.pipeline_counts import Pipeline


class StepState(StrEnum):
    DONE = "done"
    OPEN = "open"  # can be done now
    RUNNING = "running"  # others are at it
    BLOCKED = "blocked"  # cannot be done now; the text says why
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Action:
    """A button of a step. posts: pressing it does the step, instead of opening a page. roles: who may."""

    label: str
    url: str
    posts: bool = False
    roles: tuple[Role, ...] = access.MAKERS


@dataclass(frozen=True)
class PathStep:
    """One step. text: what it is about, how far it is, or why it cannot be done now. replaces: the keys of steps that
    nobody needs because this one is done."""

    key: str
    title: str
    state: StepState
    text: str = ""
    action: Action | None = None
    replaces: tuple[str, ...] = ()


class Facts(NamedTuple):
    """What is counted for the overview anyway."""

    counts: Pipeline
    stages: Stages


@dataclass(frozen=True)
class StepSource:
    """Steps that are found together. keys: of all of them. order: their place. find: those that the project has."""

    keys: tuple[str, ...]
    order: int
    find: Callable[[Project, Facts], list[PathStep]]


PATH_STEPS = ExtensionPoint[StepSource]("steps of a project", key=lambda source: source.keys[0])
WRITING_STEPS = ("candidates", "requests", "people", "writing", "inspection")
"""Steps of annotators, which nobody needs who measures systems on reference summaries only."""
REFERENCE_DOORS = ExtensionPoint[Callable[[Project], Action | None]]("what to do with references", key=qualified_name)
"""Project -> what can be done with its reference summaries instead of drawing requests; None for nothing."""


def find_reference_door(project: Project) -> Action | None:
    return next((action for find in REFERENCE_DOORS if (action := find(project)) is not None), None)

"""What people of a crowd link can do: write summaries, or what a higher room registers, such as rating in a round."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from annotation.extension_points import ExtensionPoint
from annotation.models import Assignment, AssignmentState, CrowdLink, CrowdWorker, Participation, Project, Role


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """Something that a link can lead to. id: its public id, "" where there is only one. label: for a list.
    tasks: the usual number of tasks of each person, None if there is none. pay: in words, "" where none is stated."""

    id: str
    label: str
    tasks: int | None = None
    pay: str = ""


@dataclass(frozen=True)
class CrowdRole:
    """One kind of participation.

    page: name of the URL of the person's start page. list_targets: what links of a project can lead to now.
    attach: stores where a new link leads; raises BadInput. find_target: where a link leads, None if it is gone.
    why_closed: why nobody can start by the link now, in words; "" while it is open. join: gives a new account its
    tasks, in the transaction that makes it; raises Closed. count_done: tasks that a person has done.
    """

    role: str
    page: str
    list_targets: Callable[[Project], list[LinkTarget]]
    attach: Callable[[CrowdLink, str], None]
    find_target: Callable[[CrowdLink], LinkTarget | None]
    why_closed: Callable[[CrowdLink], str]
    join: Callable[[CrowdWorker], None]
    count_done: Callable[[CrowdWorker], int]


CROWD_ROLES: ExtensionPoint[CrowdRole] = ExtensionPoint("crowd roles", key=lambda role: role.role)


def _join_writers(worker: CrowdWorker) -> None:
    Participation.objects.create(project=worker.project, user=worker.user, max_tasks=worker.link.tasks)


def _count_summaries(worker: CrowdWorker) -> int:
    submitted = Assignment.objects.filter(project=worker.project_id, annotator=worker.user_id)
    return submitted.filter(state__in=AssignmentState.SUBMITTED_ONCE).count()


def _nothing(*_arguments: Any) -> None:
    """A link for writers leads to the project itself."""


CROWD_ROLES.register(
    CrowdRole(
        role=Role.ANNOTATOR.value,
        page="work",
        list_targets=lambda project: [LinkTarget("", project.name)],
        attach=_nothing,
        find_target=lambda link: LinkTarget("", link.project.name),
        why_closed=lambda link: "",
        join=_join_writers,
        count_done=_count_summaries,
    )
)

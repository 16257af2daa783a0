"""The next thing to do for somebody who writes or rates: the first card of Home."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User

from annotation.models import Assignment, AssignmentState, Project, Role
from annotation.services.staff.pipeline_counts import Waiting
from annotation.services.tasks.open_everywhere import list_new_answers, list_open_everywhere
from annotation.views.tasks.returned_work import ReturnedLine, describe_request, list_returned


@dataclass(frozen=True)
class NextThing:
    """One of: returned, a summary to revise; task, an open one to go on with; entry, a project with something new to
    write or rate. kind: "revise", "continue", "pilot", "write" or "rate"."""

    kind: str
    project: Project
    returned: ReturnedLine | None = None
    task: Assignment | None = None
    request_text: str = ""
    entry: Waiting | None = None


@dataclass(frozen=True)
class OwnWork:
    """What a person writes and rates: the next thing, the projects, and new answers by project."""

    entries: list[Waiting]
    next_thing: NextThing | None
    answers: dict[int, int]


def find_own_work(user: User, entries: Sequence[Waiting]) -> OwnWork:
    """The projects in which this person annotates or rates. Two queries, up to seven where a summary was returned."""
    own = [entry for entry in entries if {Role.ANNOTATOR.value, Role.RATER.value} & {*entry.roles}]
    if user.is_superuser:  # has every role everywhere: only where there is work of their own
        own = [entry for entry in own if entry.has_begun]
    writing = [entry.project.pk for entry in own if Role.ANNOTATOR.value in entry.roles]
    if not writing:
        return OwnWork(own, _find_new(own), {})
    tasks = list_open_everywhere(user, writing) if any(entry.held or entry.returned for entry in own) else []
    next_thing = _find_returned(tasks) or _find_started(tasks) or _find_new(own)
    return OwnWork(own, next_thing, list_new_answers(user, writing))


def _find_returned(tasks: list[Assignment]) -> NextThing | None:
    """The oldest returned summary that somebody else wants revised, in the project of the oldest returned one."""
    returned = [task for task in tasks if task.state == AssignmentState.RETURNED]
    if not returned:
        return None
    project = returned[0].project
    lines = list_returned(project, [task for task in returned if task.project_id == project.pk])
    line = next((line for line in lines if line.is_asked_for), None)
    return NextThing("revise", project, returned=line) if line is not None else None


def _find_started(tasks: list[Assignment]) -> NextThing | None:
    held = (task for task in tasks if task.state == AssignmentState.CLAIMED and not task.claim.parked)
    task = next(held, None)
    if task is None:
        return None
    return NextThing("continue", task.project, task=task, request_text=describe_request(task))


def _find_new(entries: list[Waiting]) -> NextThing | None:
    for entry in entries:
        if entry.pilot == "write":
            return NextThing("pilot", entry.project, entry=entry)
        if entry.can_write:
            return NextThing("write", entry.project, entry=entry)
    rating = next((entry for entry in entries if entry.rounds), None)
    return NextThing("rate", rating.project, entry=rating) if rating is not None else None

"""The next thing to do for somebody who writes or rates: the first card of Home."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.contrib.auth.models import User
from django.urls import reverse

from annotation.models import Assignment, AssignmentState, Project, Role
from annotation.services.staff.pipeline_counts import Waiting
from annotation.services.tasks.open_everywhere import list_new_answers, list_open_everywhere
from annotation.views.core.project_entry import find_entry_url
from annotation.views.core.sections import list_own_pages
from annotation.views.tasks.returned_work import ReturnedRow, describe_request, list_returned


@dataclass(frozen=True)
class NextThing:
    """One of: returned, a summary to revise; task, an open one to go on with; entry, a project with something new to
    write or rate. kind: "revise", "continue", "pilot", "write" or "rate". url: where somebody rates."""

    kind: str
    project: Project
    returned: ReturnedRow | None = None
    task: Assignment | None = None
    request_text: str = ""
    entry: Waiting | None = None
    url: str = ""


class EntryLink(NamedTuple):
    """A page on which somebody continues in a project."""

    label: str
    url: str


@dataclass(frozen=True)
class OwnWork:
    """What a person writes and rates: the next thing, the projects, new answers by project, and the pages by which
    the person continues in each."""

    entries: list[Waiting]
    next_thing: NextThing | None
    answers: dict[int, int]
    links: dict[int, list[EntryLink]]


def find_own_work(user: User, entries: Sequence[Waiting]) -> OwnWork:
    """The projects in which this person annotates or rates. Two queries, up to seven where a summary was returned."""
    own_entries = [entry for entry in entries if {Role.ANNOTATOR.value, Role.RATER.value} & {*entry.roles}]
    if user.is_superuser:  # has every role everywhere: only where there is work of their own
        own_entries = [entry for entry in own_entries if entry.is_own]
    links = {entry.project.pk: _list_links(entry) for entry in own_entries}
    writing = [entry.project.pk for entry in own_entries if Role.ANNOTATOR.value in entry.roles]
    if not writing:
        return OwnWork(own_entries, _find_new(own_entries), {}, links)
    tasks = list_open_everywhere(user, writing) if any(entry.held or entry.returned for entry in own_entries) else []
    next_thing = _find_returned(tasks) or _find_started(tasks) or _find_new(own_entries)
    return OwnWork(own_entries, next_thing, list_new_answers(user, writing), links)


def _list_links(entry: Waiting) -> list[EntryLink]:
    """The first page by which this person enters the project, and a further one while rounds are open."""
    pages = [page for page in list_own_pages() if page.enters and page.role.value in entry.roles]
    if not entry.rounds:
        pages = pages[:1]
    return [EntryLink(str(page.label), reverse(page.name, args=[entry.project.slug])) for page in pages]


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
    if rating is None:
        return None
    return NextThing("rate", rating.project, entry=rating, url=find_entry_url(rating.project.slug, [Role.RATER]))

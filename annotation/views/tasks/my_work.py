"""My work: an annotator's open, parked and finished tasks in one project, and claiming the next task."""

import uuid
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.models import Assignment, AssignmentState, PilotState, Project, Role
from annotation.services.guidelines import gate
from annotation.services.overlap import checks as overlap_checks
from annotation.services.people import crowd_links, quotas
from annotation.services.staff import reannotation
from annotation.services.tasks import claim, own_work, pilot_gate, questions, revisions
from annotation.services.tasks.task_context import is_frozen
from annotation.views.core.decorators import current_user, project_page

ROLES = (Role.ANNOTATOR,)
LOOK = {
    AssignmentState.SUBMITTED: ("", "cloud"),
    AssignmentState.ACCEPTED: ("ok", "check"),
    AssignmentState.REJECTED: ("warn", "cross"),
    AssignmentState.SKIPPED: ("", "right"),
}


@project_page(ROLES)
def my_work(request: HttpRequest, project: Project) -> HttpResponse:
    """Asks only for the sections that have something to show, and never for all that one has ever done."""
    user = current_user(request)
    sections = own_work.find_sections(project, user)
    open_tasks = own_work.list_open_tasks(project, user) if sections.open_tasks else []
    claimed = [TaskLine(task, _describe_request(task)) for task in open_tasks if task.state == AssignmentState.CLAIMED]
    returned = [task for task in open_tasks if task.state == AssignmentState.RETURNED]
    active_tasks = [line for line in claimed if not line.task.claim.parked]
    pilot_standing = pilot_gate.pilot_progress(project, user) if sections.pilot else None
    counts = own_work.count_own(project, user)
    code = request.GET.get("said", "")
    context = {
        "project": project,
        "said": _status_message(code),
        "nothing": _no_task_notice(code) or _no_task_notice(_pilot_block_reason(project, pilot_standing)),
        "limits": quotas.participation_of(project, user) if sections.limits else None,
        "standing": crowd_links.worker_progress(project, user) if sections.crowd else None,
        "held": active_tasks,
        "first": active_tasks[0].task if active_tasks else None,
        "first_request": active_tasks[0].request_text if active_tasks else "",
        "parked": [line for line in claimed if line.task.claim.parked],
        "questions": questions.unseen_questions(project, user) if sections.questions else (),
        "gate": gate.gate_for(project, user) if sections.guideline_news else None,
        "returned": _list_returned(project, returned),
        "counts": counts,
        "pilot": pilot_standing,
        "in_pilot": project.needs_pilot and pilot_standing is not None and pilot_standing.state != PilotState.QUALIFIED,
        # Once an annotator has ordinary tasks, the pilot is shown last.
        "pilot_behind": pilot_standing is not None
        and pilot_standing.state == PilotState.QUALIFIED
        and counts.by_state.total() > 0,
        **_list_finished(request, project),
    }
    return render(request, "annotation/tasks/work.html", context)


def _pilot_block_reason(project: Project, pilot_standing: pilot_gate.PilotProgress | None) -> str:
    """Code of the reason why the pilot blocks new tasks; "" when it does not."""
    if pilot_standing is None or not project.needs_pilot:
        return ""
    reasons = {PilotState.SUBMITTED: pilot_gate.WAITING, PilotState.REJECTED: pilot_gate.REJECTED}
    return reasons.get(pilot_standing.state or PilotState.INVITED, "")


@project_page(ROLES, methods=("POST",))
def next_task(request: HttpRequest, project: Project) -> HttpResponseBase:
    return open_next_task(request, project)


def open_next_task(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Claim the next task (or open the one already claimed); without a task, redirect to My work with the reason."""
    result = claim.claim_next(project=project, annotator=current_user(request))
    if result.reason == "gate":
        return redirect("gate", project.slug)
    if (
        result.reason == quotas.QUOTA
        and (standing := crowd_links.worker_progress(project, current_user(request))) is not None
    ):
        crowd_links.note_completed(standing)
        return redirect("completion", project.slug)
    if result.assignment is None:
        return redirect(f"{reverse('work', args=[project.slug])}?said={result.reason}")
    return redirect("task", result.assignment.public_id)


class TaskLine(NamedTuple):
    """A task and what its sample requests, as text."""

    task: Assignment
    request_text: str


class ReturnedLine(NamedTuple):
    """A task to revise: why it came back, whether a reviewer has commented on it, whether a rule has changed since."""

    task: Assignment
    request_text: str
    reason: str
    has_feedback: bool
    is_outdated: bool


def _list_returned(project: Project, tasks: list[Assignment]) -> list[ReturnedLine]:
    if not tasks:
        return []
    reasons = revisions.find_return_reasons(tasks)
    commented = revisions.find_with_feedback(tasks)
    number = reannotation.latest_rule_version(project).number
    return [
        ReturnedLine(
            task,
            _describe_request(task),
            reasons[task.pk],
            task.pk in commented,
            task.guideline_version.number < number,
        )
        for task in tasks
    ]


def _describe_request(task: Assignment) -> str:
    """The request of a task, to tell two tasks on one source apart; "" while its topics are not chosen."""
    if task.sample is None or not is_frozen(task):
        return ""
    task.sample.group = task.group
    return " · ".join(f"{label}: {value}" for label, value in overlap_checks.describe_request(task.sample))


class FinishedLine(NamedTuple):
    """A finished task, ready to render. look, drawing: class and icon of its state."""

    task: own_work.FinishedTask
    url: str
    state: str
    look: str
    drawing: str


def _list_finished(request: HttpRequest, project: Project) -> dict[str, Any]:
    """The finished list from ?before=, an attempt of one's own; what is no such id shows the newest."""
    try:
        before = uuid.UUID(request.GET["before"]) if "before" in request.GET else None
    except ValueError:
        before = None
    tasks, older = own_work.list_finished(project, current_user(request), before=before)
    return {"finished_lines": [_describe_finished(task) for task in tasks], "older": older, "is_later": before}


def _describe_finished(task: own_work.FinishedTask) -> FinishedLine:
    state = AssignmentState(task.state)
    url = reverse("finished" if task.title else "task", args=[task.public_id])
    return FinishedLine(task, url, str(state.label), *LOOK.get(state, ("", "info")))


def _status_message(code: str) -> str:
    """The status message of a code; "" for unknown codes."""
    return {
        "submitted": _("Submitted. Thank you; take the next task when you are ready."),
        "skipped": _("Skipped. Somebody else is asked; your draft is kept."),
        "chosen": _("Chosen and frozen. Take the next task when you are ready."),
        "signed-in": _("You are signed in again. Go back to the tab with your text: it is saved by itself."),
    }.get(code, "")


def _no_task_notice(code: str) -> dict[str, Any] | None:
    """Title and text that explain why there is no task; None for unknown codes."""
    return {
        "done": {
            "title": _("Everything is written"),
            "text": _("All samples of this project are filled. If one is returned to you, it appears here."),
        },
        "all_yours": {
            "title": _("Nothing is left for you"),
            "text": _("You have had every sample that is still open. The rest is for the other annotators."),
        },
        "paused": {
            "title": _("You get no new tasks for now"),
            "text": _("The team has paused you. What you hold you can finish; your work is kept."),
        },
        "quota": {
            "title": _("You have done all your tasks"),
            "text": _("The team gave you a number of tasks, and you have them all. What you hold you can finish."),
        },
        "frozen": {
            "title": _("The project is frozen"),
            "text": _("The team has stopped giving out tasks for now. What you hold you can finish."),
        },
        "leased": {
            "title": _("No task is free right now"),
            "text": _("Others are working on the last ones. If one is given back, you can take it: ask again later."),
        },
        pilot_gate.WAITING: {
            "title": _("The pilot is handed in"),
            "text": _("The team reads it and decides. Ordinary tasks open when you are qualified."),
        },
        pilot_gate.REJECTED: {
            "title": _("There are no tasks for you here"),
            "text": _("The team decided about your pilot; the reason stands below."),
        },
        pilot_gate.NOT_READY: {
            "title": _("The pilot is not ready"),
            "text": _("Its samples are not chosen yet. Ask again later."),
        },
    }.get(code)

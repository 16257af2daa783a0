"""My work: an annotator's open, parked and finished tasks in one project, and claiming the next task."""

import uuid
from datetime import tzinfo
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.timezone import get_current_timezone
from django.utils.translation import gettext_lazy as _

from annotation.models import Assignment, AssignmentState, CrowdOutcome, PilotState, Project, Role
from annotation.services.core.day_words import write_moment
from annotation.services.guidelines import gate
from annotation.services.people import consent, crowd_outcomes, quotas
from annotation.services.tasks import claim, own_work, pilot_gate, practice_gate, questions
from annotation.views.core.decorators import current_user, project_page
from annotation.views.tasks.returned_work import describe_request, list_returned

ROLES = (Role.ANNOTATOR,)
STATUS_LOOKS = {
    AssignmentState.SUBMITTED: ("", "cloud"),
    AssignmentState.ACCEPTED: ("ok", "check"),
    AssignmentState.REJECTED: ("warn", "cross"),
    AssignmentState.SKIPPED: ("", "right"),
}
"""CSS class and icon of a state."""

STATUS_MESSAGES = {
    "submitted": _("Submitted. Thank you; take the next task when you are ready."),
    "skipped": _("Skipped. The task goes to another annotator; your draft is kept."),
    "chosen": _("Topics locked. Take the next task when you are ready."),
    "signed-in": _("You are signed in again. Go back to the tab with your text: it is saved automatically."),
}
NOTICES = {
    "done": {
        "title": _("Everything is written"),
        "text": _("All samples of this project are complete. If one is returned to you, it appears here."),
    },
    "all_yours": {
        "title": _("No tasks left for you"),
        "text": _("You have already had every sample that is still open. The rest is for other annotators."),
    },
    "paused": {
        "title": _("You get no new tasks for now"),
        "text": _("The team has paused your account. You can finish your current tasks, and your work is kept."),
    },
    "quota": {
        "title": _("You have completed all your tasks"),
        "text": _("You have reached your number of tasks. You can finish the ones in progress."),
    },
    "frozen": {
        "title": _("Assignment is paused"),
        "text": _("The team has paused the assignment of tasks. You can finish the ones in progress."),
    },
    "leased": {
        "title": _("No task available right now"),
        "text": _("Others are working on the last ones. If one is released, you can take it. Check again later."),
    },
    pilot_gate.WAITING: {
        "title": _("Pilot submitted"),
        "text": _("The team is reviewing it. You get regular tasks once you are qualified."),
    },
    pilot_gate.REJECTED: {
        "title": _("No tasks for you"),
        "text": _("The team has decided about your pilot. The reason is shown below."),
    },
    pilot_gate.NOT_READY: {
        "title": _("The pilot is not ready"),
        "text": _("Its samples have not been chosen yet. Check again later."),
    },
}
"""Code -> title and text that explain why there is no task."""


@project_page(ROLES)
def my_work(request: HttpRequest, project: Project) -> HttpResponse:
    """Asks only for the sections that have something to show, and never for all that one has ever done."""
    user = current_user(request)
    sections = own_work.find_sections(project, user)
    open_tasks = own_work.list_open_tasks(project, user) if sections.open_tasks else []
    claimed = [TaskRow(task, describe_request(task)) for task in open_tasks if task.state == AssignmentState.CLAIMED]
    returned = list_returned(project, [task for task in open_tasks if task.state == AssignmentState.RETURNED])
    hero = next((line for line in returned if line.is_asked_for), None)
    active_tasks = [row for row in claimed if not row.task.claim.parked]
    pilot_standing = pilot_gate.pilot_progress(project, user) if sections.pilot else None
    counts = own_work.count_own(project, user, is_stored=sections.stored_counts)
    code = request.GET.get("said", "")
    context = {
        "project": project,
        "said": STATUS_MESSAGES.get(code, ""),
        "nothing": NOTICES.get(code) or NOTICES.get(_pilot_block_reason(project, pilot_standing)),
        "limits": quotas.participation_of(project, user) if sections.limits else None,
        "standing": crowd_outcomes.worker_progress(project, user) if sections.crowd else None,
        "held": active_tasks,
        "first": active_tasks[0].task if active_tasks else None,
        "first_request": active_tasks[0].request_text if active_tasks else "",
        "parked": [row for row in claimed if row.task.claim.parked],
        "questions": questions.unseen_questions(project, user) if sections.questions else (),
        "gate": gate.gate_for(project, user) if sections.guideline_news else None,
        "hero": hero,
        "returned": [line for line in returned if line is not hero],
        "counts": counts,
        "pilot": pilot_standing,
        "practice_due": practice_gate.needs_practice(project, user),
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
    if result.reason == consent.CONSENT:
        return redirect("consent", project.slug)
    if result.reason == practice_gate.IN_PRACTICE:
        return redirect("practice", project.slug)
    if (
        result.reason in (quotas.QUOTA, "done", "all_yours")
        and (standing := crowd_outcomes.worker_progress(project, current_user(request))) is not None
    ):
        crowd_outcomes.note_outcome(standing, CrowdOutcome.NO_WORK)
        return redirect("completion", project.slug)
    if result.assignment is None:
        return redirect(f"{reverse('work', args=[project.slug])}?said={result.reason}")
    return redirect("task", result.assignment.public_id)


class TaskRow(NamedTuple):
    """A task and what its sample requests, as text."""

    task: Assignment
    request_text: str


class FinishedRow(NamedTuple):
    """A finished task. source: beside a heading of its own, else "". css_class, icon: of its state. iso, at: when it
    was finished, "" where that is not known."""

    heading: str
    source: str
    state: str
    css_class: str
    icon: str
    iso: str
    at: str
    url: str


def _list_finished(request: HttpRequest, project: Project) -> dict[str, Any]:
    """The finished list from ?before=, an attempt of one's own; what is no such id shows the newest."""
    try:
        before = uuid.UUID(request.GET["before"]) if "before" in request.GET else None
    except ValueError:
        before = None
    tasks, older = own_work.list_finished(project, current_user(request), before=before)
    zone = get_current_timezone()
    rows = [_describe_finished(task, zone) for task in tasks]
    return {"finished_rows": rows, "older": older, "is_later": before}


def _describe_finished(task: own_work.FinishedTask, zone: tzinfo) -> FinishedRow:
    state = AssignmentState(task.state)
    at = task.finished_at.astimezone(zone) if task.finished_at else None
    css_class, icon = STATUS_LOOKS.get(state, ("", "info"))
    return FinishedRow(
        heading=task.title or task.source,
        source=task.source if task.title else "",
        state=str(state.label),
        css_class=css_class,
        icon=icon,
        iso=at.isoformat() if at else "",
        at=write_moment(at, "j F, H:i") if at else "",
        url=reverse("finished" if task.title else "task", args=[task.public_id]),
    )

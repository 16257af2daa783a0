"""An annotator's submitted summary: text, revisions, feedback, and reopening it for revision."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext as _

from annotation.models import Assignment, AssignmentState
from annotation.services.core import access
from annotation.services.core.errors import Conflict
from annotation.services.core.kind_words import name_finished
from annotation.services.tasks import assignments, task_payload
from annotation.services.tasks import revisions as task_revisions
from annotation.services.tasks.revisions import ReturnReason
from annotation.services.tasks.task_context import kind_for, schema_for
from annotation.views.core.decorators import project_zone, signed_in
from annotation.views.core.navigation import set_project
from annotation.views.inspection import messages as inspection_messages
from annotation.views.tasks.returned_work import find_step
from annotation.views.tasks.task_page import build_sheet


def _get_own_assignment(request: HttpRequest, public_id: uuid.UUID) -> Assignment:
    assignment = assignments.get_own_assignment(request.user, public_id)
    project = assignment.project.front
    set_project(request, project, access.roles_of(request.user, project))
    return assignment


@signed_in()
def finished_task(request: HttpRequest, public_id: uuid.UUID) -> HttpResponse:
    assignment = _get_own_assignment(request, public_id)
    revisions = task_revisions.list_revisions(assignment)
    if not revisions:
        return redirect("task", assignment.public_id)
    with timezone.override(project_zone(assignment.project)):
        payload = task_payload.describe_task(assignment)
        schema = schema_for(assignment)
        context = {
            "task": payload,
            "sheet": build_sheet(payload),
            "assignment": assignment,
            "annotation": revisions[-1],
            "revisions": revisions,
            "changes": inspection_messages.list_changes(kind_for(assignment), revisions),
            "feedback": [
                inspection_messages.describe_inspection(row, schema)
                for row in reversed(task_revisions.list_feedback(assignment))
            ],
            "state": AssignmentState(assignment.state).label,
            "can_take_back": task_revisions.can_take_back(assignment),
            "is_taken_back": task_revisions.is_taken_back(assignment),
            "why_returned": returned_notice(assignment) if assignment.state == AssignmentState.RETURNED else "",
        }
        return render(request, "annotation/tasks/finished.html", context)


@signed_in(methods=("POST",))
def revise_summary(request: HttpRequest, public_id: uuid.UUID) -> HttpResponse:
    """Reopen one's own summary and go to the task page; do=leave keeps it as submitted."""
    assignment = _get_own_assignment(request, public_id)
    try:
        if request.POST.get("do") == "leave":
            task_revisions.leave_as_is(assignment=assignment)
            messages.success(request, _("Revision cancelled. What you submitted is unchanged."))
            return redirect("finished", assignment.public_id)
        task_revisions.take_back(assignment=assignment)
    except Conflict as error:
        messages.error(request, error.message)
        return redirect("finished", assignment.public_id)
    return redirect("task", assignment.public_id)


def returned_notice(assignment: Assignment) -> str:
    """The notice on the task page above a summary under revision."""
    feedback = task_revisions.list_feedback(assignment)
    reason = task_revisions.find_return_reasons([assignment])[assignment.pk]
    noun = {"noun": name_finished(assignment.project.kind)}
    if reason == ReturnReason.TAKEN_BACK:
        return _("You reopened this %(noun)s. Edit it and submit it again. Until then the old text counts.") % noun
    if not feedback or reason == ReturnReason.RULES:
        words = _(
            "The rules have changed since you wrote this %(noun)s. Revise it under the new ones and submit it again."
        )
        return words % noun
    feedback_text = inspection_messages.format_feedback(feedback[-1], schema_for(assignment))
    words = _("A reviewer has returned this %(noun)s to you. Revise it and submit it again.") % noun
    return format_html("{} <bdi>{}</bdi>", words, feedback_text)


def find_revision_step(assignment: Assignment) -> int:
    """The step of the task page at which a returned summary is opened: the one that the last feedback is about."""
    feedback = task_revisions.list_feedback(assignment)
    return find_step(feedback[-1] if feedback else None)

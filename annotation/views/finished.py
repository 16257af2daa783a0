"""An annotator's finished summary: the text, its revisions, what reviewers said, and taking it back to revise it."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import Assignment, AssignmentState
from annotation.services import access, describing, revising, work
from annotation.services.asking import schema_for
from annotation.services.errors import Conflict
from annotation.views import inspection_words as said
from annotation.views.common import signed_in, zone_of
from annotation.views.context import set_project
from annotation.views.task_page import sheet


def _own(request: HttpRequest, public_id: uuid.UUID) -> Assignment:
    assignment = work.own_assignment(request.user, public_id)
    project = assignment.project.front
    set_project(request, project, access.roles_of(request.user, project))
    return assignment


@signed_in()
def finished(request: HttpRequest, public_id: uuid.UUID) -> HttpResponse:
    assignment = _own(request, public_id)
    revisions = revising.revisions(assignment)
    if not revisions:
        return redirect("task", assignment.public_id)
    with timezone.override(zone_of(assignment.project)):
        shown = describing.describe(assignment)
        schema = schema_for(assignment)
        context = {
            "task": shown,
            "sheet": sheet(shown),
            "assignment": assignment,
            "annotation": revisions[-1],
            "revisions": revisions,
            "changes": said.changes(revisions),
            "feedback": [said.told(row, schema) for row in reversed(revising.feedback(assignment))],
            "state": AssignmentState(assignment.state).label,
            "can_take_back": revising.can_take_back(assignment),
            "is_taken_back": revising.is_taken_back(assignment),
            "why_returned": returned_said(assignment) if assignment.state == AssignmentState.RETURNED else "",
        }
        return render(request, "annotation/finished.html", context)


@signed_in(methods=("POST",))
def revise(request: HttpRequest, public_id: uuid.UUID) -> HttpResponse:
    """Take one's text back and go to the task page; with do=leave, let it stand as it was handed in."""
    assignment = _own(request, public_id)
    try:
        if request.POST.get("do") == "leave":
            revising.leave_as_is(assignment=assignment)
            messages.success(request, _("Your summary stands as you handed it in."))
            return redirect("finished", assignment.public_id)
        revising.take_back(assignment=assignment)
    except Conflict as error:
        messages.error(request, error.message)
        return redirect("finished", assignment.public_id)
    return redirect("task", assignment.public_id)


def returned_said(assignment: Assignment) -> str:
    """What the task page says above a summary that is revised."""
    feedback = revising.feedback(assignment)
    if revising.is_taken_back(assignment):
        return _("You have taken this summary back. Change it and submit it again; until then the old text is kept.")
    if not feedback or revising.under_older_rules(assignment):
        return _(
            "The rules have changed since you wrote this summary. Revise it under the new ones and submit it again."
        )
    told = said.in_a_sentence(feedback[-1], schema_for(assignment))
    return _("A reviewer has returned this summary to you. Change it and submit it again.") + f" {told}"

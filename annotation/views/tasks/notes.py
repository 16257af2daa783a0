"""Notes on tasks: the annotator's page of one task, and the list for staff."""

import uuid
from typing import NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from annotation.models import NoteState, Project, TaskNote
from annotation.services.core import access
from annotation.services.core.errors import ServiceError
from annotation.services.tasks import assignments, notes
from annotation.views.core.decorators import (
    add_service_error,
    current_user,
    enter_project,
    project_page,
    signed_in,
    zone_override,
)
from annotation.views.core.pagination import filters_of, paginate_rows
from annotation.views.core.shown_names import ShownNames
from annotation.views.tasks.forms import NoteFilter, NoteForm


@signed_in(methods=("GET", "HEAD", "POST"))
def task_notes(request: HttpRequest, public_id: uuid.UUID) -> HttpResponseBase:
    """The notes on one's own task, open or closed, and a form for another one."""
    task = assignments.get_own_assignment(request.user, public_id)
    project = task.project.front
    enter_project(request, project)
    form = NoteForm(request.POST or None)
    with zone_override(project):
        if request.method == "POST" and form.is_valid():
            try:
                notes.write_note(assignment=task, text=form.cleaned_data["text"])
            except ServiceError as error:
                add_service_error(form, error)
            else:
                messages.success(request, _("Note saved."))
                return redirect("task-notes", task.public_id)
        context = {
            "project": project,
            "task": task,
            "form": form,
            "own": notes.list_own_notes(task),
            "earlier_notes": notes.list_notes_for_next(task),
        }
        return render(request, "annotation/tasks/task_notes.html", context, status=422 if form.errors else 200)


class NoteLine(NamedTuple):
    """A note and the name of its annotator, as this reader may see it."""

    note: TaskNote
    annotator_name: str


@project_page(access.STAFF)
def note_list(request: HttpRequest, project: Project) -> HttpResponse:
    state = filters_of(request, NoteFilter).cleaned_data["state"]
    rows = paginate_rows(request, notes.list_notes(project, state))
    names = ShownNames(request, project)
    lines = [NoteLine(row, names.of(row.assignment.annotator)) for row in rows]
    counts = notes.count_notes_by_state(project)
    tabs = [("", _("All"), sum(counts.values()))]
    tabs += [(value, str(label), counts[value]) for value, label in NoteState.choices]
    context = {"project": project, "rows": rows, "lines": lines, "state": state, "tabs": tabs}
    return render(request, "annotation/tasks/notes.html", context)


@project_page(access.STAFF, methods=("POST",))
def change_note(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponseBase:
    """Mark a note as read, release it or hide it; back to the list in the state it was read in."""
    note = access.row_for(current_user(request), TaskNote.objects.filter(project=project), public_id)
    state = request.POST.get("state", "")
    try:
        notes.change_note_state(note=note, by=current_user(request), state=state)
    except ServiceError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _describe_change(state))
    shown = NoteFilter(request.GET)
    query = f"?state={shown.cleaned_data['state']}" if shown.is_valid() and shown.cleaned_data["state"] else ""
    response = redirect("notes", project.slug)
    response["Location"] += query
    return response


def _describe_change(state: str) -> str:
    return {
        NoteState.READ: _("Marked as read."),
        NoteState.RELEASED: _("Note released."),
        NoteState.HIDDEN: _("Note hidden."),
    }[NoteState(state)]

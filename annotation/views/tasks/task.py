"""The annotator's task page: the user's own assignment, editable while open and read-only once closed."""

import uuid
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import Annotation, Assignment, AssignmentState
from annotation.services.core import access
from annotation.services.guidelines import gate
from annotation.services.tasks import assignments, notes, task_context, task_payload
from annotation.views.core.decorators import project_zone, signed_in
from annotation.views.core.navigation import set_project
from annotation.views.core.script_modules import list_imported_modules
from annotation.views.tasks import task_meters
from annotation.views.tasks.finished import find_revision_step, returned_notice
from annotation.views.tasks.kind_pages import find_kind_page
from annotation.views.tasks.messages import script_messages
from annotation.views.tasks.task_page import Sheet, build_sheet, show_place

CALLS = {
    **{name: f"api-{name}" for name in ("choose", "draft", "heartbeat", "skip", "task-notes")},
    "ask": "ask",
    "submit": "submit-and-next",
}
"""Calls of static/js/task.js and their routes; that of the meters is added where they are displayed."""


@signed_in()
def show_task(request: HttpRequest, public_id: uuid.UUID) -> HttpResponse:
    assignment = assignments.get_own_assignment(request.user, public_id)
    project = assignment.project.front
    set_project(request, project, access.roles_of(request.user, project))
    with timezone.override(project_zone(assignment.project)):
        payload = task_payload.describe_task(assignment)
        if assignment.state in AssignmentState.WRITABLE:
            kind_page = find_kind_page(task_context.kind_for(assignment).key)
            context = build_open_context(assignment, payload)
            words, modules = page_messages(payload, context["sheet"]), _page_modules(payload, kind_page.script)
            return render(request, kind_page.template, {**context, "words": words, "modules": modules})
        return render(request, "annotation/tasks/task_closed.html", _closed_context(assignment, payload))


def build_open_context(assignment: Assignment, payload: dict[str, Any]) -> dict[str, Any]:
    """What the templates of an open task expect, but for the script's sentences and modules."""
    page = build_sheet(payload)
    show_place(page, assignment.public_id, task_payload.requests_on_source(assignment))
    page.csrf_cookie = settings.CSRF_COOKIE_NAME
    page.recorded = gate.writer_allows_record(assignment)
    page.api_urls = {name: reverse(route, args=[assignment.public_id]) for name, route in CALLS.items()}
    if assignment.state in AssignmentState.LATE:
        page.notice = _(
            "Your time for this task has expired. You can continue: your summary counts if the task is still free, "
            "otherwise it is kept as an extra one."
        )
    elif assignment.state == AssignmentState.RETURNED:
        page.notice = returned_notice(assignment)
        page.open_step = find_revision_step(assignment)
    context = {
        "task": payload,
        "sheet": page,
        "assignment": assignment,
        "meters": None,
        "earlier_notes": notes.list_notes_for_next(assignment),
    }
    if not task_meters.shows_all_meters(payload):
        return context
    page.api_urls["meters"] = reverse("api-meters", args=[assignment.public_id])
    return {**context, **_meter_context(payload)}


def _meter_context(payload: dict[str, Any]) -> dict[str, Any]:
    """Additional context where all meters are shown."""
    return {
        "meters": task_meters.build_meters(payload),
        "length_asked": task_meters.length_meter(payload),
        "shows_topics": task_meters.has_topic_words(payload),
    }


def page_messages(payload: dict[str, Any], sheet: Sheet) -> dict[str, Any]:
    """The sentences that the page's script shows."""
    meters = task_meters.meter_messages() if task_meters.shows_all_meters(payload) else {}
    script_words = find_kind_page(payload["kind"]).script_words
    of_kind = script_words(sheet.subject) if script_words else {}
    return {**script_messages(), **meters, **of_kind}


def _page_modules(payload: dict[str, Any], script: str) -> tuple[str, ...]:
    meters = task_meters.list_meter_modules() if task_meters.shows_all_meters(payload) else ()
    return (*list_imported_modules(script), *meters)


def _closed_context(assignment: Assignment, payload: dict[str, Any]) -> dict[str, Any]:
    last = Annotation.objects.filter(assignment_id=assignment.pk).order_by("-revision").first()
    return {
        "task": payload,
        "sheet": build_sheet(payload),
        "assignment": assignment,
        "annotation": last,
        "state": AssignmentState(assignment.state).label,
        "skipped": assignment.state == AssignmentState.SKIPPED,
    }

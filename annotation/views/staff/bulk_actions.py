"""Bulk actions of staff on tasks: preview, execute, undo; and freezing the project."""

import re

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import AssignmentState, BulkAction, Project
from annotation.services.core import access
from annotation.services.core.errors import Conflict, NotFound, ServiceError
from annotation.services.staff import bulk_actions
from annotation.services.staff import release_and_void as release_and_void
from annotation.views.core.decorators import add_service_error, current_user, project_page
from annotation.views.core.pagination import paginate_rows
from annotation.views.core.public_ids import parse_uuid
from annotation.views.staff.forms import SteerForm


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def steering_page(request: HttpRequest, project: Project) -> HttpResponse:
    """Preview a bulk action, then execute it with the number of tasks shown; list past actions for undo."""
    action = request.POST.get("do", "")
    if request.method == "POST" and action in ("freeze", "unfreeze", "undo"):
        return _handle_action(request, project, action)
    form = SteerForm(request.POST or None)
    preview = None
    if request.method == "POST" and form.is_valid():
        try:
            if action == "act":
                bulk_actions.execute_action(
                    project, form.asked(), by=current_user(request), expect=_parse_expected_count(request, form)
                )
                messages.success(request, _("Done. You can undo it below."))
                return redirect("steering", project.slug)
            preview = bulk_actions.preview_action(project, form.asked())
        except ServiceError as error:
            add_service_error(form, error)
    actions = BulkAction.objects.filter(project=project).select_related("person", "other", "by").order_by("-pk")
    context = {
        "project": project,
        "form": form,
        "preview": preview,
        "about": _build_preview_key(form) if preview else "",
        "states": [(AssignmentState(state).label, n) for state, n in preview.states.items()] if preview else [],
        "rows": paginate_rows(request, actions),
    }
    return render(request, "annotation/staff/steering.html", context, status=422 if form.errors else 200)


def _build_preview_key(form: SteerForm) -> str:
    """A key of the form values, to detect a form that was changed after its preview."""
    return " ".join(
        str(form.cleaned_data[name] or "-") for name in ("kind", "since", "until", "n", "days", "to", "person")
    )


def _parse_expected_count(request: HttpRequest, form: SteerForm) -> int:
    """The number of tasks in the preview. Raises Conflict when the preview was for other form values."""
    expect = request.POST.get("expect", "")
    if request.POST.get("about", "") != _build_preview_key(form) or not re.fullmatch("[0-9]{1,9}", expect):
        raise Conflict(_("Preview the change first."), code="changed")
    return int(expect)


def _handle_action(request: HttpRequest, project: Project, action: str) -> HttpResponse:
    try:
        if action == "freeze":
            release_and_void.freeze_project(project=project, by=current_user(request))
        elif action == "unfreeze":
            release_and_void.unfreeze_project(project=project, by=current_user(request))
        else:
            n = release_and_void.undo_action(
                action=release_and_void.get_action(project, parse_uuid(request.POST.get("action", ""))),
                by=current_user(request),
            )
            message = ngettext("Undone: %(n)d task was restored.", "Undone: %(n)d tasks were restored.", n)
            messages.success(request, message % {"n": n})
    except ServiceError as error:
        if isinstance(error, NotFound):
            raise
        messages.error(request, error.message)
    return redirect("steering", project.slug)

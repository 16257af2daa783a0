"""Withdrawals: the list of past withdrawals, and the form with its preview."""

import re
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services.core import access
from annotation.services.core.errors import BadInput, Conflict, ServiceError
from annotation.services.withdrawal import withdraw as withdrawal
from annotation.views.core.decorators import add_service_error, current_user, project_page
from annotation.views.core.pagination import paginate_rows
from annotation.views.withdrawal.forms import PARTS, WithdrawalForm


@project_page(access.ADMINS, methods=["GET", "HEAD", "POST"])
def manage_withdrawals(request: HttpRequest, project: Project) -> HttpResponse:
    form = WithdrawalForm(request.POST or None)
    preview, about = None, ""
    if request.method == "POST" and form.is_valid():
        about = " ".join([*(name for name in PARTS if form.cleaned_data[name]), form.cleaned_data["person"]])
        try:
            arguments: dict[str, Any] = {"project": project, "asked": form.asked(), "by": current_user(request)}
            arguments["person"] = _find_person(project, form.cleaned_data["person"])
            if request.POST.get("do") == "withdraw":
                withdrawal.withdraw_person(expect=_parse_expected_count(request, about), **arguments)
                messages.success(request, _("Withdrawn. It is listed below and in the audit log."))
                return redirect("withdrawals", project.slug)
            preview = withdrawal.preview_withdrawal(**arguments)
        except ServiceError as error:
            add_service_error(form, error)
    rows = paginate_rows(request, withdrawal.list_withdrawals(project))
    context = {
        "project": project,
        "form": form,
        "shown": preview,
        "about": about,
        "lines": _label_counts(preview.counts) if preview else [],
        "rows": rows,
        "told": [(row, _label_counts(row.counts)) for row in rows],
    }
    return render(request, "annotation/withdrawal/withdrawals.html", context, status=422 if form.errors else 200)


def _find_person(project: Project, name: str) -> Any:
    try:
        return withdrawal.get_participant(project, name)
    except BadInput:
        return withdrawal.get_person_by_external_id(project, name)


def _parse_expected_count(request: HttpRequest, about: str) -> int:
    expect = request.POST.get("expect", "")
    if request.POST.get("about", "") != about or not re.fullmatch("[0-9]{1,9}", expect):
        raise Conflict(_("Preview the change first."), code="changed")
    return int(expect)


def _label_counts(counts: dict[str, int]) -> list[tuple[str, int]]:
    return [(withdrawal.label_of(name), n) for name, n in counts.items()]

"""Contrastive examples that everybody found neither hard to read nor wrong: the list, and their exclusion."""

import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Project
from annotation.services.core import access
from annotation.services.core.errors import NotFound, ServiceError
from annotation.views.core.decorators import current_user, project_page
from evaluation.models import Round, RoundState
from evaluation.services.reports import example_verdicts
from evaluation.services.reports.example_verdicts import HarmlessExample
from evaluation.views.rating.item_page import mark_text
from evaluation.views.reports.reports import find_launched_round

REFUSED = 422


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def review_examples(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """Show the examples with their state; POST excludes the selected ones."""
    round_ = find_launched_round(project, public_id)
    if not round_.rules.is_contrastive:
        raise NotFound()
    if round_.state != RoundState.UNBLINDED:
        return redirect("round-report", project.slug, public_id)
    fault = ""
    if request.method == "POST":
        try:
            return _exclude_selected(request, round_)
        except ServiceError as error:
            fault = error.message
    rows = example_verdicts.list_harmless(round_)
    context = {
        "project": project,
        "round": round_,
        "rows": [_describe_row(row) for row in rows],
        "n_active": sum(row.is_active for row in rows),
        "fault": fault,
    }
    return render(request, "evaluation/reports/examples.html", context, status=REFUSED if fault else 200)


def _exclude_selected(request: HttpRequest, round_: Round) -> HttpResponse:
    """Raises ServiceError."""
    ids = [int(value) for value in request.POST.getlist("example") if value.isdecimal() and len(value) < 19]
    n_excluded = example_verdicts.exclude_harmless(round_=round_, ids=ids, by=current_user(request))
    message = ngettext("%(n)d example excluded.", "%(n)d examples excluded.", n_excluded)
    messages.success(request, message % {"n": n_excluded})
    return redirect("round-examples", round_.project.slug, round_.public_id)


def _describe_row(row: HarmlessExample) -> dict[str, Any]:
    labels = {
        "": _("replaced or deleted since"),
        "active": "",
        "excluded": _("excluded"),
        "withdrawn": _("withdrawn with its summary"),
    }
    marked = mark_text(row.text, row.marks)
    return {"example": row, "value": str(row.pk), "marked": marked, "label": labels.get(row.state, row.state)}

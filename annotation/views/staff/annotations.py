"""The list of summaries, with allow-listed filters and sorting and a constant number of queries."""

from typing import Any

from django.contrib.auth.models import User
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from annotation.models import Annotation, AssignmentState, Membership, Project
from annotation.services.core import access
from annotation.services.core.list_pages import rows_of_project
from annotation.services.core.text_search import contains
from annotation.services.inspection.weekly_sample import week_bounds
from annotation.services.tasks import authorship
from annotation.views.core.decorators import project_page
from annotation.views.core.list_filters import list_active
from annotation.views.core.pagination import filters_of, paginate_rows
from annotation.views.core.sorting import Column, parse_sorting
from annotation.views.staff.forms import AnnotationFilters

COLUMNS = (
    Column("sample", _("Sample"), ("project_id", "sample_id", "pk")),
    Column("revision", _("Revision"), ("revision", "pk"), number=True),
    Column("person", _("Annotator"), ("assignment__annotator_id", "assignment_id", "pk")),
    Column("state", _("State"), ("assignment__state", "assignment_id", "pk")),
    Column("submitted", pgettext_lazy("time", "Submitted"), ("project_id", "pk")),
)

MOST_PEOPLE = 1000


@project_page(access.STAFF)
def annotation_list(request: HttpRequest, project: Project) -> HttpResponse:
    form = filters_of(request, AnnotationFilters, project=project)
    headings, order = parse_sorting(request, COLUMNS, default="-submitted")
    rows = _filter_rows(project, form.cleaned_data)
    if order[0].lstrip("-").startswith("assignment__"):
        rows = rows.filter(assignment__project=project)
    page = paginate_rows(request, rows.order_by(*order), project=project)
    context = {
        "project": project,
        "form": form,
        "columns": headings,
        "rows": page,
        "summaries": _read_rows(page.object_list),
        "filtered": any(form.cleaned_data.values()),
        "active": list_active(request, form),
    }
    return render(request, "annotation/staff/annotations.html", context)


def _filter_rows(project: Project, filters: dict[str, Any]) -> Any:
    """The project of an attempt is the one of its summaries: where an attempt is asked for, both are named, so that the
    database can begin with either."""
    rows = rows_of_project(Annotation.objects.filter(assignment__isnull=False, sample__isnull=False), project)
    if filters["state"]:
        rows = rows.filter(assignment__state=filters["state"], assignment__project=project)
    if filters["person"]:
        # By the keys and not the names, so that the database knows how many rows to expect.
        members = Membership.objects.filter(project=project).values("user")
        members_now = User.objects.filter(pk__in=members).order_by("pk").values_list("pk", flat=True)
        exact = User.objects.filter(username=filters["person"]).values_list("pk", flat=True)[:1]
        keys = list(exact) or list(members_now.filter(contains(filters["person"], "username"))[:MOST_PEOPLE])
        rows = rows.filter(assignment__annotator_id__in=keys or [0], assignment__project=project)
    if filters["combination"]:
        rows = rows.filter(sample__combination=filters["combination"])
    if filters["pasted"]:
        rows = rows.filter(outside_paste__gte=authorship.LARGE)
    if filters["as_suggested"]:
        rows = rows.filter(as_suggested=True)
    if filters["week"]:
        start, end = week_bounds(filters["week"], project)
        rows = rows.filter(created_at__gte=start, created_at__lt=end)
    return rows


def _read_rows(page: Any) -> list[dict[str, Any]]:
    """The rows of a page: columns of the summary, its attempt and its sample, and the state in words."""
    columns = {
        "state": F("assignment__state"),
        "annotator": F("assignment__annotator__username"),
        "source": F("sample__document__external_id"),
        "position": F("sample__position"),
        "combination": F("sample__combination"),
    }
    rows = page.values("public_id", "revision", "created_at", **columns)
    return [{**row, "state_label": AssignmentState(row["state"]).label} for row in rows]

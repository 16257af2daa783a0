"""The list of summaries, with allow-listed filters and sorting and a constant number of queries."""

from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _

from annotation.models import Annotation, Project, SourceDocument
from annotation.services.core import access
from annotation.services.inspection.weekly_sample import week_bounds
from annotation.services.tasks import authorship
from annotation.views.core.decorators import project_page
from annotation.views.core.pagination import filters_of, paginate_rows
from annotation.views.core.sorting import Column, parse_sorting
from annotation.views.staff.forms import AnnotationFilters

COLUMNS = (
    Column("sample", _("Sample"), ("sample_id", "pk")),
    Column("revision", _("Revision"), ("revision", "pk"), number=True),
    Column("person", _("Annotator"), ("assignment__annotator_id", "pk")),
    Column("state", _("State"), ("assignment__state", "pk")),
    Column("submitted", _("Handed in"), ("pk",)),
)


@project_page(access.STAFF)
def annotation_list(request: HttpRequest, project: Project) -> HttpResponse:
    form = filters_of(request, AnnotationFilters)
    headings, order = parse_sorting(request, COLUMNS, default="-submitted")
    rows = _filter_rows(project, form.cleaned_data)
    listed = rows.select_related("assignment", "sample").defer(
        "payload", "timings", "response", "raw_json", "authorship"
    )
    page = paginate_rows(request, listed.order_by(*order))
    context = {
        "project": project,
        "form": form,
        "columns": headings,
        "rows": page,
        "lines": _build_lines(list(page.object_list)),
        "filtered": any(form.cleaned_data.values()),
    }
    return render(request, "annotation/staff/annotations.html", context)


def _filter_rows(project: Project, filters: dict[str, Any]) -> Any:
    rows = Annotation.objects.filter(project=project, assignment__isnull=False, sample__isnull=False)
    if filters["state"]:
        rows = rows.filter(assignment__state=filters["state"])
    if filters["person"]:
        rows = rows.filter(assignment__annotator__username=filters["person"])
    if filters["combination"]:
        rows = rows.filter(sample__combination=filters["combination"])
    if filters["pasted"]:
        rows = rows.filter(outside_paste__gte=authorship.LARGE)
    if filters["week"]:
        start, end = week_bounds(filters["week"], project)
        rows = rows.filter(created_at__gte=start, created_at__lt=end)
    return rows


class SummaryLine(NamedTuple):
    """A summary with its source and its writer."""

    annotation: Annotation
    source: SourceDocument
    writer: User


def _build_lines(rows: list[Annotation]) -> list[SummaryLine]:
    """The lines of a page, with two queries."""
    people = User.objects.only("username").in_bulk({row.assignment.annotator_id for row in rows if row.assignment})
    documents = {row.sample.document_id for row in rows if row.sample}
    sources = SourceDocument.everything.only("public_id", "external_id").in_bulk(documents)
    lines = []
    for row in rows:
        assert row.assignment is not None and row.sample is not None  # guaranteed by the filter
        lines.append(SummaryLine(row, sources[row.sample.document_id], people[row.assignment.annotator_id]))
    return lines

"""The list of summaries, with allow-listed filters and sorting and a constant number of queries."""

from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.timezone import get_current_timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from annotation.models import Annotation, AssignmentState, Membership, Project
from annotation.services.core import access
from annotation.services.core.day_words import write_moment
from annotation.services.core.list_pages import PageColumns, rows_of_project
from annotation.services.core.page_urls import page_url
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
    Column("person", _("Annotator"), ("assignment__project_id", "assignment__annotator_id", "assignment_id", "pk")),
    Column("state", _("State"), ("assignment__project_id", "assignment__state", "assignment_id", "pk")),
    Column("submitted", pgettext_lazy("time", "Submitted"), ("project_id", "pk")),
)

MOST_PEOPLE = 1000
LISTED = PageColumns(
    Annotation,
    (
        *("public_id", "revision", "created_at", "assignment__state", "assignment__annotator__username"),
        *("sample__position", "sample__combination", "sample__document__external_id"),
    ),
)


@project_page(access.STAFF)
def annotation_list(request: HttpRequest, project: Project) -> HttpResponse:
    form = filters_of(request, AnnotationFilters, project=project)
    headings, order = parse_sorting(request, COLUMNS, default="-submitted")
    # The project of an attempt is the one of its summaries: named too, the database can begin with either. As a range
    # only where rows are in the order of attempts (see `rows_of_project`): for one value it finds a state at once.
    of_attempts = {"assignment__project": project.pk}
    by_attempt = order[0].endswith("assignment__project_id")
    if by_attempt:
        of_attempts = {"assignment__project__gte": project.pk, "assignment__project__lte": project.pk}
    rows = _filter_rows(project, form.cleaned_data, of_attempts)
    if by_attempt:
        rows = rows.filter(**of_attempts)
    page = paginate_rows(request, rows.only("pk").order_by(*order), project=project)
    context = {
        "project": project,
        "form": form,
        "columns": headings,
        "rows": page,
        "lines": _build_lines(project, LISTED.read(page)),
        "filtered": any(form.cleaned_data.values()),
        "active": list_active(request, form),
    }
    return render(request, "annotation/staff/annotations.html", context)


def _filter_rows(project: Project, filters: dict[str, Any], of_attempts: dict[str, int]) -> Any:
    rows = rows_of_project(Annotation.objects.filter(assignment__isnull=False, sample__isnull=False), project)
    if filters["state"]:
        rows = rows.filter(assignment__state=filters["state"], **of_attempts)
    if filters["person"]:
        # By the keys and not the names, so that the database knows how many rows to expect.
        members = Membership.objects.filter(project=project).values("user")
        members_now = User.objects.filter(pk__in=members).order_by("pk").values_list("pk", flat=True)
        exact = User.objects.filter(username=filters["person"]).values_list("pk", flat=True)[:1]
        keys = list(exact) or list(members_now.filter(contains(filters["person"], "username"))[:MOST_PEOPLE])
        rows = rows.filter(assignment__annotator_id__in=keys or [0], **of_attempts)
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


class SummaryLine(NamedTuple):
    """One line of the list, in the order in which its template takes it apart (see the sample list)."""

    url: str
    name: str
    revision: str
    writer: str
    state: str
    time: str
    moment: str
    combination: str


def _build_lines(project: Project, rows: list[tuple[Any, ...]]) -> list[SummaryLine]:
    """The lines of a page, of the columns of `LISTED`."""
    labels = {state.value: str(state.label) for state in AssignmentState}
    zone = get_current_timezone()
    lines = []
    for _key, public_id, revision, created_at, state, writer, position, combination, source in rows:
        local = created_at.astimezone(zone)
        lines.append(
            SummaryLine(
                url=page_url("inspect", public_id, slug=project.slug),
                name=f"{source}#{position}",
                revision=str(revision),
                writer=writer,
                state=labels[state],
                time=local.isoformat(),
                moment=write_moment(local),
                combination=combination,
            )
        )
    return lines

"""The reviewers' queue: what is to be inspected in a week, how each annotator stands, and accepting a week."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation.forms import StyledForm
from annotation.models import InspectionSample, InspectionWeek, Project
from annotation.services import acceptance as figures
from annotation.services import access, inspection_weeks
from annotation.services import inspection_lists as lists
from annotation.services.errors import NotFound, ServiceError
from annotation.services.inspection_weeks import LEAST, PASS, SHARE, TWICE
from annotation.services.pseudonyms import Pseudonyms
from annotation.views.common import filters_of, paged, person, project_page
from annotation.views.inspection_words import labels, line

RULE = {"share": SHARE, "least": LEAST, "twice": TWICE, "passing": PASS}
AGAIN_SHOWN = 20


class QueueFilters(StyledForm):
    """Allowed filters of the queue, and nothing else."""

    week = forms.RegexField(
        inspection_weeks.WEEK, label=gettext_lazy("Week"), required=False, strip=False, widget=forms.HiddenInput
    )
    annotator = forms.RegexField(r"^[0-9a-f]{12}\Z", label=gettext_lazy("Annotator"), required=False)
    state = forms.ChoiceField(
        label=gettext_lazy("State"),
        required=False,
        choices=[("", gettext_lazy("all")), ("open", gettext_lazy("to inspect")), ("done", gettext_lazy("inspected"))],
    )


@project_page(access.STAFF)
def inspection(request: HttpRequest, project: Project) -> HttpResponse:
    values = filters_of(request, QueueFilters).cleaned_data
    running = inspection_weeks.week_of(timezone.now(), project)
    weeks = lists.weeks(project, now_week=running)
    week = values["week"] or lists.week_to_open(project, now_week=running)
    standings = lists.standings(project, week)
    names = {one.pseudonym: one.annotator for one in standings}
    annotator = names.get(values["annotator"], 0) if values["annotator"] else None
    reviewer = person(request)
    rows = lists.queue(project=project, reviewer=reviewer, week=week, annotator=annotator, state=values["state"])
    found = paged(request, rows)
    for row in found:
        _show(row, request, Pseudonyms(project))
    again = list(lists.sent_again(project)[:AGAIN_SHOWN])
    context = {
        "project": project,
        "rule": RULE,
        "week": week,
        "weeks": weeks,
        "running": running,
        "drawn": InspectionWeek.objects.filter(project=project, week=week).first(),
        "standings": standings,
        "values": values,
        "rows": found,
        "again": again,
        "next": lists.next_for(project=project, reviewer=reviewer),
        "agreement": _agreement(project),
    }
    return render(request, "annotation/inspection.html", context)


def _show(row: InspectionSample, request: HttpRequest, names: Pseudonyms) -> None:
    """Put on a row of the queue what its line shows."""
    shown: Any = row
    shown.pseudonym = names.of(row.annotator_id)
    shown.open_here = lists.open_here(row, person(request))
    shown.address = row.annotation.public_id if shown.looked else shown.newest
    shown.line = line("", shown.verdict) if shown.verdict else None
    later = shown.latest if not row.second and shown.verdict and shown.latest != shown.verdict else None
    shown.later = line("", later) if later else None
    shown.waits = not shown.line and not shown.looked and shown.attempt_state == "returned"


def _agreement(project: Project) -> list[tuple[str, int, int]]:
    """(part, same, pairs), overall first; empty without pairs."""
    found = figures.agreement(project)
    if not found.overall[1]:
        return []
    names = labels(project.schema_version.schema)
    parts = [(names.get(key, key), *found.parts[key]) for key in figures.in_order(project, found.parts)]
    return [(_("Overall"), *found.overall), *parts]


@project_page(access.STAFF, methods=("POST",))
def draw(request: HttpRequest, project: Project) -> HttpResponse:
    week = request.POST.get("week") or inspection_weeks.week_of(timezone.now(), project)
    added = inspection_weeks.draw(project=project, week=week, by=person(request))
    said = ngettext("%(n)d inspection was added.", "%(n)d inspections were added.", added) % {"n": added}
    messages.success(request, said)
    return _to_week(project, week)


def _to_week(project: Project, week: str) -> HttpResponse:
    address = redirect("inspection", project.slug)
    address["Location"] += f"?week={week}"
    return address


@project_page(access.STAFF, methods=("POST",))
def next_inspection(request: HttpRequest, project: Project) -> HttpResponse:
    """To what this reviewer inspects next, else back to the queue."""
    found = lists.next_for(project=project, reviewer=person(request))
    if found is None:
        messages.info(request, _("Nothing is left for you to inspect."))
        return redirect("inspection", project.slug)
    return redirect("inspect", project.slug, found)


@project_page(access.STAFF, methods=("GET", "HEAD", "POST"))
def week(request: HttpRequest, project: Project) -> HttpResponse:
    """One annotator's week: how it stands, and (after this preview) accepting the rest or listing it in full."""
    given = request.POST if request.method == "POST" else request.GET
    name, pseudonym = given.get("week", ""), given.get("annotator", "")
    if not name or not pseudonym:
        return redirect("inspection", project.slug)
    standing = next((one for one in lists.standings(project, name) if one.pseudonym == pseudonym), None)
    if standing is None:
        raise NotFound(_("Nobody of this name handed something in that week."))
    if request.method == "POST":
        return _act(request, project, name, standing)
    rest = lists.rest_of_week(project, name, standing.annotator)
    context = {
        "project": project,
        "rule": RULE,
        "week": name,
        "standing": standing,
        "rest": paged(request, rest.select_related("sample__document").defer("sample__document__metadata_json")),
    }
    return render(request, "annotation/inspection_week.html", context)


def _act(request: HttpRequest, project: Project, week: str, standing: lists.Standing) -> HttpResponse:
    annotator, by = standing.annotator, person(request)
    expected = request.POST.get("expected", "")
    try:
        if request.POST.get("do") == "accept":
            number = int(expected) if expected.isascii() and expected.isdigit() and len(expected) < 9 else -1
            n = lists.accept_rest(project=project, week=week, annotator=annotator, expected=number, by=by)
            said = ngettext("%(n)d summary is accepted.", "%(n)d summaries are accepted.", n)
        else:
            n = inspection_weeks.inspect_in_full(project=project, week=week, annotator=annotator, by=by)
            said = ngettext("%(n)d inspection was added.", "%(n)d inspections were added.", n)
        messages.success(request, said % {"n": n})
    except ServiceError as error:
        messages.error(request, error.message)
    return _to_week(project, week)


@project_page(access.STAFF)
def acceptance(request: HttpRequest, project: Project) -> HttpResponse:
    found = figures.acceptance(project)
    names = labels(project.schema_version.schema)
    context = {
        "project": project,
        "heads": [names.get(key, key) for key in found.keys],
        "rows": [(week, who, tally, _cells(tally, found.keys)) for week, who, tally in found.rows],
        "total": found.total,
        "totals": _cells(found.total, found.keys),
    }
    return render(request, "annotation/inspection_acceptance.html", context)


def _cells(tally: figures.Tally, keys: list[str]) -> list[tuple[int, int]]:
    """(accepted, inspected) of each part."""
    return [(tally.parts[key]["accept"], tally.parts[key].total()) if key in tally.parts else (0, 0) for key in keys]

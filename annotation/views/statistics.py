"""The statistics of a dataset: tables and figures, their files, and the jobs that work them out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import get_valid_filename
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.figures.charts import chart_from
from annotation.figures.svg import Svg, standalone
from annotation.figures.tables import Cell, Table
from annotation.forms import StyledForm
from annotation.models import Project
from annotation.services import access, scoring
from annotation.services import statistics as service
from annotation.services.errors import BadInput, NotFound
from annotation.views.common import person, project_page
from annotation.views.shown_tables import ShownTable, show

NO_SPLIT = "-"
"""In addresses: sources without a split."""
OPEN = ("size", "control", "combinations", "arms", "crossings")
"""Tables that stand open; the others are under their figures, one click away."""
ENDINGS = {"csv": "text/csv", "tex": "application/x-tex", "svg": "image/svg+xml", "json": "application/json"}


class StatisticsFilters(StyledForm):
    """Allowed filters of the page, and nothing else."""

    split = forms.ChoiceField(label=gettext_lazy("Split"), required=False)
    origin = forms.ChoiceField(
        label=gettext_lazy("Written by"),
        required=False,
        choices=[
            ("", gettext_lazy("all")),
            ("people", gettext_lazy("people here")),
            ("imported", gettext_lazy("imported references")),
        ],
    )
    state = forms.ChoiceField(
        label=gettext_lazy("State"),
        required=False,
        choices=[("", gettext_lazy("latest")), ("accepted", gettext_lazy("accepted or imported"))],
    )

    def __init__(self, data: QueryDict, splits: Sequence[str]) -> None:
        super().__init__(data)
        named = [(split or NO_SPLIT, split or _("no split")) for split in splits]
        self.fields["split"].choices = [("", _("all")), *named]  # type: ignore[attr-defined]

    def chosen(self, splits: Sequence[str]) -> service.Filter:
        """What the form says. A dataset of one split is the same with and without naming it."""
        values = self.cleaned_data
        split = values["split"] if len(splits) > 1 and values["split"] else service.ALL
        return service.Filter(
            "" if split == NO_SPLIT else split, values["origin"] or "all", values["state"] or "latest"
        )


@dataclass
class Section:
    """One part of the page: what stands out in words, figures, a table."""

    shown: ShownTable
    figures: list[tuple[str, Svg]]
    caption: str
    flags: list[str]
    is_open: bool


@project_page(access.STAFF)
def statistics(request: HttpRequest, project: Project) -> HttpResponse:
    version, n = service.data_version(project)
    form, found = _asked(request, project)
    stale = found is not None and found.version != version
    measuring = service.is_measured_now(project)
    context = {
        "project": project,
        "form": form,
        "found": found,
        "view": found.view if found else None,
        "sections": _sections(project, found.view) if found and found.view else [],
        "stale": stale,
        "job": service.under_way(project),
        "n": n,
        "auto": (stale or found is None) and not measuring and _starts_itself(project, version, n),
        "measuring": measuring,
        "query": request.GET.urlencode(),
        "words": {
            "of": _("{done} of {total}"),
            "done": _("{done} done"),
            "silent": _("No answer right now; asking again."),
        },
    }
    return render(request, "annotation/statistics.html", context)


def _starts_itself(project: Project, version: str, n: int) -> bool:
    """Small datasets are worked out as soon as somebody looks, once per state of the data."""
    return 0 < n <= service.SMALL and not service.tried(project, version)


def _asked(request: HttpRequest, project: Project) -> tuple[StatisticsFilters, service.Stored | None]:
    """The checked filters and what is stored for them."""
    splits = service.stored_splits(project)
    form = StatisticsFilters(request.GET, splits or [])
    if not form.is_valid():
        name, faults = next(iter(form.errors.items()))
        raise BadInput(f"{name}: {faults[0]}", field=name)
    return form, service.stored(project, form.chosen(splits or [])) if splits is not None else None


def _sections(project: Project, view: dict[str, Any]) -> list[Section]:
    sources = reverse("documents", args=[project.slug])

    def source_url(row: list[Cell]) -> str:
        return f"{sources}{row[-1].value}/"

    found = []
    for section in view["sections"]:
        table = Table.from_json(section["table"])
        shown = show(table, source_url if table.key == "anchors" else None)
        figures = [(chart["key"], chart_from(chart).draw()) for chart in section["charts"]]
        found.append(Section(shown, figures, section["caption"], section["flags"], table.key in OPEN))
    return found


@project_page(access.MAKERS, methods=["POST"])
def start(request: HttpRequest, project: Project) -> HttpResponse:
    """Begin to work the statistics out, or (do=score) to measure what is not measured yet."""
    if request.POST.get("do") == "score":
        job = scoring.start_scoring(project=project, by=person(request))
        messages.info(request, _("The summaries are measured in the background; you may leave this page."))
        return redirect("job", job.public_id)
    service.start(project=project, by=person(request))
    return redirect("statistics", project.slug)


@project_page(access.STAFF)
def download(request: HttpRequest, project: Project) -> HttpResponse:
    """One table (?table=size&format=csv, tex or json) or figure (?figure=control-length), with the page's filters."""
    _form, found = _asked(request, project)
    view = found.view if found else None
    name = request.GET.get("figure") or request.GET.get("table") or ""
    text, ending = _file(view, name, request.GET) if view else ("", "")
    if not text:
        raise NotFound(_("There is no such table or figure. Open the statistics page and take it from there."))
    response = HttpResponse(text, content_type=f"{ENDINGS[ending]}; charset=utf-8")
    shown = get_valid_filename(f"{project.slug}-{name}.{ending}")
    response["Content-Disposition"] = f'attachment; filename="{shown}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _file(view: dict[str, Any], name: str, query: QueryDict) -> tuple[str, str]:
    """(text, ending) of a table or a figure; ("", "") where there is none."""
    import json

    for section in view["sections"]:
        if "figure" in query:
            for chart in section["charts"]:
                if chart["key"] == name:
                    return standalone(chart_from(chart).draw()), "svg"
        elif section["table"]["key"] == name:
            table = Table.from_json(section["table"])
            if query.get("format") == "csv":
                return "\ufeff" + table.csv(), "csv"  # the mark lets spreadsheets see that it is UTF-8
            if query.get("format") == "tex":
                return table.latex(), "tex"
            if query.get("format") == "json":
                return json.dumps(table.as_json(), ensure_ascii=False, indent=1), "json"
    return "", ""

"""The statistics of a dataset: tables and figures, their files, and the jobs that compute them."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import get_valid_filename
from django.utils.translation import gettext as _
from django.utils.translation import override

from annotation.models import Project
from annotation.services import statistics as statistics_service
from annotation.services.core import access
from annotation.services.core.errors import BadInput, NotFound
from annotation.services.scores import score_jobs
from annotation.views.core.decorators import current_user, project_page
from annotation.views.jobs.missing_workers import find_missing_worker
from annotation.views.statistics.forms import StatisticsFilters
from epitome.figures.charts import chart_from_json
from epitome.figures.svg import Svg, standalone_svg
from epitome.figures.table_rendering import RenderedTable, render_table
from epitome.figures.tables import Cell, Table
from epitome.site.file_language import FILE_LANGUAGE, writes_file

OPEN = ("size", "control", "combinations", "arms", "markings", "crossings")
"""Tables shown open; the others are collapsed under their figures."""
ENDINGS = {"csv": "text/csv", "tex": "application/x-tex", "svg": "image/svg+xml", "json": "application/json"}


@dataclass
class Section:
    """One section of the page: caption, flags, figures, a table."""

    rendered_table: RenderedTable
    figures: list[tuple[str, Svg]]
    caption: str
    flags: list[str]
    is_open: bool


@project_page(access.STAFF)
def statistics_page(request: HttpRequest, project: Project) -> HttpResponse:
    version, n = statistics_service.data_version(project)
    form, stored = _load_statistics(request, project)
    stale = stored is not None and stored.version != version
    measuring = statistics_service.is_measured_now(project)
    job = statistics_service.job_under_way(project)
    context = {
        "project": project,
        "form": form,
        "found": stored,
        "view": stored.view if stored else None,
        "sections": _build_sections(project, stored.view) if stored and stored.view else [],
        "stale": stale,
        "job": job,
        "missing_worker": find_missing_worker(job),
        "n": n,
        "auto": (stale or stored is None) and not measuring and _should_start(project, version, n),
        "measuring": measuring,
        "query": request.GET.urlencode(),
    }
    return render(request, "annotation/statistics/statistics.html", context)


def _should_start(project: Project, version: str, n: int) -> bool:
    """Whether to start the job on page load: small datasets only, once per state of the data."""
    return 0 < n <= statistics_service.SMALL and not statistics_service.was_tried(project, version)


def _load_statistics(
    request: HttpRequest, project: Project
) -> tuple[StatisticsFilters, statistics_service.StoredStatistics | None]:
    """The validated filter form and the stored statistics for it."""
    splits = statistics_service.stored_splits(project)
    form = StatisticsFilters(request.GET, splits or [])
    if not form.is_valid():
        name, faults = next(iter(form.errors.items()))
        raise BadInput(f"{name}: {faults[0]}", field=name)
    return form, statistics_service.load_statistics(project, form.chosen(splits or [])) if splits is not None else None


@override(FILE_LANGUAGE)
def _build_sections(project: Project, view: dict[str, Any]) -> list[Section]:
    sources = reverse("documents", args=[project.slug])

    def source_url(row: list[Cell]) -> str:
        return f"{sources}{row[-1].value}/"

    sections = []
    for section in view["sections"]:
        table = Table.from_json(section["table"])
        rendered_table = render_table(table, source_url if table.key == "anchors" else None, gettext=_)
        figures = [(chart["key"], chart_from_json(chart).draw()) for chart in section["charts"]]
        sections.append(Section(rendered_table, figures, section["caption"], section["flags"], table.key in OPEN))
    return sections


@project_page(access.MAKERS, methods=["POST"])
def start_statistics(request: HttpRequest, project: Project) -> HttpResponse:
    """Start the statistics job, or (do=score) the job that measures unscored summaries."""
    if request.POST.get("do") == "score":
        job = score_jobs.start_scoring(project=project, by=current_user(request))
        messages.info(request, _("The summaries are being measured in the background. You can leave this page."))
        return redirect("job", job.public_id)
    statistics_service.start_statistics(project=project, by=current_user(request))
    return redirect("statistics", project.slug)


@writes_file
@project_page(access.STAFF)
def download_table(request: HttpRequest, project: Project) -> HttpResponse:
    """One table (?table=size&format=csv, tex or json) or figure (?figure=control-length), with the page's filters."""
    _form, stored = _load_statistics(request, project)
    view = stored.view if stored else None
    name = request.GET.get("figure") or request.GET.get("table") or ""
    text, ending = _build_file(view, name, request.GET) if view else ("", "")
    if not text:
        raise NotFound(_("There is no such table or figure. Open the statistics page and take it from there."))
    response = HttpResponse(text, content_type=f"{ENDINGS[ending]}; charset=utf-8")
    file_name = get_valid_filename(f"{project.slug}-{name}.{ending}")
    response["Content-Disposition"] = f'attachment; filename="{file_name}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _build_file(view: dict[str, Any], name: str, query: QueryDict) -> tuple[str, str]:
    """(text, ending) of a table or a figure; ("", "") where there is none."""
    import json

    for section in view["sections"]:
        if "figure" in query:
            for chart in section["charts"]:
                if chart["key"] == name:
                    return standalone_svg(chart_from_json(chart).draw()), "svg"
        elif section["table"]["key"] == name:
            table = Table.from_json(section["table"])
            if query.get("format") == "csv":
                return "\ufeff" + table.csv(), "csv"  # the byte order mark makes spreadsheets read it as UTF-8
            if query.get("format") == "tex":
                return table.latex(), "tex"
            if query.get("format") == "json":
                return json.dumps(table.as_json(), ensure_ascii=False, indent=1), "json"
    return "", ""

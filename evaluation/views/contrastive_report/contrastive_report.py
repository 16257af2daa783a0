"""How often scorers prefer gold summaries to contrastive examples: tables, failures per tuple, the worst tuples."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services.core import access
from annotation.services.core.errors import BadInput
from annotation.views.core.decorators import add_service_error, project_page
from epitome.site.file_language import writes_file
from epitome.text.diff import Piece
from evaluation.services.contrastive_report import contrastive_tables
from evaluation.services.reports import report_files
from evaluation.views.contrastive_report.forms import ReportForm
from evaluation.views.reports.report_parts import build_sections, render_file
from evaluation.views.runs_compared.paper_tables import file_response
from modelbridge.models import Run

DEFAULT_RUNS = 2
"""Number of runs shown if none is chosen."""
REFUSED = 422


def _choose_runs(form: ReportForm, runs: list[Run]) -> list[Run]:
    """The chosen runs, oldest first, or the newest if none is chosen; of a valid form."""
    names = form.cleaned_data["run"]
    chosen = [run for run in runs if str(run.public_id) in names] if names else runs[:DEFAULT_RUNS]
    return chosen[::-1]


def _read_pieces(worst: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same with the pieces of each difference as the template's filter takes them."""
    return [
        {**run, "tuples": [{**row, "pieces": [Piece(**piece) for piece in row["pieces"]]} for row in run["tuples"]]}
        for run in worst
    ]


@project_page(access.MAKERS)
def show_report(request: HttpRequest, project: Project) -> HttpResponse:
    """?run=ID&run=ID, score=sum or mean, excluded=on."""
    runs = contrastive_tables.list_scored_runs(project)
    form = ReportForm(request.GET, runs)
    report = contrastive_tables.build_contrastive_report(project, [], contrastive_tables.ReportOptions())
    chosen: list[Run] = []
    if form.is_valid():
        chosen = _choose_runs(form, runs)
        try:
            report = contrastive_tables.build_contrastive_report(project, chosen, form.report_options())
        except BadInput as error:
            add_service_error(form, error)
    context = {
        "project": project,
        "form": form,
        "runs": runs,
        "chosen": chosen,
        "sections": build_sections(report),
        "worst": _read_pieces(report["worst"]),
        "query": request.GET.urlencode(),
        "formats": report_files.FORMAT_LABELS,
    }
    status = REFUSED if form.errors else 200
    return render(request, "evaluation/contrastive_report/report.html", context, status=status)


@writes_file
@project_page(access.MAKERS)
def download_report(request: HttpRequest, project: Project) -> HttpResponse:
    """The tables and figures, with the options of a round's report file and the page's choice of runs."""
    runs = contrastive_tables.list_scored_runs(project)
    form = ReportForm(request.GET, runs)
    if not form.is_valid():
        raise BadInput(_("There is no such run."), field="run")
    report = contrastive_tables.build_contrastive_report(project, _choose_runs(form, runs), form.report_options())
    body, name = render_file(report, request)
    return file_response(body, f"{project.slug}-contrastives-{name}")

"""A project's runs as the tables and figures of a paper, and their files."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.text import get_valid_filename
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services import statistics as statistics_service
from annotation.services.core import access
from annotation.services.core.errors import BadInput, NotFound, ServiceError
from annotation.views.core.decorators import current_user, project_page
from annotation.views.jobs.missing_workers import find_missing_worker
from epitome.site.file_language import writes_file
from evaluation.services.reports import report_files
from evaluation.services.runs_compared import table_jobs, table_runs
from evaluation.services.runs_compared.ccsbench_tables import has_ccsbench_length
from evaluation.services.runs_compared.paper_tables import CompositionRuns
from evaluation.views.reports.report_parts import build_sections, render_file
from evaluation.views.runs_compared.forms import RunChoice
from modelbridge.models import Run


def _choose_runs(request: HttpRequest, project: Project) -> tuple[RunChoice, list[Run], CompositionRuns | None]:
    """The validated form, the chosen runs, or the newest if none is chosen, and those of CCSBench's Table 4."""
    runs = table_runs.list_table_runs(project)
    form = RunChoice(request.GET, runs, composes=has_ccsbench_length(project.schema_version.schema))
    if not form.is_valid():
        raise BadInput(_("There is no such run."), field="run")
    together, alone = form.composition_ids()
    composition = table_runs.choose_composition(project, runs, together, alone)
    return form, table_runs.choose_runs(runs, form.cleaned_data["run"]), composition


@project_page(access.MAKERS, methods=("GET", "HEAD", "POST"))
def show_tables(request: HttpRequest, project: Project) -> HttpResponse:
    """?run=ID: the tables of these runs; POST starts the job that computes them."""
    form, runs, composition = _choose_runs(request, project)
    if request.method == "POST":
        try:
            table_jobs.start_tables(project=project, runs=runs, composition=composition, by=current_user(request))
        except ServiceError as error:
            messages.error(request, error.message)
        return redirect(request.get_full_path())
    stored = table_jobs.find_tables(project, runs, composition)
    is_current = stored is not None and stored.is_current
    job = None if is_current else table_jobs.find_running_job(project, runs, composition)
    may_start = not is_current and job is None
    report = stored.views if stored is not None else None
    tables = report["tables"] if report is not None else []
    context = {
        "project": project,
        "form": form,
        "runs": runs,
        "job": job,
        "may_start": may_start,
        "auto": may_start
        and not table_jobs.was_tried(project, runs, composition)
        and not statistics_service.is_measured_now(project),
        "stale": stored is not None and not is_current,
        "missing_worker": find_missing_worker(job),
        "sections": build_sections(report) if report is not None else [],
        "no_systems": bool(runs and report) and not any(table["key"] == "systems" for table in tables),
        "query": request.GET.urlencode(),
        "formats": report_files.FORMAT_LABELS,
    }
    return render(request, "evaluation/runs_compared/tables.html", context)


@writes_file
@project_page(access.MAKERS)
def download_tables(request: HttpRequest, project: Project) -> HttpResponse:
    """Download the tables, with the options of a round's report file and the page's choice of runs."""
    _form, runs, composition = _choose_runs(request, project)
    stored = table_jobs.find_tables(project, runs, composition)
    if stored is None:
        raise NotFound(_("The tables have not been calculated yet."))
    body, name = render_file(stored.views, request)
    return file_response(body, f"{project.slug}-{name}")


def file_response(body: str | bytes, name: str) -> HttpResponse:
    """An attachment response, never displayed as a page."""
    ending = name.rpartition(".")[2]
    kind = report_files.CONTENT_TYPES[ending]
    response = HttpResponse(body, content_type=kind if ending in ("zip", "pdf") else f"{kind}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{get_valid_filename(name)}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response

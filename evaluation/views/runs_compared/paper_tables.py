"""A project's runs as the tables and figures of a paper, and their files."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.text import get_valid_filename
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services.core import access
from annotation.services.core.errors import BadInput
from annotation.views.core.decorators import project_page
from evaluation.services.reports import report_files
from evaluation.services.runs_compared import paper_tables
from evaluation.services.runs_compared.ccsbench_tables import has_ccsbench_length
from evaluation.services.runs_compared.paper_tables import CompositionRuns
from evaluation.views.reports.report_parts import build_sections, render_file
from evaluation.views.runs_compared.forms import RunChoice
from modelbridge.models import Run

MAX_RUNS = 8
DEFAULT_RUNS = 4
"""Number of runs shown if none is chosen."""
MAX_LISTED = 100


def _choose_runs(request: HttpRequest, project: Project) -> tuple[RunChoice, list[Run], CompositionRuns | None]:
    """The validated form, the chosen runs, or the newest if none is chosen, and those of CCSBench's Table 4."""
    rows = Run.objects.writing().done().filter(project=project).select_related("revision__system")
    runs = list(rows.order_by("-pk")[:MAX_LISTED])
    form = RunChoice(request.GET, runs, composes=has_ccsbench_length(project.schema_version.schema))
    if not form.is_valid():
        raise BadInput(_("There is no such run."), field="run")
    names = form.cleaned_data["run"]
    if len(names) > MAX_RUNS:
        raise BadInput(_("Choose at most %(n)s runs.") % {"n": MAX_RUNS}, field="run")
    chosen = [run for run in runs if str(run.public_id) in names] if names else runs[:DEFAULT_RUNS]
    return form, chosen[::-1], _choose_composition(form, {str(run.public_id): run for run in runs})


def _choose_composition(form: RunChoice, runs_by_id: dict[str, Run]) -> CompositionRuns | None:
    """None unless a run trained on all and one trained on a single attribute are chosen."""
    together, alone = form.composition_ids()
    if not together or not alone:
        return None
    return CompositionRuns(runs_by_id[together], {attribute: runs_by_id[key] for attribute, key in alone.items()})


@project_page(access.MAKERS)
def show_tables(request: HttpRequest, project: Project) -> HttpResponse:
    form, runs, composition = _choose_runs(request, project)
    report = paper_tables.build_tables(project, runs, composition)
    context = {
        "project": project,
        "form": form,
        "runs": runs,
        "sections": build_sections(report),
        "no_systems": bool(runs) and not any(table["key"] == "systems" for table in report["tables"]),
        "query": request.GET.urlencode(),
        "formats": report_files.FORMAT_LABELS,
    }
    return render(request, "evaluation/runs_compared/tables.html", context)


@project_page(access.MAKERS)
def download_tables(request: HttpRequest, project: Project) -> HttpResponse:
    """Download the tables, with the options of a round's report file and the page's choice of runs."""
    _form, runs, composition = _choose_runs(request, project)
    body, name = render_file(paper_tables.build_tables(project, runs, composition), request)
    return file_response(body, f"{project.slug}-{name}")


def file_response(body: str | bytes, name: str) -> HttpResponse:
    """An attachment response, never displayed as a page."""
    ending = name.rpartition(".")[2]
    response = HttpResponse(body, content_type=f"{report_files.CONTENT_TYPES[ending]}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{get_valid_filename(name)}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response

"""The page that compares runs with each other and with the human summaries, and the job that computes its table."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services.core import access
from annotation.services.core.errors import NotFound, ServiceError
from annotation.views.core.decorators import current_user, project_page
from annotation.views.jobs.missing_workers import find_missing_worker
from epitome.figures.table_rendering import RenderedTable, render_table
from evaluation.services.runs_compared import score_jobs
from modelbridge.models import Run
from modelbridge.services.runs.refinements import compare_refinements
from modelbridge.services.runs.run_tables import MAX_TEXTS
from modelbridge.services.training.training import schema_of
from modelbridge.views.runs.run_counts import runs_with_counts

MAX_COMPARED = 8


@project_page(access.MAKERS)
def compare_runs(request: HttpRequest, project: Project) -> HttpResponse:
    """?run=ID&run=ID: the runs in one table beside the human summaries, as far as it is stored."""
    chosen = _choose_runs(request, project)
    too_many = sum(row.n_samples for row in chosen) > MAX_TEXTS
    scores = score_jobs.load_scores(project, chosen, compare="1") if chosen and not too_many else None
    rows = runs_with_counts(project).filter(over="").order_by("-pk")[:50]
    context = {
        "project": project,
        "chosen": chosen,
        "scores": scores,
        "missing_worker": find_missing_worker(scores.job) if scores else None,
        "too_many": too_many,
        "refinement": _refinement_table(project, chosen) if not too_many else None,
        "rows": rows,
    }
    return render(request, "evaluation/runs_compared/compare.html", context)


def _refinement_table(project: Project, chosen: list[Run]) -> RenderedTable | None:
    """What refining took, where some of the runs refine."""
    table = compare_refinements(chosen, schema_of(project))
    return render_table(table, gettext=_) if table is not None else None


@project_page(access.MAKERS, methods=["POST"])
def start_scores(request: HttpRequest, project: Project) -> HttpResponse:
    """Start the job for ?run=ID&run=ID and lead back: to the run, or with compare=1 to the comparison."""
    chosen = _choose_runs(request, project)
    if not chosen:
        raise NotFound()
    try:
        score_jobs.start_scores(project=project, runs=chosen, by=current_user(request))
    except ServiceError as error:
        messages.error(request, error.message)
    if len(chosen) == 1 and "compare" not in request.GET:
        return redirect("run", project.slug, chosen[0].public_id)
    query = urlencode([("run", str(run.public_id)) for run in chosen])
    return redirect(f"{reverse('runs-compare', args=[project.slug])}?{query}")


def _choose_runs(request: HttpRequest, project: Project) -> list[Run]:
    """The runs that the address names, in its order."""
    run_ids = [run_id for run_id in dict.fromkeys(request.GET.getlist("run")) if _is_uuid(run_id)][:MAX_COMPARED]
    runs_by_id = {str(row.public_id): row for row in runs_with_counts(project).filter(over="", public_id__in=run_ids)}
    return [runs_by_id[run_id] for run_id in run_ids if run_id in runs_by_id]


def _is_uuid(text: str) -> bool:
    try:
        return str(uuid.UUID(text)) == text
    except ValueError:
        return False

"""The page that compares runs with each other and with the human summaries."""

import uuid

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotation.models import Project
from annotation.services.core import access
from annotation.views.core.decorators import project_page
from evaluation.services.runs_compared import run_comparison, score_tables
from modelbridge.services.runs.run_tables import MAX_TEXTS
from modelbridge.views.runs.run_counts import runs_with_counts

MAX_COMPARED = 8


@project_page(access.MAKERS)
def compare_runs(request: HttpRequest, project: Project) -> HttpResponse:
    """?run=ID&run=ID: the runs in one table beside the human summaries."""
    run_ids = [run_id for run_id in dict.fromkeys(request.GET.getlist("run")) if _is_uuid(run_id)][:MAX_COMPARED]
    runs_by_id = {str(row.public_id): row for row in runs_with_counts(project).filter(over="", public_id__in=run_ids)}
    chosen = [runs_by_id[run_id] for run_id in run_ids if run_id in runs_by_id]
    too_many = sum(row.n_samples for row in chosen) > MAX_TEXTS
    score_table = (
        score_tables.control_table(run_comparison.compare_runs(project, chosen), chosen)
        if chosen and not too_many
        else None
    )
    rows = runs_with_counts(project).filter(over="").order_by("-pk")[:50]
    context = {"project": project, "chosen": chosen, "shown": score_table, "too_many": too_many, "rows": rows}
    return render(request, "evaluation/runs_compared/compare.html", context)


def _is_uuid(text: str) -> bool:
    try:
        return str(uuid.UUID(text)) == text
    except ValueError:
        return False

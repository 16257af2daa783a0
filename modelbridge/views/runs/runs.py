"""Pages of runs: the list, one run, its state for the progress bar, its file."""

import json
import uuid
from collections.abc import Iterator

from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.text import get_valid_filename
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Job, Project
from annotation.services.core import access
from annotation.services.core.errors import NotFound, ServiceError
from annotation.services.core.text_search import contains
from annotation.services.core.word_patterns import join_names
from annotation.views.core.decorators import current_user, project_page
from annotation.views.core.list_filters import list_active
from annotation.views.core.pagination import filters_of, paginate_rows
from annotation.views.jobs.missing_workers import MissingWorker, find_missing_worker
from annotation.views.sources.documents import SAMPLE_PAGES
from epitome.figures.numbers import format_money
from epitome.site.file_language import writes_file
from modelbridge.models import OutputState, Run, RunState
from modelbridge.models.runs import CUT_OFF
from modelbridge.services.runs import outputs, role_results, runs, sample_selection
from modelbridge.services.runs import run_progress as progress
from modelbridge.services.runs.fused_attention import mean_run_attention
from modelbridge.services.runs.run_progress import RunProgress
from modelbridge.services.runs.run_tables import MAX_TEXTS, RUN_TABLES, StoredTable
from modelbridge.services.training.training import schema_of
from modelbridge.views.runs.forms import OutputFilters, RunFilters
from modelbridge.views.runs.refinement_sections import refinement_sections
from modelbridge.views.runs.remedy_messages import describe_remedies
from modelbridge.views.runs.run_counts import runs_with_counts
from modelbridge.views.runs.run_links import RUN_LIST_LINKS, list_run_links
from modelbridge.views.runs.worker_rows import list_worker_rows
from modelbridge.views.systems.labels import format_cost, format_rate
from modelbridge.views.training.method_figures import FigureSection, attention_sections

OUTPUTS_SHOWN = 25
EXCERPT = 240
FILTERS = {
    "done": Q(state=OutputState.DONE),
    "failed": Q(state=OutputState.FAILED),
    "flagged": Q(state=OutputState.DONE) & ~Q(flags=[]),
    "truncated": Q(truncated__gt=0),
    "cut-off": CUT_OFF,
}


def find_run(project: Project, public_id: uuid.UUID) -> Run:
    """Raises NotFound."""
    system_run = runs_with_counts(project).filter(public_id=public_id).first()
    if system_run is None:
        raise NotFound()
    return system_run


@project_page(access.MAKERS)
def run_list(request: HttpRequest, project: Project) -> HttpResponse:
    form = filters_of(request, RunFilters)
    selected = runs_with_counts(project).listed().order_by("-pk")
    if text := form.cleaned_data["q"]:
        selected = selected.filter(contains(text, "label", "revision__system__name"))
    if state := form.cleaned_data["state"]:
        selected = selected.filter(state=state)
    rows = paginate_rows(request, selected)
    context = {
        "project": project,
        "rows": rows,
        "form": form,
        "active": list_active(request, form),
        "links": [link(project) for link in RUN_LIST_LINKS],
    }
    return render(request, "modelbridge/runs/runs.html", context)


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def show_run(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """One run. Posting do=cancel stops it, do=resume continues it."""
    system_run = find_run(project, public_id)
    if request.method == "POST":
        return _cancel_or_resume(request, project, system_run)
    form = filters_of(request, OutputFilters)
    chosen = form.cleaned_data["state"]
    outputs_of_run = system_run.outputs.select_related("sample__document", "sample__group")
    rows = outputs_of_run.defer("steps").order_by("position")
    run_progress = progress.progress_of(system_run)
    page = paginate_rows(request, rows.filter(FILTERS[chosen]) if chosen else rows, size=OUTPUTS_SHOWN)
    results = [role_results.describe_result(system_run, row) for row in page]
    context = {
        "project": project,
        "run": system_run,
        "revision": system_run.revision,
        "answers": role_results.count_answers_of(system_run),
        "scored": role_results.summarize_scores(system_run),
        "told": run_progress,
        "left_out": sample_selection.describe_left_out(system_run.left_out),
        "rate": format_rate(run_progress.rate),
        "cost": format_cost(run_progress.cost, _run_currency(system_run)),
        "note": progress_note(system_run, run_progress),
        "missing_worker": _find_missing_worker(system_run),
        "may_resume": _may_resume(system_run, run_progress),
        "links": list_run_links(project, system_run, run_progress),
        "sample_page": next(iter(SAMPLE_PAGES), None),
        "scores": _score_table(project, system_run, run_progress),
        "sections": [
            *_attention_sections(project, system_run, run_progress),
            *refinement_sections(project, system_run, run_progress, _run_currency(system_run)),
        ],
        "workers": (workers := list_worker_rows(system_run)),
        "workers_have_gpu": any(worker.has_gpu for worker in workers),
        "remedies": _describe_remedies(run_progress),
        "budget_number": "" if system_run.budget is None else repr(system_run.budget),
        "budget": "" if system_run.budget is None else format_money(system_run.budget, _run_currency(system_run)),
        "too_many": not system_run.over and run_progress.done > MAX_TEXTS,
        "form": form,
        "filtered": bool(chosen),
        "rows": page,
        "listed": list(zip(page, results, strict=True)),
        "excerpt": EXCERPT,
    }
    return render(request, "modelbridge/runs/run.html", context)


def _score_table(project: Project, system_run: Run, run_progress: RunProgress) -> StoredTable | None:
    if system_run.over or not run_progress.ended or not 0 < run_progress.done <= MAX_TEXTS:
        return None
    return next((load(project, system_run) for load in RUN_TABLES), None)


def _attention_sections(project: Project, system_run: Run, run_progress: RunProgress) -> list[FigureSection]:
    """Which adapters the outputs attended to; none before the end and for other systems."""
    attention = mean_run_attention(system_run) if run_progress.ended else {}
    if not attention:
        return []
    n = attention["all"]["n"]
    note = ngettext(
        "Mean weight of each adapter over the tokens of %(n)s output; a row sums to 1.",
        "Mean weight of each adapter over the tokens of %(n)s outputs; a row sums to 1.",
        n,
    )
    return attention_sections(attention, schema_of(project), note % {"n": n})


def _describe_remedies(run_progress: RunProgress) -> list[str]:
    """What to change, where the run or some of its samples failed."""
    reasons = [run_progress.error, *(str(row["error"]) for row in run_progress.errors)]
    return describe_remedies(filter(None, reasons), of_training=False)


def _cancel_or_resume(request: HttpRequest, project: Project, system_run: Run) -> HttpResponse:
    try:
        if request.POST.get("do") == "cancel":
            runs.cancel_run(run=system_run, by=current_user(request))
        elif request.POST.get("do") == "resume":
            budget = runs.read_budget(request.POST.get("budget", ""))
            runs.resume_run(run=system_run, by=current_user(request), budget=budget)
    except ServiceError as error:
        messages.error(request, error.message)
    return redirect("run", project.slug, system_run.public_id)


def _may_resume(system_run: Run, run_progress: RunProgress) -> bool:
    return (
        run_progress.ended
        and not system_run.revision.declared_kind.elsewhere
        and run_progress.done < run_progress.total
    )


def _find_missing_worker(system_run: Run) -> MissingWorker | None:
    job: Job | None = system_run.job
    return find_missing_worker(job) if system_run.state == RunState.QUEUED else None


def _run_currency(system_run: Run) -> str:
    """The currency, from the decoding settings of an output with a cost; `cost` is only the number."""
    row = system_run.outputs.filter(cost__gt=0).only("decoding").first()
    return str(row.decoding.get("currency", "")) if row is not None else ""


def progress_note(system_run: Run, run_progress: RunProgress) -> str:
    """The text beside the progress count: failures, rate and cost."""
    notes = [_("%(n)d failed") % {"n": run_progress.failed}] if run_progress.failed else []
    notes += [
        format_rate(run_progress.rate),
        format_cost(run_progress.cost, _run_currency(system_run) if run_progress.cost else ""),
    ]
    return join_names(note for note in notes if note)


@project_page(access.MAKERS)
def run_state(request: HttpRequest, project: Project, public_id: uuid.UUID) -> JsonResponse:
    """How far a run is, for the progress bar."""
    system_run = find_run(project, public_id)
    run_progress = progress.progress_of(system_run)
    missing_worker = _find_missing_worker(system_run)
    return JsonResponse(
        {
            "state": run_progress.state,
            "label": str(RunState(run_progress.state).label),
            "ended": run_progress.ended,
            "done": run_progress.done + run_progress.failed,
            "total": run_progress.total,
            "note": missing_worker.title if missing_worker else progress_note(system_run, run_progress),
        }
    )


@writes_file
@project_page(access.MAKERS)
def download_run(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponseBase:
    """All outputs of a run with their provenance and scores, a JSON object a line, always as an attachment."""
    system_run = find_run(project, public_id)
    name = get_valid_filename(f"{project.slug}-{system_run.revision.system.key}-{str(system_run.public_id)[:8]}.jsonl")
    response = StreamingHttpResponse(_jsonl_lines(system_run), content_type="application/octet-stream")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _jsonl_lines(system_run: Run) -> Iterator[bytes]:
    for line in outputs.export_lines(system_run):
        yield json.dumps(line, ensure_ascii=False, allow_nan=False).encode() + b"\n"

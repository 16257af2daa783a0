"""Pages of a construction: its steps with start and stop, and rewrites side by side for acceptance."""

import uuid
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services.core import access
from annotation.services.core.errors import NotFound, ServiceError
from annotation.views.core.decorators import add_service_error, current_user, project_page
from annotation.views.jobs.missing_workers import MissingWorker, find_missing_worker
from epitome.construction.estimates import Estimate
from epitome.figures.table_rendering import RenderedTable, render_table
from modelbridge.models import ConstructionStep, Rewrite, RunState
from modelbridge.services.construction import rewrite_pairs, steps
from modelbridge.services.construction.overview import (
    NOT_STARTED,
    TITLES,
    StepOverview,
    list_failed_calls,
    list_steps,
)
from modelbridge.services.construction.set_tables import CONSTRUCTION_TABLES
from modelbridge.views.construction.forms import StepForm, list_rewriters
from modelbridge.views.systems.labels import format_cost

MAX_PAIR_SEED = 10**9


@dataclass
class StepCard:
    """One step as its page shows it. form: None where it cannot be started now. bins: (words, summaries, whether they
    are few) of each length. estimate: after a dry run."""

    row: StepOverview
    form: StepForm | None
    cost: str
    bins: list[tuple[str, int, bool]]
    estimate: Estimate | None = None

    @property
    def estimated_cost(self) -> str:
        if self.estimate is None or self.estimate.cost is None:
            return ""
        return format_cost(self.estimate.cost, self.estimate.currency)


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def show_construction(request: HttpRequest, project: Project) -> HttpResponse:
    """The steps and the tables. Posting `step` with do=start starts or resumes it, do=check estimates its cost, do=stop
    stops it."""
    chosen = request.POST.get("step", "") if request.method == "POST" else ""
    if chosen and request.POST.get("do") == "stop":
        return _stop_step(request, project, chosen)
    cards = [_build_card(project, row, request.POST if row.key == chosen else None) for row in list_steps(project)]
    card = next((card for card in cards if card.row.key == chosen), None)
    status = 200
    if card is not None and card.form is not None:
        if _act_on_form(request, project, card):
            return redirect("construction", project.slug)
        status = 422 if card.form.errors else 200
    context = {
        "project": project,
        "cards": cards,
        "fault": _find_fault(project),
        "rewriters": list_rewriters(project),
        "tables": _render_tables(project),
        "missing_worker": _find_missing_worker(project),
        "under_way": any(card.row.is_under_way for card in cards),
    }
    return render(request, "modelbridge/construction/construction.html", context, status=status)


def _find_fault(project: Project) -> str:
    """Why the project cannot be constructed, "" where it can."""
    try:
        steps.check_project(project)
    except ServiceError as error:
        return error.message
    return ""


def _build_card(project: Project, row: StepOverview, data: Any) -> StepCard:
    may_start = row.may_start and not row.needs
    form = StepForm(data, project, row, is_new=row.state == NOT_STARTED) if may_start else None
    return StepCard(row, form, format_cost(row.cost, row.currency), _label_bins(project, row))


def _label_bins(project: Project, row: StepOverview) -> list[tuple[str, int, bool]]:
    counts: dict[str, int] = row.result.get("bins", {})
    length = project.schema_version.schema.find("length")
    few = row.result.get("few", ())
    return [(length.value_label(value) if length else value, n, value in few) for value, n in counts.items()]


def _act_on_form(request: HttpRequest, project: Project, card: StepCard) -> bool:
    """Start or estimate a step; True where it was started."""
    assert card.form is not None
    if not card.form.is_valid():
        return False
    settings = card.form.step_settings()
    try:
        if request.POST.get("do") == "check":
            card.estimate = steps.estimate_step(project=project, key=card.row.key, **settings)
            return False
        steps.start_step(project=project, key=card.row.key, by=current_user(request), **settings)
    except ServiceError as error:
        add_service_error(card.form, error)
        return False
    return True


def _stop_step(request: HttpRequest, project: Project, key: str) -> HttpResponse:
    try:
        steps.stop_step(step=find_started_step(project, key), by=current_user(request))
    except ServiceError as error:
        messages.error(request, error.message)
    return redirect("construction", project.slug)


def find_started_step(project: Project, key: str) -> ConstructionStep:
    """Raises NotFound: no such step, or not started."""
    steps.find_plan(key)
    step = steps.find_step(project, key)
    if step is None:
        raise NotFound(_("This step has not been started."))
    return step


def _find_missing_worker(project: Project) -> MissingWorker | None:
    step = ConstructionStep.objects.filter(project=project, state=RunState.QUEUED).select_related("job").first()
    return find_missing_worker(step.job) if step is not None and step.job is not None else None


def _render_tables(project: Project) -> list[RenderedTable]:
    return [render_table(build(project), gettext=_) for build in CONSTRUCTION_TABLES]


@project_page(access.MAKERS)
def show_pairs(request: HttpRequest, project: Project, key: str) -> HttpResponse:
    """Random rewrites of a step beside their originals. ?draw=N draws others."""
    step = find_started_step(project, key)
    text = request.GET.get("draw", "0")
    draw = int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0
    context = {
        "project": project,
        "step": step,
        "title": TITLES[key],
        "pairs": rewrite_pairs.draw_pairs(step, draw),
        "n_rewrites": rewrite_pairs.rewriting_calls(step).count(),
        "verdicts": rewrite_pairs.count_verdicts(step),
        "failed": list_failed_calls(step),
        "draw": draw,
        "next_draw": (draw + 1) % MAX_PAIR_SEED,
    }
    return render(request, "modelbridge/construction/pairs.html", context)


@project_page(access.MAKERS, methods=["POST"])
def judge_pair(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """Accept or drop one text of a rewrite, and back to the pairs."""
    rewrite = Rewrite.objects.filter(project=project, public_id=public_id).select_related("step", "project").first()
    if rewrite is None:
        raise NotFound()
    aspect, verdict = request.POST.get("aspect", ""), request.POST.get("verdict", "")
    try:
        rewrite_pairs.judge_rewrite(rewrite=rewrite, aspect=aspect, verdict=verdict, by=current_user(request))
    except ServiceError as error:
        messages.error(request, error.message)
        aspect = ""
    draw = request.POST.get("draw", "0")
    response = redirect("construction-pairs", project.slug, rewrite.step.key)
    response["Location"] += f"?draw={draw if draw.isascii() and draw.isdecimal() else 0}#p-{rewrite.public_id}-{aspect}"
    return response

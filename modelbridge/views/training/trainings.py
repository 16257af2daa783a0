"""Pages of trainings: the list with the shipped configurations and the start form, one training with its metrics."""

import uuid
from typing import Any

from django.contrib import messages
from django.db.models import Count
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Project
from annotation.services.core import access
from annotation.services.core.errors import ServiceError
from annotation.views.core.decorators import add_service_error, current_user, project_page
from annotation.views.core.pagination import paginate_rows
from annotation.views.jobs.missing_workers import MissingWorker, find_missing_worker
from epitome.figures.numbers import UNKNOWN, format_measure
from epitome.figures.svg import Svg
from epitome.figures.table_rendering import RenderedTable, render_table
from epitome.systems.neural.libraries import INSTALL_COMMAND
from epitome.training.adapter_options import Search
from epitome.training.shipped import missing_libraries, shipped_text, shipped_trainings
from epitome.training.watching import SELECTION
from modelbridge.models import TrainingRun, TrainingState
from modelbridge.services.training import groups, training
from modelbridge.services.training.learned_weights import build_training_weights
from modelbridge.views.runs.remedy_messages import describe_remedies
from modelbridge.views.training.forms import TrainingForm
from modelbridge.views.training.loss_chart import loss_chart
from modelbridge.views.training.method_figures import FigureSection, attention_sections, search_sections

METRICS_SHOWN = 100
GROUPS_SHOWN = 20
TEXTS_SHOWN = 6
"""Of a shown dev sample: the first and last, the others evenly spread."""


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def training_list(request: HttpRequest, project: Project) -> HttpResponse:
    """The trainings, and the form that starts one. ?from=KEY begins with the text of a shipped configuration."""
    begin = request.GET.get("from", "")
    form = TrainingForm(request.POST or None, initial={"toml": shipped_text(begin)})
    if request.method == "POST" and form.is_valid():
        try:
            return _start(request, project, form)
        except ServiceError as error:
            add_service_error(form, error)
    splits, lists = training.count_summaries(project), training.count_lists(project)
    context = {
        "project": project,
        "form": form,
        "begin": begin,
        "shipped": shipped_trainings(),
        "lacking": missing_libraries(),
        "how": INSTALL_COMMAND,
        "splits": splits,
        "lists": lists,
        "has_data": bool(splits["train"] or (lists and lists[1]["train"])),
        "rows": paginate_rows(request, training.trainings_of(project).select_related("group")),
        "groups": groups.groups_of(project).annotate(n_trainings=Count("trainings"))[:GROUPS_SHOWN],
    }
    return render(request, "modelbridge/training/trainings.html", context, status=422 if form.errors else 200)


def _start(request: HttpRequest, project: Project, form: TrainingForm) -> HttpResponse:
    """A training, or a group of them where the form names a grid. Raises ServiceError."""
    values: dict[str, Any] = {"toml_text": form.cleaned_data["toml"], "by": current_user(request)}
    if grid := form.cleaned_data["grid"]:
        group = groups.start_group(project=project, grid=grid, **values)
        return redirect("training-group", project.slug, group.public_id)
    run = training.start_training(project=project, **values)
    return redirect("training", project.slug, run.public_id)


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def show_training(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """One training. Posting do=cancel stops it, do=resume continues from its last checkpoint."""
    training_run = training.training_of(project, public_id)
    if request.method == "POST":
        return _cancel_or_resume(request, project, training_run)
    dev = training.metrics_of(training_run, "dev")
    names = list(dict.fromkeys(name for row in dev for name in row if name not in ("step", "split")))
    context = {
        "project": project,
        "training": training_run,
        "ended": training_run.state not in TrainingState.UNDER_WAY,
        "missing_worker": _find_missing_worker(training_run),
        "names": names,
        "dev": [(row["step"], [_format_number(row.get(name)) for name in names]) for row in dev[-METRICS_SHOWN:]],
        "best": [(name, _format_number(value)) for name, value in training_run.best.items()],
        "facts": [
            (name, value)
            for name, value in training_run.result.items()
            if isinstance(value, int | float | str) and name not in ("key", "method")
        ],
        "figures": [] if training_run.method == "lorahub" else _curve_figures(training_run, dev),
        "shown_samples": training.list_shown_samples(training_run, TEXTS_SHOWN),
        "remedies": describe_remedies([training_run.error], of_training=True),
        "weights": _render_weights(training_run),
        "sections": _method_sections(training_run),
    }
    return render(request, "modelbridge/training/training.html", context)


def _render_weights(training_run: TrainingRun) -> RenderedTable | None:
    table = build_training_weights(training_run)
    return render_table(table, gettext=_) if table is not None else None


def _find_missing_worker(training_run: TrainingRun) -> MissingWorker | None:
    return find_missing_worker(training_run.job) if training_run.state == TrainingState.QUEUED else None


def _cancel_or_resume(request: HttpRequest, project: Project, training_run: TrainingRun) -> HttpResponse:
    try:
        if request.POST.get("do") == "cancel":
            training.cancel_training(run=training_run, by=current_user(request))
        elif request.POST.get("do") == "resume":
            training.resume_training(run=training_run, by=current_user(request))
    except ServiceError as error:
        messages.error(request, error.message)
    return redirect("training", project.slug, training_run.public_id)


def _format_number(value: Any) -> str:
    return format_measure(value, 4) if isinstance(value, int | float) else UNKNOWN if value is None else str(value)


def _curve_figures(training_run: TrainingRun, dev: list[dict[str, Any]]) -> list[Svg]:
    """The loss on train and the score on dev, where there are enough points."""
    train = training.metrics_of(training_run, "train")
    losses = [(row["step"], float(row["loss"])) for row in train if _is_number(row.get("loss"))]
    scores = [(row["step"], float(row[SELECTION])) for row in dev if _is_number(row.get(SELECTION))]
    charts = [
        loss_chart(_("Loss on the training set"), losses),
        loss_chart(_("Score on dev (lower is better)"), scores, key="dev"),
    ]
    return [chart for chart in charts if chart is not None]


def _method_sections(training_run: TrainingRun) -> list[FigureSection]:
    """Figures of the methods that combine adapters; none for others."""
    if training_run.method == "lorahub":
        bound = training_run.result.get("search", {}).get("bound", Search().bound)
        return search_sections(training.metrics_of(training_run, "train"), bound)
    attention = training_run.result.get("attention")
    if not attention:
        return []
    n = attention["all"]["n"]
    note = ngettext(
        "Mean weight of each adapter over the tokens of %(n)s dev sample; a row sums to 1.",
        "Mean weight of each adapter over the tokens of %(n)s dev samples; a row sums to 1.",
        n,
    )
    return attention_sections(attention, training.schema_of(training_run.project), note % {"n": n})


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


@project_page(access.MAKERS)
def training_state(request: HttpRequest, project: Project, public_id: uuid.UUID) -> JsonResponse:
    """How far a training is, for the progress bar."""
    training_run = training.training_of(project, public_id)
    last = training_run.metrics.filter(split="train").order_by("-step").first()
    loss = last.values.get("loss") if last is not None else None
    note = _("loss %(n)s") % {"n": _format_number(loss)} if _is_number(loss) else ""
    missing_worker = _find_missing_worker(training_run)
    return JsonResponse(
        {
            "state": training_run.state,
            "label": str(TrainingState(training_run.state).label),
            "ended": training_run.state not in TrainingState.UNDER_WAY,
            "done": training_run.step,
            "total": training_run.steps,
            "note": missing_worker.title if missing_worker else note,
        }
    )

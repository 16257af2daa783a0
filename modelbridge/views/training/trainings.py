"""Pages of trainings: the list with the shipped configurations and the start form, one training with its metrics."""

import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from annotation.figures.numbers import UNKNOWN, format_measure
from annotation.figures.svg import Svg
from annotation.models import Project
from annotation.services.core import access
from annotation.services.core.errors import ServiceError
from annotation.views.core.decorators import add_service_error, current_user, project_page
from annotation.views.core.pagination import paginate_rows
from annotation.views.jobs.missing_workers import MissingWorker, find_missing_worker
from modelbridge.models import TrainingRun, TrainingState
from modelbridge.services.training import training
from modelbridge.systems.neural.libraries import INSTALL_COMMAND
from modelbridge.training.shipped import missing_libraries, shipped_text, shipped_trainings
from modelbridge.views.runs.forms import TomlForm
from modelbridge.views.training.loss_chart import loss_chart

METRICS_SHOWN = 100


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def training_list(request: HttpRequest, project: Project) -> HttpResponse:
    """The trainings, and the form that starts one. ?from=KEY begins with the text of a shipped configuration."""
    begin = request.GET.get("from", "")
    form = TomlForm(request.POST or None, initial={"toml": shipped_text(begin)})
    if request.method == "POST" and form.is_valid():
        try:
            run = training.start_training(
                project=project, toml_text=form.cleaned_data["toml"], by=current_user(request)
            )
        except ServiceError as error:
            add_service_error(form, error)
        else:
            return redirect("training", project.slug, run.public_id)
    context = {
        "project": project,
        "form": form,
        "begin": begin,
        "shipped": shipped_trainings(),
        "lacking": missing_libraries(),
        "how": INSTALL_COMMAND,
        "splits": training.count_summaries(project),
        "rows": paginate_rows(request, training.trainings_of(project)),
    }
    return render(request, "modelbridge/training/trainings.html", context, status=422 if form.errors else 200)


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
        "figure": _loss_figure(training_run),
    }
    return render(request, "modelbridge/training/training.html", context)


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


def _loss_figure(training_run: TrainingRun) -> Svg | None:
    points = [
        (row["step"], float(row["loss"]))
        for row in training.metrics_of(training_run, "train")
        if _is_number(row.get("loss"))
    ]
    return loss_chart(_("Loss on the training set"), points)


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

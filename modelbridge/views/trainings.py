"""Trainings: the list with what comes along, starting one, one training with its metrics while it goes on."""

import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from annotation.figures.svg import Svg
from annotation.models import Project
from annotation.services import access
from annotation.services.errors import ServiceError
from annotation.views.common import paged, person, project_page, refuse
from annotation.views.jobs import is_late
from modelbridge.models import TrainingRun, TrainingState
from modelbridge.services import training
from modelbridge.systems.neural.libraries import HOW
from modelbridge.training.shipped import missing, shipped_text, shipped_trainings
from modelbridge.views.forms import TomlForm
from modelbridge.views.loss_chart import loss_chart
from modelbridge.views.runs import progress_words

METRICS_SHOWN = 100
UNDER_WAY = (TrainingState.QUEUED, TrainingState.RUNNING)


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def training_list(request: HttpRequest, project: Project) -> HttpResponse:
    """The trainings, and the form that starts one. ?from=KEY begins with the text of a shipped configuration."""
    begin = request.GET.get("from", "")
    form = TomlForm(request.POST or None, initial={"toml": shipped_text(begin)})
    if request.method == "POST" and form.is_valid():
        try:
            run = training.start(project=project, toml_text=form.cleaned_data["toml"], by=person(request))
        except ServiceError as error:
            refuse(form, error)
        else:
            return redirect("training", project.slug, run.public_id)
    context = {
        "project": project,
        "form": form,
        "begin": begin,
        "shipped": shipped_trainings(),
        "lacking": missing(),
        "how": HOW,
        "splits": training.n_summaries(project),
        "rows": paged(request, training.trainings_of(project)),
    }
    return render(request, "modelbridge/trainings.html", context, status=422 if form.errors else 200)


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def training_page(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """One training. Sending do=cancel stops it, do=resume goes on from its last checkpoint."""
    found = training.training_of(project, public_id)
    if request.method == "POST":
        return _steer(request, project, found)
    dev = training.metrics_of(found, "dev")
    names = list(dict.fromkeys(name for row in dev for name in row if name not in ("step", "split")))
    context = {
        "project": project,
        "training": found,
        "ended": found.state not in UNDER_WAY,
        "late": found.state == TrainingState.QUEUED and found.job is not None and is_late(found.job),
        "names": names,
        "dev": [(row["step"], [_number(row.get(name)) for name in names]) for row in dev[-METRICS_SHOWN:]],
        "best": [(name, _number(value)) for name, value in found.best.items()],
        "facts": [
            (name, value)
            for name, value in found.result.items()
            if isinstance(value, int | float | str) and name not in ("key", "method")
        ],
        "figure": _figure(found),
        "words": progress_words(),
    }
    return render(request, "modelbridge/training.html", context)


def _steer(request: HttpRequest, project: Project, found: TrainingRun) -> HttpResponse:
    try:
        if request.POST.get("do") == "cancel":
            training.cancel(run=found, by=person(request))
        elif request.POST.get("do") == "resume":
            training.resume(run=found, by=person(request))
    except ServiceError as error:
        messages.error(request, error.message)
    return redirect("training", project.slug, found.public_id)


def _number(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, int | float) else "–" if value is None else str(value)


def _figure(found: TrainingRun) -> Svg | None:
    points = [
        (row["step"], float(row["loss"])) for row in training.metrics_of(found, "train") if _is_number(row.get("loss"))
    ]
    return loss_chart(_("Loss on the training set"), points)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


@project_page(access.MAKERS)
def training_state(request: HttpRequest, project: Project, public_id: uuid.UUID) -> JsonResponse:
    """How far a training is, for the progress bar."""
    found = training.training_of(project, public_id)
    last = found.metrics.filter(split="train").order_by("-step").first()
    loss = last.values.get("loss") if last is not None else None
    return JsonResponse(
        {
            "state": found.state,
            "label": str(TrainingState(found.state).label),
            "ended": found.state not in UNDER_WAY,
            "done": found.step,
            "total": found.steps,
            "note": _("loss %(n)s") % {"n": _number(loss)} if _is_number(loss) else "",
        }
    )

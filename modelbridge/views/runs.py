"""Runs: the list, one run while it goes on and after, its state for the progress bar, its file."""

import json
import uuid
from collections.abc import Iterator
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.text import get_valid_filename
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.forms import StyledForm
from annotation.models import Job, Project
from annotation.services import access
from annotation.services.errors import NotFound, ServiceError
from annotation.views.common import filters_of, paged, person, project_page
from annotation.views.jobs import is_late
from modelbridge.models import OutputState, Run, RunState
from modelbridge.services import comparing, listing, outputs, progress, runs
from modelbridge.services.progress import RunProgress
from modelbridge.views import tables
from modelbridge.views.counting import runs_of
from modelbridge.views.told import cost_words, rate_words

OUTPUTS_SHOWN = 25
EXCERPT = 240
MOST_COMPARED = 8
MOST_TEXTS = 20_000
"""Outputs of which a page works out the table; above it, `measure` over the exported file does."""


class OutputFilters(StyledForm):
    """Allowed filters of a run's outputs, and nothing else."""

    state = forms.ChoiceField(
        label=gettext_lazy("State"),
        required=False,
        choices=[
            ("", gettext_lazy("all")),
            ("done", gettext_lazy("done")),
            ("failed", gettext_lazy("failed")),
            ("flagged", gettext_lazy("text changed")),
            ("truncated", gettext_lazy("source cut")),
        ],
    )
    page = forms.CharField(required=False, widget=forms.HiddenInput)


FILTERS = {
    "done": Q(state=OutputState.DONE),
    "failed": Q(state=OutputState.FAILED),
    "flagged": Q(state=OutputState.DONE) & ~Q(flags=[]),
    "truncated": Q(truncated__gt=0),
}


def run_of(project: Project, public_id: uuid.UUID) -> Run:
    """Raises NotFound."""
    found = runs_of(project).filter(public_id=public_id).first()
    if found is None:
        raise NotFound(_("There is no such thing, or it is not yours."))
    return found


@project_page(access.MAKERS)
def run_list(request: HttpRequest, project: Project) -> HttpResponse:
    found = paged(request, runs_of(project).order_by("-pk"))
    return render(request, "modelbridge/runs.html", {"project": project, "rows": found})


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def run(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """One run. Sending do=cancel stops it, do=resume goes on."""
    found = run_of(project, public_id)
    if request.method == "POST":
        return _steer(request, project, found)
    form = filters_of(request, OutputFilters)
    chosen = form.cleaned_data["state"]
    rows = found.outputs.select_related("sample__document", "sample__group").order_by("position")
    told = progress.progress_of(found)
    context = {
        "project": project,
        "run": found,
        "revision": found.revision,
        "told": told,
        "left_out": listing.told(found.left_out),
        "rate": rate_words(told.rate),
        "cost": cost_words(told.cost, _currency(found)),
        "note": note_of(found, told),
        "late": found.state == RunState.QUEUED and _is_late(found),
        "may_resume": _may_resume(found, told),
        "shown": _shown_scores(project, found, told),
        "too_many": told.done > MOST_TEXTS,
        "form": form,
        "filtered": bool(chosen),
        "rows": paged(request, rows.filter(FILTERS[chosen]) if chosen else rows, size=OUTPUTS_SHOWN),
        "excerpt": EXCERPT,
        "words": progress_words(),
    }
    return render(request, "modelbridge/run.html", context)


def progress_words() -> dict[str, str]:
    """What the script of the progress bar says."""
    return {
        "of": _("{done} of {total}"),
        "done": _("{done} done"),
        "silent": _("No answer right now; asking again."),
    }


def _shown_scores(project: Project, found: Run, told: RunProgress) -> Any:
    if not told.ended or not 0 < told.done <= MOST_TEXTS:
        return None
    return tables.control_table(comparing.compare(project, [found]), [found])


def _steer(request: HttpRequest, project: Project, found: Run) -> HttpResponse:
    try:
        if request.POST.get("do") == "cancel":
            runs.cancel(run=found, by=person(request))
        elif request.POST.get("do") == "resume":
            runs.resume(run=found, by=person(request))
    except ServiceError as error:
        messages.error(request, error.message)
    return redirect("run", project.slug, found.public_id)


def _may_resume(found: Run, told: RunProgress) -> bool:
    return told.ended and found.revision.kind != "upload" and told.done < told.total


def _is_late(found: Run) -> bool:
    job: Job | None = found.job
    return job is not None and is_late(job)


def _currency(found: Run) -> str:
    """As the system's configuration names it; outputs store the number alone."""
    row = found.outputs.filter(cost__gt=0).only("decoding").first()
    return str(row.decoding.get("currency", "")) if row is not None else ""


def note_of(found: Run, told: RunProgress) -> str:
    """What the progress bar says beside the count: what failed, how fast it goes, what it has cost."""
    parts = [_("%(n)d failed") % {"n": told.failed}] if told.failed else []
    parts += [rate_words(told.rate), cost_words(told.cost, _currency(found) if told.cost else "")]
    return ", ".join(part for part in parts if part)


@project_page(access.MAKERS)
def run_state(request: HttpRequest, project: Project, public_id: uuid.UUID) -> JsonResponse:
    """How far a run is, for the progress bar."""
    found = run_of(project, public_id)
    told = progress.progress_of(found)
    return JsonResponse(
        {
            "state": told.state,
            "label": str(RunState(told.state).label),
            "ended": told.ended,
            "done": told.done + told.failed,
            "total": told.total,
            "note": note_of(found, told),
        }
    )


@project_page(access.MAKERS)
def run_file(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponseBase:
    """All outputs of a run with their provenance and scores, a JSON object a line, always as an attachment."""
    found = run_of(project, public_id)
    name = get_valid_filename(f"{project.slug}-{found.revision.system.key}-{str(found.public_id)[:8]}.jsonl")
    response = StreamingHttpResponse(_lines(found), content_type="application/octet-stream")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _lines(found: Run) -> Iterator[bytes]:
    for line in outputs.export_lines(found):
        yield json.dumps(line, ensure_ascii=False, allow_nan=False).encode() + b"\n"


@project_page(access.MAKERS)
def compare(request: HttpRequest, project: Project) -> HttpResponse:
    """?run=ID&run=ID: the runs in one table beside the human summaries."""
    asked = [each for each in dict.fromkeys(request.GET.getlist("run")) if _is_uuid(each)][:MOST_COMPARED]
    found = {str(row.public_id): row for row in runs_of(project).filter(public_id__in=asked)}
    chosen = [found[each] for each in asked if each in found]
    too_many = sum(row.n_samples for row in chosen) > MOST_TEXTS
    shown = tables.control_table(comparing.compare(project, chosen), chosen) if chosen and not too_many else None
    rows = runs_of(project).order_by("-pk")[:50]
    context = {"project": project, "chosen": chosen, "shown": shown, "too_many": too_many, "rows": rows}
    return render(request, "modelbridge/compare.html", context)


def _is_uuid(text: str) -> bool:
    try:
        return str(uuid.UUID(text)) == text
    except ValueError:
        return False

"""The page that asks before a round is unblinded: how many ratings are in, and the round's name to be typed."""

import contextlib
import uuid

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import ngettext

from annotation.models import Project
from annotation.services.core import access
from annotation.services.core.errors import Conflict, NotFound, ServiceError
from annotation.views.core.decorators import add_service_error, current_user, project_page
from evaluation.models import Round, RoundState
from evaluation.services.monitoring import round_control, round_progress
from evaluation.services.monitoring.round_progress import RoundProgress
from evaluation.services.reports import report_jobs
from evaluation.views.rounds.forms import UnblindForm


@project_page(access.MAKERS, methods=("GET", "HEAD", "POST"))
def unblind_round(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """Ask for the round's name; POST with it unblinds the round and starts its report."""
    round_ = _find_launched_round(project, public_id)
    if round_.state == RoundState.UNBLINDED:
        return redirect("round-report", project.slug, public_id)
    form = UnblindForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        by = current_user(request)
        try:
            round_ = round_control.unblind_by_name(round_=round_, name=form.cleaned_data["name"], by=by)
        except ServiceError as error:
            add_service_error(form, error)
        else:
            with contextlib.suppress(Conflict):  # a report is being made already; the page shows it
                report_jobs.start_report(round_=round_, by=by)
            return redirect("round-report", project.slug, public_id)
    context = {
        "project": project,
        "round": round_,
        "form": form,
        "ratings": describe_ratings(round_progress.count_places(round_)),
    }
    return render(request, "evaluation/rounds/round_unblind.html", context, status=422 if form.errors else 200)


def _find_launched_round(project: Project, public_id: uuid.UUID) -> Round:
    rounds = Round.objects.filter(project=project, public_id=public_id).exclude(state=RoundState.DRAFT)
    round_ = rounds.select_related("project").first()
    if round_ is None:
        raise NotFound()
    return round_


def describe_ratings(progress: RoundProgress) -> str:
    """How many ratings are in, or how many are missing."""
    all_ratings, missing = progress.places, progress.places - progress.filled
    if missing:
        text = ngettext("%(n)d of %(all)d rating is missing.", "%(n)d of %(all)d ratings are missing.", all_ratings)
        return text % {"n": missing, "all": all_ratings}
    text = ngettext("%(n)d of %(all)d rating is in.", "%(n)d of %(all)d ratings are in.", all_ratings)
    return text % {"n": progress.filled, "all": all_ratings}

"""What to do with summaries that were brought: measure them, or start a blind round at once."""

from typing import NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode

from annotation.kinds import get_task_kind
from annotation.models import Project, Role
from annotation.services.core import access
from annotation.services.core.errors import NotFound, ServiceError
from annotation.views.core.decorators import add_service_error, current_user, project_page
from evaluation.models import Round
from evaluation.services.runs_compared import score_jobs
from evaluation.services.summary_files.first_round import RATER, Offer, RaterLink, find_offer, start_first_round
from evaluation.views.runs_compared.comparison_page import MAX_COMPARED
from evaluation.views.summary_files.forms import FirstRoundForm


class NumberedLink(NamedTuple):
    """The address of a rater, and their number."""

    number: int
    url: str


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def show_ways_on(request: HttpRequest, project: Project) -> HttpResponse:
    """Two ways on; do=measure starts the table of measures, do=round launches a blind round (admins)."""
    if not get_task_kind(project.kind, has_sample=True).summarizes:
        raise NotFound()
    offer = find_offer(project)
    is_admin = Role.ADMIN in access.roles_of(request.user, project)
    do = request.POST.get("do", "")
    if do == "measure" and offer.runs:
        return _measure(request, project, offer)
    if do == "round" and not is_admin:
        raise NotFound()
    form = FirstRoundForm(request.POST if do == "round" else None, offer=offer)
    if do == "round" and form.is_valid():
        try:
            round_, links = start_first_round(project=project, by=current_user(request), **form.cleaned_data)
        except ServiceError as error:
            add_service_error(form, error)
        else:
            return _show_links(request, project, round_, links)
    context = {"project": project, "offer": offer, "form": form, "is_admin": is_admin}
    return render(request, "evaluation/summary_files/ways_on.html", context, status=422 if form.errors else 200)


def _measure(request: HttpRequest, project: Project, offer: Offer) -> HttpResponse:
    """Start the table of the systems' measures, and show it."""
    runs = offer.runs[:MAX_COMPARED]
    try:
        score_jobs.start_scores(project=project, runs=runs, by=current_user(request))
    except ServiceError as error:
        messages.error(request, error.message)
    query = urlencode([("run", str(run.public_id)) for run in runs])
    return redirect(f"{reverse('runs-compare', args=[project.slug])}?{query}")


def _show_links(request: HttpRequest, project: Project, round_: Round, links: list[RaterLink]) -> HttpResponse:
    """The links of the raters, which are shown once."""
    addresses = [
        NumberedLink(
            number,
            request.build_absolute_uri(f"{reverse('take-part', args=[link.secret])}?{urlencode({RATER: link.id})}"),
        )
        for number, link in enumerate(links, 1)
    ]
    context = {"project": project, "round": round_, "links": addresses}
    return render(request, "evaluation/summary_files/round_started.html", context)

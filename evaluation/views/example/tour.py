"""The tour on the overview of the finished example, until its visitor dismisses it."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from annotation.models import Job, Project
from annotation.services.core import access
from annotation.services.core.errors import NotFound
from annotation.views.core.decorators import project_page
from annotation.views.staff.notices import NOTICES, Notice
from evaluation.services.example import finished, resetting
from evaluation.services.example.tour import Stop, list_stops

DISMISSED = "tour-dismissed"


@dataclass(frozen=True)
class Tour:
    """stops: each with its address, "" while there is nothing to see. filling: the job that makes the rest."""

    stops: list[tuple[Stop, str]]
    filling: Job | None
    may_reset: bool


@NOTICES.register
def build_tour(request: HttpRequest, project: Project) -> Notice | None:
    """The tour of the finished example; None for other projects and once it is dismissed."""
    if project.slug != finished.SLUG or request.session.get(DISMISSED):
        return None
    stops = [
        (stop, reverse(stop.url_name, args=[project.slug, *stop.arguments]) if stop.ready else "")
        for stop in list_stops(project, access.roles_of(request.user, project))
    ]
    filling = Job.objects.under_way().filter(project=project, kind=finished.KIND).first()
    return Notice("evaluation/example/_tour.html", Tour(stops, filling, resetting.may_reset(request.user)))


@project_page(access.STAFF, methods=["POST"])
def dismiss_tour(request: HttpRequest, project: Project) -> HttpResponse:
    if project.slug != finished.SLUG:
        raise NotFound()
    request.session[DISMISSED] = True
    return redirect("project", project.slug)

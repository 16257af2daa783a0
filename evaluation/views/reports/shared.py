"""Links to a report: the page on which the team makes and closes them, and the report that anybody reads at one."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation.models import Project
from annotation.services.core import access
from annotation.services.core.errors import NotFound, ServiceError
from annotation.services.people.invitations import Closed
from annotation.views.core.decorators import add_service_error, current_user, project_page, zone_override
from epitome.site.file_language import writes_file
from evaluation.models import ReportLink, Round, RoundState
from evaluation.services.reports import report_files, report_jobs, report_links
from evaluation.views.reports.forms import ReportLinkForm
from evaluation.views.reports.report_parts import build_chapters, build_opening, list_contents, render_file
from evaluation.views.runs_compared.paper_tables import file_response


@project_page(access.MAKERS, methods=("GET", "HEAD", "POST"))
def show_links(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """The links of a round's report; POST makes one, which is shown once, or closes one."""
    round_ = _find_round(project, public_id)
    if request.method == "POST" and "revoke" in request.POST:
        return _revoke(request, round_)
    form, address = ReportLinkForm(request.POST if request.method == "POST" else None), ""
    if request.method == "POST" and form.is_valid():
        try:
            _link, plain = report_links.make_link(round_=round_, by=current_user(request), **form.cleaned_data)
        except ServiceError as error:
            add_service_error(form, error)
        else:
            address, form = request.build_absolute_uri(reverse("shared-report", args=[plain])), ReportLinkForm()
    links = [(link, report_links.why_closed(link)) for link in report_links.list_links(round_)]
    context = {"project": project, "round": round_, "form": form, "address": address, "links": links}
    status = 422 if form.errors else 200
    return render(request, "evaluation/reports/report_links.html", context, status=status)


def _find_round(project: Project, public_id: uuid.UUID) -> Round:
    rounds = Round.objects.filter(project=project, public_id=public_id, state=RoundState.UNBLINDED)
    round_ = rounds.select_related("project").first()
    if round_ is None:
        raise NotFound()
    return round_


def _revoke(request: HttpRequest, round_: Round) -> HttpResponse:
    try:
        link = ReportLink.objects.filter(round=round_, public_id=uuid.UUID(request.POST["revoke"])).first()
    except ValueError:
        link = None
    if link is None:
        raise NotFound()
    link.round = round_
    report_links.revoke_link(link=link, by=current_user(request))
    messages.success(request, _("Link closed."))
    return redirect("round-report-links", round_.project.slug, round_.public_id)


@require_http_methods(["GET", "HEAD"])
def read_shared_report(request: HttpRequest, token: str) -> HttpResponse:
    """The report of a link for anybody who has its address; nothing can be changed there."""
    try:
        link = report_links.find_open_link(token)
    except (NotFound, Closed) as error:
        return render(request, "annotation/people/no_way_in.html", {"message": error.message}, status=error.status)
    stored = report_jobs.stored_report(link.round)
    context = {"round": link.round, "project_name": link.round.project.name, "link": link, "found": stored}
    if stored is not None:
        report = report_links.public_report(stored.report)
        chapters = build_chapters(report)
        context |= {
            "chapters": chapters,
            "contents": list_contents(chapters),
            "opening": build_opening(report),
            "methods": report["methods"],
            "file": reverse("shared-report-file", args=[token]),
            "formats": report_files.FORMAT_LABELS,
        }
    with zone_override(link.round.project):
        response = render(request, "evaluation/reports/shared_report.html", context)
    return _keep_private(response)


@writes_file
@require_http_methods(["GET", "HEAD"])
def download_shared_report(request: HttpRequest, token: str) -> HttpResponse:
    """The files of a link's report, as on its page."""
    link = report_links.find_open_link(token)
    stored = report_jobs.stored_report(link.round)
    if stored is None:
        raise NotFound(_("The report has not been calculated yet."))
    body, name = render_file(report_links.public_report(stored.report), request)
    return _keep_private(file_response(body, f"{link.round.project.slug}-round-{link.round.number}-{name}"))


def _keep_private(response: HttpResponse) -> HttpResponse:
    """Not stored by caches, not listed by search engines, its address sent to no other site."""
    add_never_cache_headers(response)
    response["X-Robots-Tag"] = "noindex, nofollow"
    response["Referrer-Policy"] = "no-referrer"
    return response

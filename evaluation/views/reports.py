"""The report of a round: its tables and figures, their files, and the answers on which raters disagree."""

import uuid

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services import access
from annotation.services.errors import NotFound, ServiceError
from annotation.views.common import person, project_page
from evaluation.models import Round, RoundState
from evaluation.services import adjudicating, report_files, reporting, steering
from evaluation.views.report_parts import file_of, sections_of
from evaluation.views.tables import download

DISPUTES = 20


def _round(project: Project, public_id: uuid.UUID) -> Round:
    found = Round.objects.filter(project=project, public_id=public_id).exclude(state=RoundState.DRAFT).first()
    if found is None:
        raise NotFound(_("There is no such thing, or it is not yours."))
    found.project = project
    return found


_drawn: dict[tuple[int, str, str], SafeString] = {}
DRAWN = 8


def _sections(round_: Round, found: reporting.Stored) -> SafeString:
    """Tables and figures as they stand on the page, drawn once per process: the result of a job does not change."""
    key = (found.job.pk, f"{found.at}", get_language() or "")
    if key not in _drawn:
        while len(_drawn) >= DRAWN:
            _drawn.pop(next(iter(_drawn)), None)
        file = reverse("round-report-file", args=[round_.project.slug, round_.public_id])
        context = {"sections": sections_of(found.report), "file": file, "query": ""}
        _drawn[key] = render_to_string("evaluation/_report_sections.html", context)
    return _drawn[key]


@project_page(access.MAKERS)
def report(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    round_ = _round(project, public_id)
    blind = round_.state != RoundState.UNBLINDED
    found = None if blind else reporting.stored(round_)
    job = None if blind else reporting.under_way(round_)
    stale = found is not None and found.version != reporting.data_version(round_)
    context = {
        "project": project,
        "round": round_,
        "blind": blind,
        "running": round_.state in (RoundState.OPEN, RoundState.PAUSED),
        "found": found,
        "stale": stale,
        "job": job,
        "sections": _sections(round_, found) if found else "",
        "auto": not blind and job is None and (found is None or stale),
        "formats": report_files.SHOWN,
        "words": {
            "of": _("{done} of {total}"),
            "done": _("{done} done"),
            "silent": _("No answer right now; asking again."),
        },
    }
    return render(request, "evaluation/report.html", context)


@project_page(access.MAKERS, methods=["POST"])
def start(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """Begin to work the report out; do=unblind ends the blindness first."""
    round_ = _round(project, public_id)
    try:
        if request.POST.get("do") == "unblind":
            round_ = steering.move(round_=round_, what="unblind", by=person(request))
        reporting.start(round_=round_, by=person(request))
    except ServiceError as error:
        messages.error(request, error.message)
    return redirect("round-report", project.slug, public_id)


@project_page(access.MAKERS)
def file(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """The whole report (?format=html, csv, latex or json), one table (&table=agreement) or figure (&figure=...)."""
    round_ = _round(project, public_id)
    found = reporting.stored(round_) if round_.state == RoundState.UNBLINDED else None
    if found is None:
        raise NotFound(_("The report is not worked out yet."))
    body, name = file_of(found.report, request)
    return download(body, f"{project.slug}-round-{round_.number}-{name}")


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def disagreements(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """Where raters disagree; POST stores what a third person decides."""
    round_ = _round(project, public_id)
    page = request.GET.get("page", "1")
    if request.method == "POST":
        given = request.POST
        try:
            adjudicating.decide(
                round_=round_,
                item=given.get("item", ""),
                question=given.get("question", ""),
                answer=given.get("answer", ""),
                note=given.get("note", ""),
                by=person(request),
            )
            messages.success(request, _("Decided. The raters' own answers stay as they are."))
        except ServiceError as error:
            messages.error(request, error.message)
        return redirect(request.get_full_path())
    try:
        rows = adjudicating.disputes(round_)
    except ServiceError as error:
        messages.error(request, error.message)
        return redirect("round-report", project.slug, public_id)
    pages = Paginator(rows, DISPUTES)
    shown = pages.page(int(page) if page.isascii() and page.isdigit() and 1 <= int(page) <= pages.num_pages else 1)
    context = {"project": project, "round": round_, "rows": shown, "n": len(rows)}
    return render(request, "evaluation/disagreements.html", context)

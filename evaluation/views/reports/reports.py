"""The report of a round: its tables and figures, and their files."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services.core import access
from annotation.services.core.errors import NotFound, ServiceError
from annotation.views.core.decorators import current_user, project_page
from annotation.views.jobs.missing_workers import find_missing_worker
from evaluation.models import Round, RoundState
from evaluation.services.monitoring import round_progress
from evaluation.services.reports import report_files, report_jobs
from evaluation.views.reports.report_parts import build_sections, render_file
from evaluation.views.rounds.unblinding import describe_ratings
from evaluation.views.runs_compared.paper_tables import file_response


def find_launched_round(project: Project, public_id: uuid.UUID) -> Round:
    round_ = Round.objects.filter(project=project, public_id=public_id).exclude(state=RoundState.DRAFT).first()
    if round_ is None:
        raise NotFound()
    round_.project = project
    return round_


_section_cache: dict[tuple[int, str, str], SafeString] = {}
MAX_CACHED_REPORTS = 8


def _render_sections(round_: Round, stored: report_jobs.StoredReport) -> SafeString:
    """Tables and figures as HTML, cached per process because the result of a job does not change."""
    key = (stored.job.pk, f"{stored.at}", get_language() or "")
    if key not in _section_cache:
        while len(_section_cache) >= MAX_CACHED_REPORTS:
            _section_cache.pop(next(iter(_section_cache)), None)
        file_url = reverse("round-report-file", args=[round_.project.slug, round_.public_id])
        context = {"sections": build_sections(stored.report), "file": file_url, "query": ""}
        _section_cache[key] = render_to_string("evaluation/reports/_report_sections.html", context)
    return _section_cache[key]


@project_page(access.MAKERS)
def show_report(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    round_ = find_launched_round(project, public_id)
    blind = round_.state != RoundState.UNBLINDED
    stored = None if blind else report_jobs.stored_report(round_)
    job = None if blind else report_jobs.find_running_job(round_)
    stale = stored is not None and stored.version != report_jobs.data_version(round_)
    context = {
        "project": project,
        "round": round_,
        "blind": blind,
        "ratings": describe_ratings(round_progress.count_places(round_)) if blind else "",
        "found": stored,
        "stale": stale,
        "job": job,
        "missing_worker": find_missing_worker(job),
        "sections": _render_sections(round_, stored) if stored else "",
        "auto": not blind and job is None and (stored is None or stale),
        "formats": report_files.FORMAT_LABELS,
    }
    return render(request, "evaluation/reports/report.html", context)


@project_page(access.MAKERS, methods=["POST"])
def start_report(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """Start computing the report."""
    round_ = find_launched_round(project, public_id)
    try:
        report_jobs.start_report(round_=round_, by=current_user(request))
    except ServiceError as error:
        messages.error(request, error.message)
    return redirect("round-report", project.slug, public_id)


@project_page(access.MAKERS)
def download_report(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """The whole report (?format=html, csv, latex or json), one table (&table=agreement) or figure (&figure=...)."""
    round_ = find_launched_round(project, public_id)
    stored = report_jobs.stored_report(round_) if round_.state == RoundState.UNBLINDED else None
    if stored is None:
        raise NotFound(_("The report has not been calculated yet."))
    body, name = render_file(stored.report, request)
    return file_response(body, f"{project.slug}-round-{round_.number}-{name}")

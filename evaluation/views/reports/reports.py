"""The report of a round: its tables and figures, and their files."""

import uuid
from collections.abc import Sequence

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services.core import access
from annotation.services.core.errors import NotFound, ServiceError
from annotation.services.core.kept_results import keep_result
from annotation.views.core.decorators import current_user, project_page
from annotation.views.jobs.missing_workers import find_missing_worker
from epitome.site.file_language import writes_file
from evaluation.models import Round, RoundState
from evaluation.services.monitoring import round_progress
from evaluation.services.reports import check_file, combined_material, report_files, report_jobs
from evaluation.views.reports.report_parts import build_chapters, build_opening, list_contents, render_file
from evaluation.views.rounds.unblinding import describe_ratings
from evaluation.views.runs_compared.paper_tables import file_response


def find_launched_round(project: Project, public_id: uuid.UUID) -> Round:
    round_ = Round.objects.filter(project=project, public_id=public_id).exclude(state=RoundState.DRAFT).first()
    if round_ is None:
        raise NotFound()
    round_.project = project
    return round_


def _render_story(round_: Round, stored: report_jobs.StoredReport) -> tuple[SafeString, Sequence[tuple[str, str]]]:
    """The chapters as HTML and their contents list, kept because the result of a job does not change."""

    def render_chapters() -> tuple[SafeString, Sequence[tuple[str, str]]]:
        address = [round_.project.slug, round_.public_id]
        chapters = build_chapters(stored.report)
        context = {
            "chapters": chapters,
            "opening": build_opening(stored.report),
            "methods": stored.report["methods"],
            "file": reverse("round-report-file", args=address),
            "decide": reverse("round-disagreements", args=address),
            "formats": report_files.FORMAT_LABELS,
            "offers_check": True,
        }
        return render_to_string("evaluation/reports/_story.html", context), tuple(list_contents(chapters))

    state = (stored.job.pk, stored.at)
    return keep_result(round_.project, ("story", round_.pk), state, render_chapters)


@project_page(access.MAKERS)
def show_report(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    round_ = find_launched_round(project, public_id)
    blind = round_.state != RoundState.UNBLINDED
    stored = None if blind else report_jobs.stored_report(round_)
    job = None if blind else report_jobs.find_running_job(round_)
    stale = stored is not None and stored.version != report_jobs.data_version(round_)
    story, contents = _render_story(round_, stored) if stored else ("", [])
    context = {
        "project": project,
        "round": round_,
        "blind": blind,
        "ratings": describe_ratings(round_progress.count_places(round_)) if blind else "",
        "found": stored,
        "examples": not blind and round_.rules.is_contrastive,
        "stale": stale,
        "job": job,
        "missing_worker": find_missing_worker(job),
        "story": story,
        "contents": contents,
        "has_shares": stored is not None and any(table["key"] == "yes-rater-1" for table in stored.report["tables"]),
        "auto": not blind and job is None and (stored is None or stale),
        "has_rows": not blind and combined_material.has_combined_rows(round_),
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


@writes_file
@project_page(access.MAKERS)
def download_report(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """The whole report (?format=html, csv, latex or json), one table (&table=agreement) or figure (&figure=...); the
    rows of combined estimates (?format=rows); the file for checking, with all rows (?format=check)."""
    round_ = find_launched_round(project, public_id)
    if request.GET.get("format") == "rows" and round_.state == RoundState.UNBLINDED:
        rows = b"".join(combined_material.export_rows(round_))
        return file_response(rows, f"{project.slug}-round-{round_.number}-combined.jsonl")
    if request.GET.get("format") == "check" and round_.state == RoundState.UNBLINDED:
        lines = b"".join(check_file.export_stored(round_))
        return file_response(lines, check_file.name_file(round_))
    stored = report_jobs.stored_report(round_) if round_.state == RoundState.UNBLINDED else None
    if stored is None:
        raise NotFound(_("The report has not been calculated yet."))
    body, name = render_file(stored.report, request)
    return file_response(body, f"{project.slug}-round-{round_.number}-{name}")

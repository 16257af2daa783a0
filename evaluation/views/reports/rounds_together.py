"""The page of one report over several rounds, and its files."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services.core import access
from annotation.services.core.errors import NotFound, ServiceError
from annotation.views.core.decorators import current_user, project_page
from annotation.views.jobs.missing_workers import find_missing_worker
from epitome.site.file_language import writes_file
from evaluation.models import Round
from evaluation.services.reports import report_files, rounds_together
from evaluation.views.reports.report_parts import build_chapters, build_opening, list_contents, render_file
from evaluation.views.runs_compared.paper_tables import file_response


def _page_url(project: Project, rounds: list[Round]) -> str:
    query = urlencode([("round", str(round_.public_id)) for round_ in rounds])
    return f"{reverse('rounds-together', args=[project.slug])}?{query}"


@project_page(access.MAKERS, methods=("GET", "HEAD", "POST"))
def show_rounds_together(request: HttpRequest, project: Project) -> HttpResponse:
    """?round=ID&round=ID: the stored report over these rounds; POST starts its job."""
    user = current_user(request)
    chosen_ids = (request.POST if request.method == "POST" else request.GET).getlist("round")
    rounds = rounds_together.choose_rounds(user, chosen_ids)
    if request.method == "POST":
        try:
            if len(rounds) > 1:
                rounds_together.start_report(project=project, rounds=rounds, by=user)
        except ServiceError as error:
            messages.error(request, error.message)
        return redirect(_page_url(project, rounds))
    several = len(rounds) > 1
    stored = rounds_together.stored_report(project, rounds) if several else None
    job = rounds_together.find_running_job(project, rounds) if several else None
    context: dict[str, Any] = {
        "project": project,
        "rounds": rounds,
        "several": several,
        "choices": [(round_, round_ in rounds) for round_ in rounds_together.list_choices(user)],
        "found": stored,
        "job": job,
        "missing_worker": find_missing_worker(job),
        "auto": several and job is None and (stored is None or stored.is_stale),
        "formats": report_files.FORMAT_LABELS,
    }
    if stored is not None:
        query = urlencode([("round", str(round_.public_id)) for round_ in rounds])
        chapters = build_chapters(stored.report)
        context |= {
            "chapters": chapters,
            "contents": list_contents(chapters),
            "opening": build_opening(stored.report),
            "methods": stored.report["methods"],
            "file": reverse("rounds-together-file", args=[project.slug]),
            "query": f"{query}&",
        }
    return render(request, "evaluation/reports/rounds_together.html", context)


@writes_file
@project_page(access.MAKERS)
def download_rounds_together(request: HttpRequest, project: Project) -> HttpResponse:
    """The files of the report over ?round=ID&round=ID, as of a round's report."""
    rounds = rounds_together.choose_rounds(current_user(request), request.GET.getlist("round"))
    stored = rounds_together.stored_report(project, rounds) if len(rounds) > 1 else None
    if stored is None:
        raise NotFound(_("The report has not been calculated yet."))
    body, name = render_file(stored.report, request)
    return file_response(body, f"{project.slug}-rounds-{name}")

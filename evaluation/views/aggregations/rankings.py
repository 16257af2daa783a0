"""Ranking lists of releases, tables of the runs that ranked them, and one list as every run ranked it."""

import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import get_valid_filename
from django.utils.translation import gettext as _

from annotation.models import Project, RankingSplit, Release
from annotation.services.core import access
from annotation.services.core.errors import BadInput, NotFound, ServiceError
from annotation.views.core.decorators import add_service_error, current_user, project_page
from annotation.views.core.pagination import paginate_rows
from epitome.site.file_language import writes_file
from evaluation.services.aggregations import rank_cases, rank_tables, ranking_lists
from evaluation.services.reports import report_files
from evaluation.views.aggregations.forms import ListsForm, RunsForm, fill_runs_form
from evaluation.views.reports.report_parts import build_sections, render_file
from evaluation.views.runs_compared.paper_tables import file_response
from modelbridge.models import Run
from modelbridge.services.runs.list_lines import iterate_lines
from modelbridge.services.runs.ranking_texts import releases_with_lists

REFUSED = 422
CASES_SHOWN = 25


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def show_rankings(request: HttpRequest, project: Project) -> HttpResponse:
    """Lists by release, and the tables of ?run= over ?split=. Posting makes the lists of a release."""
    releases = releases_with_lists(project)
    waiting = [
        release for release in Release.objects.filter(project=project).order_by("-pk") if release not in releases
    ]
    form = ListsForm(request.POST if request.method == "POST" else None, waiting)
    if request.method == "POST" and _make_lists(request, project, form):
        return redirect("rankings", project.slug)
    runs_form, runs, report = _choose_report(request, project)
    context: dict[str, Any] = {
        "project": project,
        "form": form,
        "releases": [(release, ranking_lists.count_lists(project, release.tag)) for release in releases],
        "waiting": waiting,
        "runs_form": runs_form,
        "runs": runs,
        "sections": [],
    }
    if report is not None:
        context |= _describe_report(request, project, report)
    is_refused = form.errors or runs_form.errors
    return render(request, "evaluation/aggregations/rankings.html", context, status=REFUSED if is_refused else 200)


def _make_lists(request: HttpRequest, project: Project, form: ListsForm) -> bool:
    """Whether the lists were made; faults are added to the form."""
    if not form.is_valid():
        return False
    values = form.cleaned_data
    try:
        n_lists = ranking_lists.make_ranking_lists(
            project=project, tag=values["release"], seed=values["seed"], split_by=values["split_by"],
            by=current_user(request),
        )  # fmt: skip
    except ServiceError as error:
        add_service_error(form, error)
        return False
    messages.success(request, _("Ranking lists made: %(n)d.") % {"n": n_lists})
    return True


def _choose_report(
    request: HttpRequest, project: Project
) -> tuple[RunsForm, list[Run], rank_tables.RankingReport | None]:
    """The form, the chosen runs, and their report; all runs over the newest lists where none is chosen. A choice that
    cannot be compared leaves its reason in the form."""
    runs = rank_tables.list_rank_runs(project)
    form = RunsForm(request.GET, runs)
    if not form.is_valid():
        return form, [], None
    names = form.cleaned_data["run"]
    chosen = [run for run in runs if str(run.public_id) in names] if names else _newest_of_each(runs)
    if not chosen:
        return form, [], None
    split = form.cleaned_data["split"] or RankingSplit.TEST.value
    form = fill_runs_form(runs, chosen, split)
    try:
        return form, chosen[::-1], rank_tables.read_report(project, chosen[::-1], split)
    except BadInput as error:
        form.is_valid()
        add_service_error(form, error)
        return form, [], None


def _newest_of_each(runs: list[Run]) -> list[Run]:
    """The newest run of each system over the lists of the newest release that was ranked."""
    tag = rank_tables.release_of(runs[0]) if runs else ""
    newest: dict[int, Run] = {}
    for run in runs:
        if rank_tables.release_of(run) == tag:
            newest.setdefault(run.revision.system_id, run)
    return list(newest.values())[: rank_tables.MAX_RUNS]


def _describe_report(request: HttpRequest, project: Project, report: rank_tables.RankingReport) -> dict[str, Any]:
    query = request.GET.copy()
    query.pop("page", None)
    cases = paginate_rows(request, rank_cases.list_cases(project, report.tag, report.split), size=CASES_SHOWN)
    return {
        "report": report,
        "sections": build_sections(rank_tables.build_tables(project, report)),
        "file": reverse("rankings-file", args=[project.slug]),
        "query": f"{query.urlencode()}&" if query else "",
        "formats": report_files.FORMAT_LABELS,
        "rows": cases,
    }


@writes_file
@project_page(access.MAKERS)
def download_rankings(request: HttpRequest, project: Project) -> HttpResponse:
    """The tables, with the options of a round's report file and the page's choice of runs."""
    form, _runs, report = _choose_report(request, project)
    if form.errors:
        raise BadInput(" ".join(str(fault) for faults in form.errors.values() for fault in faults), field="run")
    if report is None:
        raise NotFound(_("No run has ranked the lists of a release yet."), field="run")
    body, name = render_file(rank_tables.build_tables(project, report), request)
    return file_response(body, f"{project.slug}-{name}")


@writes_file
@project_page(access.MAKERS)
def download_lists(request: HttpRequest, project: Project, tag: str) -> StreamingHttpResponse:
    """The lists of a release as JSON lines, always as an attachment."""
    lines = (line.encode() for line in iterate_lines(project, tag))
    response = StreamingHttpResponse(lines, content_type="application/octet-stream")
    name = get_valid_filename(f"{project.slug}-{tag}-lists.jsonl")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@project_page(access.MAKERS)
def show_case(request: HttpRequest, project: Project, tag: str, sample: uuid.UUID) -> HttpResponse:
    """One list: its candidates as every chosen run ranked them, and what systems wrote for its instance."""
    runs = [run for run in rank_tables.list_rank_runs(project) if rank_tables.release_of(run) == tag]
    names = request.GET.getlist("run")
    chosen = [run for run in runs if str(run.public_id) in names] if names else _newest_of_each(runs)
    case = rank_cases.read_case(project, tag, sample, chosen[::-1])
    depth = max((len(column.texts) for column in case.ranked), default=0)
    rows = [
        [column.texts[index] if index < len(column.texts) else None for column in case.ranked] for index in range(depth)
    ]
    context = {"project": project, "tag": tag, "case": case, "rows": rows}
    return render(request, "evaluation/aggregations/case.html", context)

"""From annotations to golds: what the filters removed, what the dataset holds, and agreement."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.models import Project, Release
from annotation.services.core import access
from annotation.services.core.errors import NotFound
from annotation.services.exports.releases import get_release
from annotation.views.core.decorators import project_page
from epitome.site.file_language import writes_file
from evaluation.services.aggregations import funnel_report
from evaluation.services.aggregations.answers import has_answers
from evaluation.services.reports import report_files
from evaluation.views.reports.report_parts import build_sections, render_file
from evaluation.views.runs_compared.paper_tables import file_response


def _choose_release(request: HttpRequest, project: Project) -> Release | None:
    """The release of ?release=; None: the current annotations. Raises NotFound."""
    tag = request.GET.get("release", "")
    return get_release(project=project, tag=tag) if tag else None


@project_page(access.STAFF)
def show_funnel(request: HttpRequest, project: Project) -> HttpResponse:
    release = _choose_release(request, project)
    has_funnel = has_answers(project)
    sections = []
    if has_funnel:
        report = funnel_report.build_report(project, release)
        sections = build_sections(funnel_report.report_tables(project, report))
    context = {
        "project": project,
        "release": release,
        "releases": Release.objects.filter(project=project).order_by("-pk"),
        "has_funnel": has_funnel,
        "sections": sections,
        "file": reverse("aggregation-report-file", args=[project.slug]),
        "query": f"release={release.tag}&" if release is not None else "",
        "formats": report_files.FORMAT_LABELS,
    }
    return render(request, "evaluation/aggregations/funnel.html", context)


@writes_file
@project_page(access.STAFF)
def download_funnel(request: HttpRequest, project: Project) -> HttpResponse:
    """The tables, with the options of a round's report file."""
    if not has_answers(project):
        raise NotFound(_("The tasks of this project are no aggregations of entities."))
    report = funnel_report.build_report(project, _choose_release(request, project))
    body, name = render_file(funnel_report.report_tables(project, report), request)
    return file_response(body, f"{project.slug}-{name}")

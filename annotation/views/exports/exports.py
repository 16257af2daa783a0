"""The export page: form, releases and exported files."""

from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotation.models import Job, Project, Release
from annotation.services.core import access
from annotation.services.core.errors import ServiceError
from annotation.services.core.withdrawn_people import list_withdrawals, withdrawals_affecting
from annotation.services.exports import exporting, source_permissions
from annotation.views.core.decorators import add_service_error, current_user, project_page
from annotation.views.exports.forms import ExportForm
from annotation.views.jobs.jobs import describe_job, stored_file
from annotation.views.jobs.missing_workers import find_missing_worker_of

LINE_PREVIEW = 600
"""Bytes of a file's first line that are shown."""


class ExportLine(NamedTuple):
    """An export job with its format; of its file the size in bytes, the number of summaries in it, and the beginning of
    a text file's first line. size: None without a file."""

    job: Job
    subject: str
    size: int | None
    n_summaries: int | None
    first_line: str


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def export_dataset(request: HttpRequest, project: Project) -> HttpResponse:
    form = ExportForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            options = exporting.ExportOptions(**_export_options(form))
            job = exporting.start_export(project=project, options=options, by=current_user(request))
        except ServiceError as error:
            add_service_error(form, error)
        else:
            return redirect("job", job.public_id)
    jobs = Job.objects.filter(project=project, kind="export").select_related("requested_by").order_by("-id")[:20]
    releases = Release.objects.filter(project=project).select_related("created_by").defer("rows").order_by("-id")
    changes = list_withdrawals(project)
    context = {
        "project": project,
        "form": form,
        "missing_worker": find_missing_worker_of(project, "export"),
        "permissions": source_permissions.count_permissions(project),
        "jobs": [_describe_export(job) for job in jobs],
        "releases": [(row, withdrawals_affecting(row, changes)) for row in releases[:50]],
    }
    return render(request, "annotation/exports/export.html", context, status=422 if form.errors else 200)


def _describe_export(job: Job) -> ExportLine:
    from django.core.files.storage import default_storage

    name, subject = stored_file(job), describe_job(job).subject
    if not name or not default_storage.exists(name):
        return ExportLine(job, subject, None, None, "")
    first_line = ""
    if str(job.result.get("file_name") or "").endswith(".jsonl"):
        with default_storage.open(name, "rb") as stream:
            first_line = stream.readline(LINE_PREVIEW + 1).decode(errors="ignore")
    n_summaries = (job.result.get("counts") or {}).get("summaries")
    if len(first_line) > LINE_PREVIEW:
        first_line = f"{first_line[:LINE_PREVIEW]} …"
    return ExportLine(job, subject, default_storage.size(name), n_summaries, first_line)


def _export_options(form: ExportForm) -> dict[str, Any]:
    values = form.cleaned_data
    return {
        "format": values["format"],
        "state": values["state"] or None,
        "overlap": values["overlap"] or None,
        "split_seed": values["split_seed"],
        "shares": values["shares"],
        "release": values["release"] or None,
        "authorship": values["authorship"],
    }

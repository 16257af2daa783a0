"""Export: the form that starts the job, the releases, and the finished files."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotation.forms import ExportForm
from annotation.models import Job, Project, Release
from annotation.services import access, exporting
from annotation.services.errors import ServiceError
from annotation.services.withdrawn import changed_since, of_project
from annotation.views.common import person, project_page, refuse
from annotation.views.jobs import name_job, stored_file


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def export(request: HttpRequest, project: Project) -> HttpResponse:
    form = ExportForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            options = exporting.ExportOptions(**_options(form))
            job = exporting.start_export(project=project, options=options, by=person(request))
        except ServiceError as error:
            refuse(form, error)
        else:
            return redirect("job", job.public_id)
    jobs = Job.objects.filter(project=project, kind="export").select_related("requested_by").order_by("-id")[:20]
    for job in jobs:
        name_job(job)
        job.file = stored_file(job)  # type: ignore[attr-defined]
    releases = Release.objects.filter(project=project).select_related("created_by").defer("rows").order_by("-id")
    changes = of_project(project)
    context = {
        "project": project,
        "form": form,
        "jobs": jobs,
        "releases": [(row, changed_since(row, changes)) for row in releases[:50]],
    }
    return render(request, "annotation/export.html", context, status=422 if form.errors else 200)


def _options(form: ExportForm) -> dict[str, Any]:
    values = form.cleaned_data
    return {
        "format": values["format"],
        "state": values["state"] or None,
        "overlap": values["overlap"] or None,
        "split_seed": values["split_seed"],
        "release": values["release"] or None,
        "authorship": values["authorship"],
    }

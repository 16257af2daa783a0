"""The guideline as annotators read it, and the note that they did."""

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from annotation.models import Project, Role
from annotation.services import audit
from annotation.transactions import write
from annotation.views import markdown
from annotation.views.common import person, project_page

READERS = tuple(Role)
READ = "guideline-read"


@project_page(READERS)
def guideline(request: HttpRequest, project: Project) -> HttpResponse:
    version = project.guideline_version
    rendered = markdown.render(version.text)
    return render(
        request,
        "annotation/guideline.html",
        {
            "project": project,
            "version": version,
            "title": rendered.title or _("Guideline"),
            "rendered": rendered,
            "read": request.session.get(READ, {}).get(project.slug) == version.number,
        },
    )


@project_page((Role.ANNOTATOR,), methods=("POST",))
def read_guideline(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Record that this person says to have read this version."""
    version = project.guideline_version
    with write():
        audit.record(
            project=project,
            actor=person(request),
            verb="guideline.read",
            target=f"guideline:{version.number}",
        )
    request.session[READ] = {**request.session.get(READ, {}), project.slug: version.number}
    return redirect("work", project.slug)

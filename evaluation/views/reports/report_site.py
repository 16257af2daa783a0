"""The site of an unblinded round, as a download."""

import uuid

from django.http import HttpRequest, HttpResponse

from annotation.models import Project
from annotation.services.core import access
from annotation.services.core.errors import Conflict, NotFound
from annotation.views.core.decorators import project_page
from epitome.site.file_language import writes_file
from evaluation.services.reports import report_site
from evaluation.views.reports.reports import find_launched_round


@writes_file
@project_page(access.MAKERS)
def download_site(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """A zip archive of plain pages. Raises NotFound for a blind round, and before its report has been computed."""
    round_ = find_launched_round(project, public_id)
    name = report_site.name_site(round_)
    try:
        files = report_site.build_site(round_)
    except Conflict as error:
        raise NotFound(error.message) from error
    response = HttpResponse(report_site.zip_site(files, name), "application/zip")
    response["Content-Disposition"] = f'attachment; filename="{name}.zip"'
    response["X-Content-Type-Options"] = "nosniff"
    return response

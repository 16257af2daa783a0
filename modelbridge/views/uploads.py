"""Uploading the predictions of a system that runs elsewhere."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotation.formats.reading import input_file
from annotation.models import Project
from annotation.services import access
from annotation.services.errors import BadInput, ServiceError
from annotation.views.common import person, project_page, refuse
from modelbridge.models import Run
from modelbridge.services import listing
from modelbridge.services.upload import faults_of, upload_predictions
from modelbridge.views.forms import UploadForm


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def upload(request: HttpRequest, project: Project) -> HttpResponse:
    """The form; a good file becomes a finished run."""
    form = UploadForm(request.POST or None, request.FILES or None, listing.splits_of(project))
    faults: Sequence[dict[str, Any]] = []
    if request.method == "POST" and form.is_valid():
        try:
            found = _stored(request, project, form)
        except ServiceError as error:
            refuse(form, error)
            faults = faults_of(error) if isinstance(error, BadInput) else []
        else:
            return redirect("run", project.slug, found.public_id)
    context = {
        "project": project,
        "form": form,
        "faults": faults,
        "limit": settings.EPITOME_MAX_UPLOAD,
        "limit_mb": settings.EPITOME_MAX_UPLOAD // 2**20,
        "uploads": Run.objects.filter(project=project, revision__kind="upload")
        .select_related("revision__system")
        .order_by("-pk")[:10],
    }
    return render(request, "modelbridge/upload.html", context, status=422 if form.errors else 200)


def _stored(request: HttpRequest, project: Project, form: UploadForm) -> Run:
    """The file is read from the disk, whatever its size: a reader of lines, not of a whole upload."""
    values = form.cleaned_data
    sent: UploadedFile = values["file"]
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as kept:
        for chunk in sent.chunks():
            kept.write(chunk)
        kept.flush()
        return upload_predictions(
            project=project,
            file=input_file(Path(kept.name), sent.name),
            by=person(request),
            system=values["system"],
            name=values["name"],
            split=values["split"],
            label=values["label"],
        )

"""Uploading the predictions of a system that runs elsewhere."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotation.models import Project
from annotation.services.core import access
from annotation.services.core.errors import BadInput, ServiceError
from annotation.views.core.decorators import add_service_error, current_user, project_page
from epitome.formats.reading import input_file
from epitome.systems.kinds import ELSEWHERE
from modelbridge.models import Run
from modelbridge.services.runs import sample_selection
from modelbridge.services.runs.predictions_upload import faults_of, upload_predictions
from modelbridge.views.runs.forms import UploadForm


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def upload_run(request: HttpRequest, project: Project) -> HttpResponse:
    """The form; a good file becomes a finished run."""
    form = UploadForm(request.POST or None, request.FILES or None, sample_selection.splits_of(project))
    faults: Sequence[dict[str, Any]] = []
    if request.method == "POST" and form.is_valid():
        try:
            new_run = _store_upload(request, project, form)
        except ServiceError as error:
            add_service_error(form, error)
            faults = faults_of(error) if isinstance(error, BadInput) else []
        else:
            return redirect("run", project.slug, new_run.public_id)
    context = {
        "project": project,
        "form": form,
        "faults": faults,
        "limit": settings.EPITOME_MAX_UPLOAD,
        "limit_mb": settings.EPITOME_MAX_UPLOAD // 2**20,
        "uploads": Run.objects.filter(project=project, revision__kind__in=ELSEWHERE)
        .select_related("revision__system")
        .order_by("-pk")[:10],
    }
    return render(request, "modelbridge/runs/upload.html", context, status=422 if form.errors else 200)


def _store_upload(request: HttpRequest, project: Project, form: UploadForm) -> Run:
    """Copies the upload to a temporary file first, because the reader reads lines from disk."""
    values = form.cleaned_data
    sent: UploadedFile = values["file"]
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as temp_file:
        for chunk in sent.chunks():
            temp_file.write(chunk)
        temp_file.flush()
        return upload_predictions(
            project=project,
            file=input_file(Path(temp_file.name), sent.name),
            by=current_user(request),
            system=values["system"],
            name=values["name"],
            split=values["split"],
            label=values["label"],
        )

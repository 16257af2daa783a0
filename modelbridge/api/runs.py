"""Runs: started, followed, cancelled, resumed, uploaded."""

import tempfile
import uuid
from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.common import caller, checked, page_of
from annotation.api.openapi import PAGE, documented, page_of_shape
from annotation.formats.reading import input_file
from annotation.models import Project
from annotation.services import access
from modelbridge.api.shapes import RunDetailOut, RunIn, RunOut, RunUploadIn
from modelbridge.models import Run, SystemRevision
from modelbridge.services import runs, systems
from modelbridge.services.upload import upload_predictions

TAG = "systems and runs"


def rows() -> "QuerySet[Run]":
    return Run.objects.select_related("revision__system", "project")


def one(request: Request, public_id: uuid.UUID) -> Run:
    return access.row_for(request.user, rows(), public_id, access.MAKERS)


def answer(request: Request, run: Run, status: int = 200) -> Response:
    told = RunDetailOut(run, context={"request": request}).data
    return Response(told, status=status, headers={"Location": told["status_url"]} if status != 200 else None)


class Runs(APIView):
    """The runs of a project."""

    @documented("runs_list", "List runs", answers={200: page_of_shape(RunOut)}, parameters=PAGE, tag=TAG)
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.MAKERS)
        found = rows().filter(project=project).order_by("-id")
        return page_of(request, found, RunOut, context={"request": request})

    @documented("runs_start", "Run a system", request=RunIn, answers={202: RunDetailOut}, tag=TAG)
    def post(self, request: Request, slug: str) -> Response:
        """Freezes the list of samples that are ready and queues the work; `left_out` says why others are not in it."""
        project = access.project_for(request.user, slug, access.MAKERS)
        values = checked(RunIn, request.data)
        revision = _revision(project, values, caller(request))
        run = runs.start(
            project=project,
            revision=revision,
            split=values["split"],
            seed=values["seed"],
            label=values["label"],
            by=caller(request),
        )
        return answer(request, run, 202)


def _revision(project: Project, values: dict[str, Any], by: Any) -> SystemRevision:
    """A revision of the project's system; a shipped system that is not there yet is registered."""
    key, number = values["system"], values.get("revision")
    if number is None and not systems.systems_of(project).filter(key=key).exists():
        return systems.register_shipped(project=project, key=key, by=by)
    return systems.revision_of(project, key, number)


class OneRun(APIView):
    """One run."""

    @documented("runs_read", "Read a run", answers={200: RunDetailOut}, tag=TAG)
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        return answer(request, one(request, public_id))


class RunCancel(APIView):
    """Stopping a run."""

    @documented("runs_cancel", "Cancel a run", answers={200: RunDetailOut}, tag=TAG)
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """What is done stays; 409 when the run has ended."""
        return answer(request, runs.cancel(run=one(request, public_id), by=caller(request)))


class RunResume(APIView):
    """Going on with a run."""

    @documented("runs_resume", "Resume a run", answers={200: RunDetailOut}, tag=TAG)
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """Failed samples are tried anew; 409 while it is under way, or when nothing is left to do."""
        return answer(request, runs.resume(run=one(request, public_id), by=caller(request)))


class RunUpload(APIView):
    """Predictions of a system that runs elsewhere."""

    parser_classes = (MultiPartParser,)

    @documented(
        "runs_upload",
        "Upload predictions",
        request={"multipart/form-data": RunUploadIn},
        answers={201: RunDetailOut},
        tag=TAG,
    )
    def post(self, request: Request, slug: str) -> Response:
        """One JSON line per sample: `sample_id` or `position`, `prediction`, optional `system`, `candidates`,
        `scores`. All of it is stored or nothing; a refusal lists `faults` by line. The same file is the same run."""
        project = access.project_for(request.user, slug, access.MAKERS)
        values = checked(RunUploadIn, request.data)
        sent: UploadedFile = values.pop("file")
        with sent, tempfile.NamedTemporaryFile(suffix=".jsonl") as kept:
            for chunk in sent.chunks():
                kept.write(chunk)
            kept.flush()
            file = input_file(Path(kept.name), sent.name)
            run = upload_predictions(project=project, file=file, by=caller(request), **values)
        return answer(request, run, 201)

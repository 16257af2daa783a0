"""Runs: started, followed, cancelled, resumed, uploaded."""

import tempfile
import uuid
from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import PAGE_PARAMETERS, document_call, page_serializer
from annotation.api.core.query import choice_parameter, filter_containing, search_parameter
from annotation.api.core.requests import current_user, page_response, validate_body
from annotation.models import Project
from annotation.services.core import access
from epitome.formats.reading import input_file
from modelbridge.api.runs.serializers import RunDetailOut, RunIn, RunOut, RunResumeIn, RunUploadIn
from modelbridge.models import Run, RunQuerySet, RunState, SystemRevision
from modelbridge.services.runs import runs
from modelbridge.services.runs.predictions_upload import upload_predictions
from modelbridge.services.systems import systems

TAG = "systems and runs"


def run_queryset() -> RunQuerySet:
    return Run.objects.select_related("revision__system", "project")


def find_run(request: Request, public_id: uuid.UUID) -> Run:
    return access.row_for(request.user, run_queryset(), public_id, access.MAKERS)


def run_response(request: Request, run: Run, status: int = 200) -> Response:
    data = RunDetailOut(run, context={"request": request}).data
    return Response(data, status=status, headers={"Location": data["status_url"]} if status != 200 else None)


class Runs(APIView):
    """The runs of a project."""

    @document_call(
        "runs_list",
        "List runs",
        answers={200: page_serializer(RunOut)},
        parameters=[
            *PAGE_PARAMETERS,
            search_parameter("the label or the name of the system"),
            OpenApiParameter("state", OpenApiTypes.STR, enum=RunState.values),
        ],
        tag=TAG,
    )
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.MAKERS)
        project_runs = run_queryset().listed().filter(project=project).order_by("-id")
        project_runs = filter_containing(request, project_runs, "label", "revision__system__name")
        if state := choice_parameter(request, "state", RunState.values):
            project_runs = project_runs.filter(state=state)
        context = {"request": request}
        return page_response(request, project_runs, RunOut, context=context, filters=("q", "state"))

    @document_call("runs_start", "Run a system", request=RunIn, answers={202: RunDetailOut}, tag=TAG)
    def post(self, request: Request, slug: str) -> Response:
        """Freezes the list of samples that are ready and queues the work; `left_out` says why others are not in it."""
        project = access.project_for(request.user, slug, access.MAKERS)
        values = validate_body(RunIn, request.data)
        revision = _find_or_register(project, values, current_user(request))
        run = runs.start_run(
            project=project,
            revision=revision,
            split=values["split"],
            asks=values["asks"],
            seed=values["seed"],
            label=values["label"],
            over=values["over"],
            options=values.get("options"),
            budget=values["budget"],
            by=current_user(request),
        )
        return run_response(request, run, 202)


def _find_or_register(project: Project, values: dict[str, Any], by: Any) -> SystemRevision:
    """A revision of the project's system; a shipped system that is not there yet is registered."""
    key, number = values["system"], values.get("revision")
    if number is None and not systems.systems_of(project).filter(key=key).exists():
        return systems.register_shipped(project=project, key=key, by=by)
    return systems.revision_of(project, key, number)


class OneRun(APIView):
    """One run."""

    @document_call("runs_read", "Read a run", answers={200: RunDetailOut}, tag=TAG)
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        return run_response(request, find_run(request, public_id))


class RunCancel(APIView):
    """Stopping a run."""

    @document_call("runs_cancel", "Cancel a run", answers={200: RunDetailOut}, tag=TAG)
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """What is done stays; 409 when the run has ended."""
        return run_response(request, runs.cancel_run(run=find_run(request, public_id), by=current_user(request)))


class RunResume(APIView):
    """Resuming a run."""

    @document_call("runs_resume", "Resume a run", request=RunResumeIn, answers={200: RunDetailOut}, tag=TAG)
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """Failed samples are tried again; 409 while it is under way, or when nothing is left to do."""
        values = validate_body(RunResumeIn, request.data)
        run = runs.resume_run(run=find_run(request, public_id), by=current_user(request), budget=values["budget"])
        return run_response(request, run)


class RunUpload(APIView):
    """Predictions of a system that runs elsewhere."""

    parser_classes = (MultiPartParser,)

    @document_call(
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
        values = validate_body(RunUploadIn, request.data)
        sent: UploadedFile = values.pop("file")
        with sent, tempfile.NamedTemporaryFile(suffix=".jsonl") as temp_file:
            for chunk in sent.chunks():
                temp_file.write(chunk)
            temp_file.flush()
            file = input_file(Path(temp_file.name), sent.name)
            run = upload_predictions(project=project, file=file, by=current_user(request), **values)
        return run_response(request, run, 201)

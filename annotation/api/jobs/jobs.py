"""Jobs: progress, outcome, and the file of an export."""

import uuid

from django.core.files.storage import default_storage
from django.http import FileResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import PAGE_PARAMETERS, document_call, page_serializer
from annotation.api.core.query import (
    choice_parameter,
    filter_containing,
    refuse_unknown_parameters,
    search_parameter,
    text_parameter,
)
from annotation.api.core.requests import current_user, page_response
from annotation.api.jobs.serializers import JobDetailOut, JobOut, stored_file
from annotation.jobs import cancel_job
from annotation.models import Job, JobState
from annotation.services.core import access
from annotation.services.core.errors import Conflict, NotFound

PARTS = ("file", "manifest")


class Jobs(APIView):
    """The jobs of a project."""

    @document_call(
        "jobs_list",
        "Jobs of a project",
        answers={200: page_serializer(JobOut)},
        parameters=[
            *PAGE_PARAMETERS,
            search_parameter("the file name or the user name of who asked"),
            OpenApiParameter("kind", OpenApiTypes.STR),
            OpenApiParameter("state", OpenApiTypes.STR, enum=JobState.values),
        ],
        tag="jobs",
    )
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.MAKERS)
        rows = Job.objects.filter(project=project).select_related("project").defer("faults", "result", "arguments")
        rows = filter_containing(request, rows, "arguments__file_name", "requested_by__username")
        if kind := text_parameter(request, "kind", longest=40):
            rows = rows.filter(kind=kind)
        if state := choice_parameter(request, "state", JobState.values):
            rows = rows.filter(state=state)
        return page_response(request, rows.order_by("-id"), JobOut, filters=("q", "kind", "state"))


class OneJob(APIView):
    """One job."""

    @document_call("jobs_read", "Read a job", answers={200: JobDetailOut}, tag="jobs")
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        """An import reports `read = stored + duplicate + left_out + rejected` in its result."""
        job = access.row_for(request.user, Job.objects.all(), public_id, access.MAKERS)
        return Response(JobDetailOut(job, context={"request": request}).data)


class JobCancel(APIView):
    """Stopping a job."""

    @document_call("jobs_cancel", "Cancel a job", answers={200: JobDetailOut}, tag="jobs")
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """With it what it works on, such as a run; 409 when it has ended, or is of a kind that cannot be cancelled."""
        job = access.row_for(request.user, Job.objects.select_related("project"), public_id, access.MAKERS)
        is_cancelled = cancel_job(job, current_user(request))
        job.refresh_from_db()
        if is_cancelled:
            return Response(JobDetailOut(job, context={"request": request}).data)
        if job.state in JobState.ENDED:
            raise Conflict(_("The job has ended already."), code="ended")
        raise Conflict(_("A job of this kind cannot be cancelled."), code="kind")


class JobFile(APIView):
    """What a finished export wrote."""

    @document_call(
        "jobs_download",
        "Download the file of an export",
        answers={(200, "application/octet-stream"): OpenApiResponse(OpenApiTypes.BINARY)},
        parameters=[OpenApiParameter("part", OpenApiTypes.STR, enum=PARTS)],
        tag="jobs",
    )
    def get(self, request: Request, public_id: uuid.UUID) -> HttpResponseBase:
        job = access.row_for(request.user, Job.objects.all(), public_id, access.MAKERS)
        refuse_unknown_parameters(request, ("part",))
        manifest = choice_parameter(request, "part", PARTS) == "manifest"
        name = stored_file(job) and (str(job.result.get("manifest") or "") if manifest else stored_file(job))
        if not name or not default_storage.exists(name):
            raise NotFound(_("This job has no such file, or it was deleted. Export again."))
        download_name = str(job.result.get("file_name") or "export") + (".manifest.json" if manifest else "")
        return FileResponse(
            default_storage.open(name, "rb"),
            as_attachment=True,
            filename=download_name,
            content_type="application/octet-stream",
            headers={"X-Content-Type-Options": "nosniff"},
        )

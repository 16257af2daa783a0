"""The dataset: streamed at once, or written by a job; and its releases."""

from collections.abc import Iterator
from itertools import chain
from typing import Any

from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import PAGE_PARAMETERS, document_call, page_serializer
from annotation.api.core.query import (
    BadQuery,
    choice_parameter,
    number_parameter,
    refuse_unknown_parameters,
    text_parameter,
)
from annotation.api.core.requests import current_user, job_response, page_response, validate_body
from annotation.api.exports.serializers import AUTHORSHIP, HIGH, LOW, DatasetReleaseOut, ExportIn
from annotation.api.jobs.serializers import JobStarted
from annotation.models import Release
from annotation.services.core import access, withdrawn_people
from annotation.services.core.errors import BadInput
from annotation.services.exports import exporting
from epitome.site.file_language import writes_file

STREAMED = ("jsonl", "macsum")
TAG = "a tag that is frozen already; the list of rows is the release's"
SWITCH = ("yes", "no")
FILTERS = [
    OpenApiParameter("format", OpenApiTypes.STR, enum=STREAMED, description="jsonl where not given"),
    OpenApiParameter("state", OpenApiTypes.STR, enum=exporting.STATES, description="latest where not given"),
    OpenApiParameter("overlap", OpenApiTypes.STR, enum=exporting.OVERLAPS, description="all where not given"),
    OpenApiParameter("split", OpenApiTypes.STR, enum=exporting.SPLITS, description="keep where not given"),
    OpenApiParameter(
        "split_seed", {"type": "integer", "format": "int64"}, description="draws train, dev, test by origin"
    ),
    OpenApiParameter("shares", OpenApiTypes.STR, description="percent, as 60,20,20; the schema's where not given"),
    OpenApiParameter("release", OpenApiTypes.STR, description=TAG),
    OpenApiParameter("authorship", OpenApiTypes.STR, enum=SWITCH, description=f"no where not given; yes: {AUTHORSHIP}"),
]


@writes_file
class Export(APIView):
    """The dataset as a stream."""

    @document_call(
        "export_stream",
        "Download the dataset as a stream",
        answers={
            (200, "application/jsonl"): OpenApiResponse(OpenApiTypes.STR),
            (200, "application/json"): OpenApiResponse({"type": "array", "items": {"type": "object"}}),
            409: OpenApiResponse(description="The release was frozen with other options."),
        },
        parameters=FILTERS,
        tag="export",
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """Changes nothing and writes no manifest; Parquet, manifests and new releases come by a job. The header
        X-Release-Withdrawals says that a release differs from its first build because work was withdrawn."""
        project = access.project_for(request.user, slug, access.MAKERS)
        refuse_unknown_parameters(
            request, ("format", "state", "overlap", "split", "split_seed", "shares", "release", "authorship")
        )
        options = exporting.ExportOptions(
            format=choice_parameter(request, "format", STREAMED) or "jsonl",
            state=choice_parameter(request, "state", exporting.STATES) or None,
            overlap=choice_parameter(request, "overlap", exporting.OVERLAPS) or None,
            split=choice_parameter(request, "split", exporting.SPLITS) or None,
            split_seed=number_parameter(request, "split_seed", low=LOW, high=HIGH),
            shares=_shares_parameter(request),
            release=text_parameter(request, "release", longest=60) or None,
            authorship=choice_parameter(request, "authorship", SWITCH) == "yes",
        )
        try:
            pieces = exporting.export_lines(project=project, options=options)
        except BadInput as error:
            raise BadQuery(error.message, field=error.field) from error
        response = StreamingHttpResponse(
            () if request.method == "HEAD" else _start_stream(pieces), content_type=exporting.FORMATS[options.format]
        )
        if changes := exporting.release_withdrawals(project=project, options=options):
            response["X-Release-Withdrawals"] = str(len(changes))
        name = exporting.file_name(project=project, options=options)
        response["Content-Disposition"] = f'attachment; filename="{name}"'
        response["X-Content-Type-Options"] = "nosniff"
        return response


def _shares_parameter(request: Request) -> Any:
    """The numbers of `shares`; None where it is not given. Raises BadQuery."""
    text = text_parameter(request, "shares", longest=20)
    try:
        return tuple(int(share) for share in text.split(",")) if text else None
    except ValueError:
        raise BadQuery(_("Write three whole numbers, such as 60,20,20."), field="shares") from None


def _start_stream(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Produce the first piece at once, so that an export that cannot start is refused before the response begins."""
    first = next(pieces, b"")
    return chain((first,), pieces)


class Exports(APIView):
    """Exports by job."""

    @document_call("exports_start", "Export by a job", request=ExportIn, answers={202: JobStarted}, tag="export")
    def post(self, request: Request, slug: str) -> Response:
        """The job writes the file and its manifest; both are downloaded from the job when it is done."""
        project = access.project_for(request.user, slug, access.MAKERS)
        options = exporting.ExportOptions.from_dict(validate_body(ExportIn, request.data))
        return job_response(request, exporting.start_export(project=project, options=options, by=current_user(request)))


class Releases(APIView):
    """The frozen lists of rows."""

    @document_call(
        "releases_list",
        "List releases",
        answers={200: page_serializer(DatasetReleaseOut)},
        parameters=PAGE_PARAMETERS,
        tag="export",
    )
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.MAKERS)
        rows = Release.objects.filter(project=project).defer("rows").order_by("-id")
        return page_response(
            request, rows, DatasetReleaseOut, context={"withdrawals": withdrawn_people.list_withdrawals(project)}
        )

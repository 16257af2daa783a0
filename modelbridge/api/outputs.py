"""Outputs: those of a run by pages or as a file, and those of one sample side by side."""

import json
import uuid
from collections.abc import Iterator

from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.common import page_of
from annotation.api.openapi import PAGE, documented, page_of_shape
from annotation.api.query import choice_parameter, only
from annotation.models import Sample
from annotation.services import access
from modelbridge.api.runs import TAG, one
from modelbridge.api.shapes import OutputOut, SampleOutputOut, sample_outputs
from modelbridge.models import OutputState, Run
from modelbridge.services import outputs

STATE = OpenApiParameter("state", OpenApiTypes.STR, enum=OutputState.values)


class RunOutputs(APIView):
    """The outputs of a run."""

    @documented(
        "runs_outputs",
        "Outputs of a run",
        answers={200: page_of_shape(OutputOut)},
        parameters=[*PAGE, STATE],
        tag=TAG,
    )
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        run = one(request, public_id)
        rows = run.outputs.select_related("run__revision__system", "sample__document").order_by("position")
        if state := choice_parameter(request, "state", OutputState.values):
            rows = rows.filter(state=state)
        return page_of(request, rows, OutputOut, filters=("state",))


class RunExport(APIView):
    """A run as a file."""

    @documented(
        "runs_export",
        "Download the outputs of a run",
        answers={(200, "application/jsonl"): OpenApiResponse(OpenApiTypes.STR)},
        tag=TAG,
    )
    def get(self, request: Request, public_id: uuid.UUID) -> HttpResponseBase:
        """One JSON line per sample, with provenance and measures; `measure --predictions` and an upload read it."""
        run = one(request, public_id)
        only(request, ())
        lines: Iterator[bytes] = iter(()) if request.method == "HEAD" else _lines(run)
        response = StreamingHttpResponse(lines, content_type="application/jsonl")
        name = f"{run.project.slug}-{run.revision.system.key}-{str(run.public_id)[:8]}.jsonl"
        response["Content-Disposition"] = f'attachment; filename="{name}"'
        response["X-Content-Type-Options"] = "nosniff"
        return response


def _lines(run: Run) -> Iterator[bytes]:
    for line in outputs.export_lines(run):
        yield json.dumps(line, ensure_ascii=False, sort_keys=True).encode() + b"\n"


class SampleOutputs(APIView):
    """What every system gave for one sample."""

    @documented("samples_outputs", "Outputs of a sample", answers={200: SampleOutputOut(many=True)}, tag=TAG)
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        """Finished and failed ones, by system, newest run first."""
        sample = access.row_for(request.user, Sample.objects.all(), public_id, access.MAKERS)
        only(request, ())
        return Response(sample_outputs(outputs.for_sample(sample.project, sample)))

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

from annotation.api.core.openapi import PAGE_PARAMETERS, document_call, page_serializer
from annotation.api.core.query import choice_parameter, refuse_unknown_parameters
from annotation.api.core.requests import page_response
from annotation.models import Sample
from annotation.services.core import access
from epitome.site.file_language import writes_file
from modelbridge.api.runs.runs import TAG, find_run
from modelbridge.api.runs.serializers import OutputOut, SampleOutputOut, sample_outputs
from modelbridge.models import OutputState, Run
from modelbridge.services.runs import outputs

STATE = OpenApiParameter("state", OpenApiTypes.STR, enum=OutputState.values)


class RunOutputs(APIView):
    """The outputs of a run."""

    @document_call(
        "runs_outputs",
        "Outputs of a run",
        answers={200: page_serializer(OutputOut)},
        parameters=[*PAGE_PARAMETERS, STATE],
        tag=TAG,
    )
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        run = find_run(request, public_id)
        rows = run.outputs.select_related("run__revision__system", "sample__document").defer("steps")
        rows = rows.order_by("position")
        if state := choice_parameter(request, "state", OutputState.values):
            rows = rows.filter(state=state)
        return page_response(request, rows, OutputOut, filters=("state",))


@writes_file
class RunExport(APIView):
    """A run as a file."""

    @document_call(
        "runs_export",
        "Download the outputs of a run",
        answers={(200, "application/jsonl"): OpenApiResponse(OpenApiTypes.STR)},
        tag=TAG,
    )
    def get(self, request: Request, public_id: uuid.UUID) -> HttpResponseBase:
        """One JSON line per sample, with provenance and measures; `measure --predictions` and an upload read it."""
        run = find_run(request, public_id)
        refuse_unknown_parameters(request, ())
        lines: Iterator[bytes] = iter(()) if request.method == "HEAD" else _jsonl_lines(run)
        response = StreamingHttpResponse(lines, content_type="application/jsonl")
        name = f"{run.project.slug}-{run.revision.system.key}-{str(run.public_id)[:8]}.jsonl"
        response["Content-Disposition"] = f'attachment; filename="{name}"'
        response["X-Content-Type-Options"] = "nosniff"
        return response


def _jsonl_lines(run: Run) -> Iterator[bytes]:
    for line in outputs.export_lines(run):
        yield json.dumps(line, ensure_ascii=False, sort_keys=True).encode() + b"\n"


class SampleOutputs(APIView):
    """What every system gave for one sample."""

    @document_call("samples_outputs", "Outputs of a sample", answers={200: SampleOutputOut(many=True)}, tag=TAG)
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        """Finished and failed ones, by system, newest run first."""
        sample = access.row_for(request.user, Sample.objects.all(), public_id, access.MAKERS)
        refuse_unknown_parameters(request, ())
        return Response(sample_outputs(outputs.for_sample(sample.project, sample)))

"""A construction: its steps with their tables, started, estimated, stopped; its calls, and verdicts on rewrites."""

import uuid
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import PAGE_PARAMETERS, document_call, page_serializer
from annotation.api.core.query import choice_parameter, refuse_unknown_parameters
from annotation.api.core.requests import current_user, page_response, validate_body
from annotation.services.core import access
from annotation.services.core.errors import NotFound
from epitome.construction.steps import STEPS
from modelbridge.api.construction.serializers import (
    ConstructionOut,
    EstimateOut,
    RewriteOut,
    StepIn,
    StepOut,
    StepStopIn,
    VerdictIn,
    VerdictOut,
)
from modelbridge.models import Rewrite, RewriteState
from modelbridge.services.construction import overview, rewrite_pairs, steps
from modelbridge.services.construction.set_tables import CONSTRUCTION_TABLES
from modelbridge.services.systems import systems

TAG = "construction"
STEP = OpenApiParameter("step", OpenApiTypes.STR, enum=list(STEPS))
STATE = OpenApiParameter("state", OpenApiTypes.STR, enum=RewriteState.values)


class Construction(APIView):
    """The construction of CCSBench in a project."""

    @document_call("construction_read", "Read the construction", answers={200: ConstructionOut}, tag=TAG)
    def get(self, request: Request, slug: str) -> Response:
        """Every step, and the tables of sizes and of the validation beside the published ones."""
        project = access.project_for(request.user, slug, access.MAKERS)
        refuse_unknown_parameters(request, ())
        rows = [row.as_dict() for row in overview.list_steps(project)]
        tables = [build(project).as_json() for build in CONSTRUCTION_TABLES]
        return Response(ConstructionOut({"steps": rows, "tables": tables}).data)

    @document_call(
        "construction_start", "Start a step", request=StepIn, answers={202: StepOut, 200: EstimateOut}, tag=TAG
    )
    def post(self, request: Request, slug: str) -> Response:
        """Starts a step, or resumes one that was stopped or has failed calls. With `dry_run` nothing is asked
        or stored, and the answer is what it would cost (200)."""
        project = access.project_for(request.user, slug, access.MAKERS)
        values = validate_body(StepIn, request.data)
        revision = systems.revision_of(project, values["system"]) if values["system"] else None
        same: dict[str, Any] = {"project": project, "key": values["step"], "revision": revision, "seed": values["seed"]}
        if values["dry_run"]:
            estimate = steps.estimate_step(**same, options=values.get("options"))
            return Response(EstimateOut(estimate.as_dict()).data)
        step = steps.start_step(**same, options=values.get("options"), by=current_user(request))
        return Response(StepOut(overview.describe_step(step).as_dict()).data, status=202)


class ConstructionStop(APIView):
    """Stopping a step."""

    @document_call("construction_stop", "Stop a step", request=StepStopIn, answers={200: StepOut}, tag=TAG)
    def post(self, request: Request, slug: str) -> Response:
        """Calls under way are still answered and stored; 409 when the step has ended."""
        project = access.project_for(request.user, slug, access.MAKERS)
        step = steps.find_step(project, validate_body(StepStopIn, request.data)["step"])
        if step is None:
            raise NotFound()
        stopped = steps.stop_step(step=step, by=current_user(request))
        return Response(StepOut(overview.describe_step(stopped).as_dict()).data)


class Rewrites(APIView):
    """The calls of a construction."""

    @document_call(
        "rewrites_list",
        "List calls",
        answers={200: page_serializer(RewriteOut)},
        parameters=[*PAGE_PARAMETERS, STEP, STATE],
        tag=TAG,
    )
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.MAKERS)
        rows = Rewrite.objects.filter(project=project).select_related("step", "document").order_by("pk")
        if step := choice_parameter(request, "step", list(STEPS)):
            rows = rows.filter(step__key=step)
        if state := choice_parameter(request, "state", RewriteState.values):
            rows = rows.filter(state=state)
        return page_response(request, rows, RewriteOut, filters=("step", "state"))


class RewriteVerdicts(APIView):
    """Verdicts on a rewrite."""

    @document_call("rewrites_judge", "Accept or drop a rewrite", request=VerdictIn, answers={200: VerdictOut}, tag=TAG)
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """The last verdict on a text counts. A dropped text leaves every set, an accepted one comes back."""
        rows = Rewrite.objects.select_related("project", "step")
        rewrite = access.row_for(request.user, rows, public_id, access.MAKERS)
        values = validate_body(VerdictIn, request.data)
        stored = rewrite_pairs.judge_rewrite(rewrite=rewrite, by=current_user(request), **values)
        return Response(VerdictOut(stored).data)

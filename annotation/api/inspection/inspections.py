"""Inspection for staff: the queue of a week, drawing it, and the verdict on one annotation."""

import uuid

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import PAGE_PARAMETERS, document_call, page_serializer
from annotation.api.core.query import BadQuery, choice_parameter, text_parameter
from annotation.api.core.requests import current_user, page_response, validate_body
from annotation.api.inspection.serializers import (
    DRAWN_SHAPE,
    INSPECTIONS_SHAPE,
    InspectionDrawIn,
    InspectionIn,
    InspectionOut,
    QueueRowOut,
)
from annotation.models import Annotation, Project
from annotation.services.core import access
from annotation.services.core.errors import BadInput
from annotation.services.core.pseudonyms import Pseudonyms
from annotation.services.inspection import queue as queue_service
from annotation.services.inspection import verdicts as inspection_verdicts
from annotation.services.inspection import weekly_sample

STATES = ("open", "done")


def _check_week(week: str, project: Project) -> None:
    try:
        weekly_sample.week_bounds(week, project)
    except BadInput as error:
        raise BadQuery(error.message, field="week") from error


class Inspections(APIView):
    """The queue of a project."""

    @document_call(
        "inspections_list",
        "List what is to be inspected",
        answers={200: page_serializer(QueueRowOut)},
        parameters=[
            *PAGE_PARAMETERS,
            OpenApiParameter("week", OpenApiTypes.STR, description="as in 2026-W47; all weeks where not given"),
            OpenApiParameter("state", OpenApiTypes.STR, enum=STATES),
        ],
        tag="inspection",
    )
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.STAFF)
        week, state = text_parameter(request, "week"), choice_parameter(request, "state", STATES)
        if week:
            _check_week(week, project)
        rows = queue_service.select_queue(project=project, reviewer=current_user(request), week=week, state=state)
        context = {"pseudonyms": Pseudonyms(project), "caller": current_user(request)}
        return page_response(request, rows, QueueRowOut, filters=("week", "state"), context=context, project=project)

    @document_call(
        "inspections_draw",
        "Draw a week's sample",
        request=InspectionDrawIn,
        answers={200: DRAWN_SHAPE},
        tag="inspection",
    )
    def post(self, request: Request, slug: str) -> Response:
        """Drawing again adds what was submitted since. Finished weeks are drawn without being asked."""
        project = access.project_for(request.user, slug, access.STAFF)
        week = validate_body(InspectionDrawIn, request.data).get("week") or weekly_sample.week_of(
            timezone.now(), project
        )
        added = weekly_sample.draw_week(project=project, week=week, by=current_user(request))
        return Response({"week": week, "added": added})


class AnnotationInspections(APIView):
    """The inspection of one annotation."""

    def _found(self, request: Request, public_id: uuid.UUID) -> Annotation:
        rows = Annotation.objects.filter(assignment__isnull=False)
        return access.row_for(request.user, rows, public_id, access.STAFF)

    @document_call(
        "annotation_inspections_read", "Read an inspection", answers={200: INSPECTIONS_SHAPE}, tag="inspection"
    )
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        annotation = self._found(request, public_id)
        attempt = inspection_verdicts.load_attempt(annotation)
        refusal = inspection_verdicts.verdict_conflict(annotation, attempt, current_user(request))
        visible_inspections = (
            [] if refusal is None or refusal.code == "own" else annotation.inspections.order_by("second")
        )
        rows = InspectionOut(visible_inspections, many=True, context={"caller": current_user(request)}).data
        judged_parts = [
            {name: judged_part[name] for name in ("key", "label", "value")}
            for judged_part in inspection_verdicts.list_parts(attempt)
        ]
        reason = refusal.code if refusal is not None else ""
        return Response({"parts": judged_parts, "open": refusal is None, "reason": reason, "inspections": rows})

    @document_call(
        "annotation_inspections_add",
        "Give a verdict",
        request=InspectionIn,
        answers={201: InspectionOut},
        tag="inspection",
    )
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """The first verdict accepts, returns or rejects; the strictest part decides. What is not accepted says why."""
        annotation = self._found(request, public_id)
        values = validate_body(InspectionIn, request.data)
        stored = inspection_verdicts.save_verdict(annotation=annotation, reviewer=current_user(request), data=values)
        return Response(InspectionOut(stored, context={"caller": current_user(request)}).data, status=201)

"""Inspection for staff: the queue of a week, drawing it, and the verdict on one annotation."""

import uuid
from typing import Any

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import PAGE_PARAMETERS, document_call, page_serializer
from annotation.api.core.query import BadQuery, choice_parameter, text_parameter
from annotation.api.core.requests import current_user, page_response, validate_body
from annotation.api.core.serializers import Strict
from annotation.models import Annotation, Inspection, InspectionSample, Project, Verdict
from annotation.services.core import access
from annotation.services.core.errors import BadInput
from annotation.services.core.pseudonyms import Pseudonyms
from annotation.services.inspection import queue as lists
from annotation.services.inspection import verdicts as inspection_verdicts
from annotation.services.inspection import weekly_sample
from annotation.services.inspection.verdicts import MAX_COMMENT

STATES = ("open", "done")


def _comment_field(**options: Any) -> serializers.CharField:
    return serializers.CharField(max_length=MAX_COMMENT, trim_whitespace=False, **options)


class PartIn(Strict):
    verdict = serializers.ChoiceField(Verdict.choices)
    comment = _comment_field(required=False, allow_blank=True)


class OnTextIn(Strict):
    """A comment on words of the summary."""

    start = serializers.IntegerField(
        min_value=0, max_value=inspection_verdicts.MAX_OFFSET, help_text="code points, inclusive"
    )
    end = serializers.IntegerField(
        min_value=1, max_value=inspection_verdicts.MAX_OFFSET, help_text="code points, exclusive"
    )
    quote = serializers.CharField(trim_whitespace=False, help_text="the text that stands there")
    comment = _comment_field()


class InspectionIn(Strict):
    verdicts = serializers.DictField(child=PartIn(), help_text="one for every part that the annotation names")
    comments = serializers.ListField(child=OnTextIn(), required=False, max_length=inspection_verdicts.MAX_COMMENTS)
    comment = _comment_field(required=False, allow_blank=True)


class InspectionOut(serializers.Serializer[Any]):
    id = serializers.UUIDField(source="public_id")
    annotation = serializers.UUIDField(source="annotation.public_id")
    revision = serializers.IntegerField(source="annotation.revision")
    second = serializers.BooleanField(help_text="a second look, for the agreement; it changed no state")
    own = serializers.SerializerMethodField(help_text="whether the caller gave it")
    verdict = serializers.ChoiceField(Verdict.choices, help_text="the strictest of the parts")
    verdicts = serializers.DictField(child=PartIn())
    comments = serializers.ListField(child=OnTextIn())
    comment = serializers.CharField()
    seconds = serializers.FloatField(allow_null=True)
    created_at = serializers.DateTimeField()

    def get_own(self, row: Inspection) -> bool:
        return bool(row.reviewer_id == self.context["caller"].pk)


class QueueRowOut(serializers.Serializer[Any]):
    """One look that a week's sample asks for."""

    annotation = serializers.UUIDField(source="newest", help_text="what to inspect: the newest revision")
    sample_id = serializers.SerializerMethodField(help_text="{external_id}#{position}")
    annotator = serializers.SerializerMethodField(help_text="the pseudonym that exports use")
    week = serializers.CharField()
    second = serializers.BooleanField()
    reason = serializers.ChoiceField(InspectionSample.Reason.choices)
    inspected = serializers.SerializerMethodField()
    open = serializers.SerializerMethodField(help_text="whether the caller can give the verdict now")

    def get_sample_id(self, row: Any) -> str:
        return f"{row.annotation.sample.document.external_id}#{row.annotation.sample.position}"

    def get_annotator(self, row: Any) -> str | None:
        return Pseudonyms(self.context["project"]).of(row.annotator_id)

    def get_inspected(self, row: Any) -> bool:
        return row.verdict is not None

    def get_open(self, row: Any) -> bool:
        return lists.can_inspect(row, self.context["caller"])


class InspectionDrawIn(Strict):
    week = serializers.CharField(max_length=8, required=False, help_text="as in 2026-W47; the running one if absent")


DRAWN_SHAPE = inline_serializer(
    name="InspectionDrawn", fields={"week": serializers.CharField(), "added": serializers.IntegerField()}
)
PART_SHAPE = inline_serializer(
    name="InspectionPart",
    fields={
        "key": serializers.CharField(),
        "label": serializers.CharField(),
        "value": serializers.JSONField(allow_null=True),
    },
    many=True,
)
INSPECTIONS_SHAPE = inline_serializer(
    name="AnnotationInspections",
    fields={
        "parts": PART_SHAPE,
        "open": serializers.BooleanField(help_text="whether the caller can give a verdict now"),
        "reason": serializers.CharField(help_text="why not: own, inspected, superseded, closed; empty where open"),
        "inspections": serializers.ListField(
            child=InspectionOut(), help_text="shown only when the caller has no verdict left to give"
        ),
    },
)


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
        rows = lists.select_queue(project=project, reviewer=current_user(request), week=week, state=state)
        context = {"project": project, "caller": current_user(request)}
        return page_response(request, rows, QueueRowOut, filters=("week", "state"), context=context)

    @document_call(
        "inspections_draw",
        "Draw a week's sample",
        request=InspectionDrawIn,
        answers={200: DRAWN_SHAPE},
        tag="inspection",
    )
    def post(self, request: Request, slug: str) -> Response:
        """Drawing again adds what was handed in since. Finished weeks are drawn without being asked."""
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

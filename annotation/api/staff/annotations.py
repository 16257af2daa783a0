"""Submitted and imported annotations, for staff."""

import json
import uuid
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import PAGE_PARAMETERS, document_call, page_serializer
from annotation.api.core.query import choice_parameter, text_parameter
from annotation.api.core.requests import current_user, page_response
from annotation.models import Annotation, AssignmentState, Project, SourceDocument
from annotation.models.annotations import AnnotationQuerySet
from annotation.services.core import access
from annotation.services.core.pseudonyms import Pseudonyms

IMPORTED = "imported"
STATES = ("submitted", "returned", "accepted", "rejected", "surplus", "void", IMPORTED)
REVISIONS = ("latest", "all")
RELATED_FIELDS = (
    "sample__document",
    "assignment__group__document",
    "assignment__annotator",
    "schema_version",
    "guideline_version",
)
LOADED_FIELDS = (
    *("public_id", "origin", "revision", "payload", "raw_json", "assistance", "band_shown", "timings", "surplus"),
    *("created_at", "project_id", "schema_version__number", "guideline_version__number"),
    *("sample__public_id", "sample__position", "sample__document__external_id", "sample__document__public_id"),
    *("assignment__public_id", "assignment__state", "assignment__annotator__username"),
    *("assignment__group__document__external_id", "assignment__group__document__public_id"),
)


class AnnotationOut(serializers.Serializer[Any]):
    """One submitted revision, or an imported summary. What a restored one says of itself is in its payload's line."""

    id = serializers.UUIDField(source="public_id")
    sample_id = serializers.SerializerMethodField(help_text="{external_id}#{position}; null where topics were chosen")
    source_id = serializers.SerializerMethodField(help_text="external id of the source")
    document = serializers.SerializerMethodField(help_text="id of the source")
    assignment = serializers.SerializerMethodField(help_text="id of the attempt; null for imported ones")
    state = serializers.SerializerMethodField(help_text="of the attempt, or imported")
    origin = serializers.ChoiceField(Annotation.Origin.choices)
    revision = serializers.IntegerField()
    annotator = serializers.SerializerMethodField(help_text="the pseudonym that exports use")
    username = serializers.SerializerMethodField(help_text="for researchers and admins")
    payload = serializers.DictField(help_text="of the task's kind: summary, title, relevant_segments, spans")
    schema_version = serializers.IntegerField(source="schema_version.number")
    guideline_version = serializers.SerializerMethodField()
    assistance = serializers.CharField()
    band_shown = serializers.DictField()
    timings = serializers.DictField()
    surplus = serializers.BooleanField()
    created_at = serializers.DateTimeField()

    def _document(self, row: Annotation) -> SourceDocument | None:
        if row.sample is not None:
            return row.sample.document
        return row.assignment.group.document if row.assignment is not None else None

    def _restored(self, row: Annotation) -> dict[str, Any]:
        """What a line that came with an export said; it has no attempt of a person of this site."""
        if row.origin != Annotation.Origin.RESTORED or not row.raw_json:
            return {}
        line: dict[str, Any] = json.loads(row.raw_json)
        return line

    def get_sample_id(self, row: Annotation) -> str | None:
        return f"{row.sample.document.external_id}#{row.sample.position}" if row.sample is not None else None

    def get_source_id(self, row: Annotation) -> str | None:
        document = self._document(row)
        return document.external_id if document is not None else None

    def get_document(self, row: Annotation) -> uuid.UUID | None:
        document = self._document(row)
        return document.public_id if document is not None else None

    def get_assignment(self, row: Annotation) -> uuid.UUID | None:
        return row.assignment.public_id if row.assignment is not None else None

    @extend_schema_field(serializers.ChoiceField(STATES))
    def get_state(self, row: Annotation) -> str:
        if row.assignment is not None:
            return str(row.assignment.state)
        return str(self._restored(row).get("state", IMPORTED))

    def get_annotator(self, row: Annotation) -> str | None:
        if row.assignment is None:
            return self._restored(row).get("annotator")
        pseudonyms: Pseudonyms = self.context["pseudonyms"]
        return pseudonyms.of(row.assignment.annotator_id)

    def get_username(self, row: Annotation) -> str | None:
        if row.assignment is None or not self.context["names"]:
            return None
        return str(row.assignment.annotator.username)

    def get_guideline_version(self, row: Annotation) -> int | None:
        return row.guideline_version.number if row.guideline_version is not None else None


def _select_annotations() -> AnnotationQuerySet:
    return Annotation.objects.select_related(*RELATED_FIELDS).only(*LOADED_FIELDS)


def _serializer_context(request: Request, project: Project) -> dict[str, Any]:
    makers = {role.value for role in access.MAKERS}
    names = bool(access.roles_of(current_user(request), project) & makers)
    return {"pseudonyms": Pseudonyms(project), "names": names}


class Annotations(APIView):
    """The annotations of a project."""

    @document_call(
        "annotations_list",
        "List annotations",
        answers={200: page_serializer(AnnotationOut)},
        parameters=[
            *PAGE_PARAMETERS,
            OpenApiParameter("state", OpenApiTypes.STR, enum=STATES),
            OpenApiParameter("source", OpenApiTypes.STR, description="external id of the source"),
            OpenApiParameter("revisions", OpenApiTypes.STR, enum=REVISIONS, description="latest where not given"),
        ],
        tag="annotations",
    )
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.STAFF)
        rows = _select_annotations().filter(project=project).order_by("id")
        if choice_parameter(request, "revisions", REVISIONS) != "all":
            rows = rows.latest_revisions()
        if state := choice_parameter(request, "state", STATES):
            state_filter = {"assignment": None} if state == IMPORTED else {"assignment__state": AssignmentState(state)}
            rows = rows.filter(**state_filter)
        if source := text_parameter(request, "source"):
            documents = SourceDocument.objects.filter(project=project, external_id=source)
            rows = rows.filter(sample__document__in=documents)
        context = _serializer_context(request, project)
        return page_response(request, rows, AnnotationOut, filters=("state", "source", "revisions"), context=context)


class OneAnnotation(APIView):
    """One annotation."""

    @document_call("annotations_read", "Read an annotation", answers={200: AnnotationOut}, tag="annotations")
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        rows = Annotation.objects.select_related(*RELATED_FIELDS)
        row = access.row_for(request.user, rows, public_id, access.STAFF)
        return Response(AnnotationOut(row, context=_serializer_context(request, row.project)).data)

"""Submitted and imported annotations, for staff."""

import uuid
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import PAGE_PARAMETERS, document_call, page_serializer
from annotation.api.core.query import choice_parameter, filter_containing, search_parameter, text_parameter
from annotation.api.core.requests import current_user, page_response
from annotation.api.staff.serializers import IMPORTED, STATES, AnnotationContext, AnnotationOut
from annotation.models import Annotation, AssignmentState, Project, SourceDocument
from annotation.models.annotations import AnnotationQuerySet
from annotation.services.core import access
from annotation.services.core.list_pages import rows_of_project
from annotation.services.core.pseudonyms import Pseudonyms
from annotation.services.core.text_search import contains

REVISIONS = ("latest", "all")


def _select_rows() -> AnnotationQuerySet:
    """Annotations with what their JSON needs of other rows."""
    related = Annotation.objects.select_related(
        "sample__document",
        "assignment__group__document",
        "assignment__annotator",
        "schema_version",
        "guideline_version",
    )
    return related.defer(
        *("sample__document__metadata_json", "assignment__group__document__metadata_json"),
        *("schema_version__text", "guideline_version__text", "guideline_version__note"),
    )


def _filter_by_state(rows: AnnotationQuerySet, state: str, project: Project) -> AnnotationQuerySet:
    if state == IMPORTED:
        return rows.filter(assignment=None)
    # Named too, though it is the same project: the database can begin with the attempts.
    return rows.filter(assignment__state=AssignmentState(state), assignment__project=project)


def _serializer_context(request: Request, project: Project) -> dict[str, Any]:
    makers = {role.value for role in access.MAKERS}
    names = bool(access.roles_of(current_user(request), project) & makers)
    return {"of_annotations": AnnotationContext(Pseudonyms(project), names)}


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
            search_parameter("the external id or the title of the source"),
            OpenApiParameter(
                "person", OpenApiTypes.STR, description="contained in the writer's user name; for who sees names"
            ),
            OpenApiParameter("revisions", OpenApiTypes.STR, enum=REVISIONS, description="latest where not given"),
        ],
        tag="annotations",
    )
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.STAFF)
        rows = rows_of_project(_select_rows(), project).order_by("project_id", "id")
        if choice_parameter(request, "revisions", REVISIONS) != "all":
            rows = rows.latest_revisions()
        if state := choice_parameter(request, "state", STATES):
            rows = _filter_by_state(rows, state, project)
        if source := text_parameter(request, "source"):
            documents = SourceDocument.objects.filter(project=project, external_id=source)
            rows = rows.filter(sample__document__in=documents)
        if words := text_parameter(request, "q"):
            documents = SourceDocument.objects.filter(contains(words, "external_id", "title"), project=project)
            rows = rows.filter(sample__document__in=documents.values("pk"))
        context = _serializer_context(request, project)
        filters: tuple[str, ...] = ("state", "source", "q", "revisions")
        if context["of_annotations"].names:
            filters = (*filters, "person")
            rows = filter_containing(request, rows, "assignment__annotator__username", name="person")
        return page_response(request, rows, AnnotationOut, filters=filters, context=context, project=project)


class OneAnnotation(APIView):
    """One annotation."""

    @document_call("annotations_read", "Read an annotation", answers={200: AnnotationOut}, tag="annotations")
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        row = access.row_for(request.user, _select_rows(), public_id, access.STAFF)
        return Response(AnnotationOut(row, context=_serializer_context(request, row.project)).data)

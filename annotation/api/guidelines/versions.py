"""The versioned texts of a project: its attribute schema and its guideline."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import document_call
from annotation.api.core.query import number_parameter, refuse_unknown_parameters
from annotation.api.core.requests import current_user, validate_body
from annotation.api.guidelines.serializers import GuidelineIn, GuidelineOut, SchemaOut, VersionIn
from annotation.models import GuidelineVersion, Project, SchemaVersion
from annotation.services.core import access
from annotation.services.core.errors import BadInput, NotFound
from annotation.services.people import projects

VERSION = OpenApiParameter(
    "version", OpenApiTypes.INT, description="the newest where not given; older ones stay as they are"
)


def _requested_version(request: Request, versions: Any) -> Any:
    """The version named by ?version=, or the newest."""
    refuse_unknown_parameters(request, ("version",))
    number = number_parameter(request, "version", low=1, high=10**6)
    rows = versions.order_by("-number")
    version = (rows.filter(number=number) if number else rows).first()
    if version is None:
        raise NotFound(_("There is no such version."))
    return version


class Schema(APIView):
    """The attribute schema."""

    @document_call(
        "schema_read", "Read the schema", answers={200: SchemaOut}, parameters=[VERSION], tag="schema and guideline"
    )
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug)
        return Response(SchemaOut(_requested_version(request, SchemaVersion.objects.filter(project=project))).data)

    @document_call(
        "schema_change",
        "Write the next version of the schema",
        request=VersionIn,
        answers={201: SchemaOut, 200: SchemaOut},
        tag="schema and guideline",
    )
    def post(self, request: Request, slug: str) -> Response:
        """201 the next version, for samples drawn from now on; 200 the newest one where the text is the same."""
        project = access.project_for(request.user, slug, access.MAKERS)
        text = validate_body(VersionIn, request.data)["text"]
        previous_number = project.schema_version.number
        try:
            version = projects.new_schema_version(project=project, text=text, by=current_user(request))
        except BadInput as error:
            error.field = "text"
            raise
        return Response(SchemaOut(version).data, status=201 if version.number > previous_number else 200)


class Guideline(APIView):
    """The guideline."""

    @document_call(
        "guideline_read",
        "Read the guideline",
        answers={200: GuidelineOut},
        parameters=[VERSION],
        tag="schema and guideline",
    )
    def get(self, request: Request, slug: str) -> Response:
        project: Project = access.project_for(request.user, slug)
        return Response(
            GuidelineOut(_requested_version(request, GuidelineVersion.objects.filter(project=project))).data
        )

    @document_call(
        "guideline_change",
        "Write the next version of the guideline",
        request=GuidelineIn,
        answers={201: GuidelineOut, 200: GuidelineOut},
        tag="schema and guideline",
    )
    def post(self, request: Request, slug: str) -> Response:
        """201 the next version; 200 the newest one where the text is the same."""
        project = access.project_for(request.user, slug, access.MAKERS)
        previous_number = project.guideline_version.number
        version = projects.new_guideline_version(
            project=project, by=current_user(request), **validate_body(GuidelineIn, request.data)
        )
        return Response(GuidelineOut(version).data, status=201 if version.number > previous_number else 200)

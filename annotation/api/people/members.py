"""Members of a project and their roles."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import PAGE_PARAMETERS, document_call, page_serializer
from annotation.api.core.query import choice_parameter, filter_containing, search_parameter
from annotation.api.core.requests import current_user, page_response, validate_body
from annotation.api.people.serializers import MemberIn, MemberOut
from annotation.models import Membership, Role
from annotation.services.core import access
from annotation.services.people import members


class Members(APIView):
    """Who has which role."""

    @document_call(
        "members_list",
        "List members",
        answers={200: page_serializer(MemberOut)},
        parameters=[
            *PAGE_PARAMETERS,
            search_parameter("the user name or the e-mail address"),
            OpenApiParameter("role", OpenApiTypes.STR, enum=Role.values),
        ],
        tag="members",
    )
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.ADMINS)
        rows = Membership.objects.filter(project=project).select_related("user").order_by("user__username", "role")
        rows = filter_containing(request, rows, "user__username", "user__email")
        if role := choice_parameter(request, "role", Role.values):
            rows = rows.filter(role=role)
        return page_response(request, rows, MemberOut, filters=("q", "role"))

    @document_call("members_add", "Give a person a role", request=MemberIn, answers={201: MemberOut}, tag="members")
    def post(self, request: Request, slug: str) -> Response:
        """The person must have an account here; having the role already is fine."""
        project = access.project_for(request.user, slug, access.ADMINS)
        member = members.add_member(project=project, by=current_user(request), **validate_body(MemberIn, request.data))
        return Response(MemberOut(member).data, status=201)


class MemberRemoval(APIView):
    """Taking a role away."""

    @document_call("members_remove", "Take a role away", request=MemberIn, answers={204: None}, tag="members")
    def post(self, request: Request, slug: str) -> Response:
        """Counts on the person's next request. The last admin of a project stays."""
        project = access.project_for(request.user, slug, access.ADMINS)
        members.remove_member(project=project, by=current_user(request), **validate_body(MemberIn, request.data))
        return Response(status=204)

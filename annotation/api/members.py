"""Members of a project and their roles."""

from django.contrib.auth.models import User
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.common import PAGE, checked, documented, page_of
from annotation.api.serializers import MemberIn, MemberOut
from annotation.models import Membership
from annotation.services import access, members


class Members(APIView):
    """Who has which role."""

    @documented(answers={200: MemberOut(many=True)}, parameters=PAGE, tags=["members"], summary="List members")
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.ADMINS)
        rows = Membership.objects.filter(project=project).select_related("user").order_by("user__username", "role")
        return page_of(request, rows, MemberOut)

    @documented(request=MemberIn, answers={201: MemberOut}, tags=["members"], summary="Give a person a role")
    def post(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.ADMINS)
        assert isinstance(request.user, User)
        member = members.add_member(project=project, by=request.user, **checked(MemberIn, request.data))
        return Response(MemberOut(member).data, status=201)


class MemberRemoval(APIView):
    """Taking a role away."""

    @documented(request=MemberIn, answers={204: None}, tags=["members"], summary="Take a role away")
    def post(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.ADMINS)
        assert isinstance(request.user, User)
        members.remove_member(project=project, by=request.user, **checked(MemberIn, request.data))
        return Response(status=204)

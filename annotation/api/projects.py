"""Projects: list, make, read, change."""

from django.contrib.auth.models import User
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.common import PAGE, checked, documented, page_of
from annotation.api.serializers import ProjectIn, ProjectOut, ProjectSettingsIn
from annotation.models import Project
from annotation.services import access, projects


class Projects(APIView):
    """The projects one is in."""

    @documented(answers={200: ProjectOut(many=True)}, parameters=PAGE, tags=["projects"], summary="Projects I am in")
    def get(self, request: Request) -> Response:
        assert isinstance(request.user, User)
        return page_of(request, Project.objects.seen_by(request.user).order_by("slug"), ProjectOut)

    @documented(request=ProjectIn, answers={201: ProjectOut}, tags=["projects"], summary="Make a project")
    def post(self, request: Request) -> Response:
        assert isinstance(request.user, User)
        values = checked(ProjectIn, request.data)
        project = projects.create_project(created_by=request.user, **values)
        return Response(ProjectOut(project).data, status=201)


class OneProject(APIView):
    """One project."""

    @documented(answers={200: ProjectOut}, tags=["projects"], summary="Read a project")
    def get(self, request: Request, slug: str) -> Response:
        return Response(ProjectOut(access.project_for(request.user, slug)).data)

    @documented(request=ProjectSettingsIn, answers={200: ProjectOut}, tags=["projects"], summary="Change settings")
    def patch(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.ADMINS)
        assert isinstance(request.user, User)
        changed = projects.change_settings(project=project, by=request.user, **checked(ProjectSettingsIn, request.data))
        return Response(ProjectOut(changed).data)

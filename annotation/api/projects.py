"""Projects: list, make, read, change."""

from django.utils.translation import gettext as _
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.common import caller, checked, page_of
from annotation.api.openapi import PAGE, documented, page_of_shape
from annotation.api.serializers import ProjectIn, ProjectOut, ProjectSettingsIn
from annotation.models import Project
from annotation.services import access, projects


class Projects(APIView):
    """The projects one is in."""

    @documented(
        "projects_list", "Projects I am in", answers={200: page_of_shape(ProjectOut)}, parameters=PAGE, tag="projects"
    )
    def get(self, request: Request) -> Response:
        return page_of(request, Project.objects.seen_by(caller(request)).order_by("slug"), ProjectOut)

    @documented("projects_make", "Make a project", request=ProjectIn, answers={201: ProjectOut}, tag="projects")
    def post(self, request: Request) -> Response:
        """Site admins, and whoever is researcher or admin of a project already."""
        if not access.may_create_projects(request.user):
            raise PermissionDenied(_("Only site admins and researchers make projects."))
        values = {"schema": None, **checked(ProjectIn, request.data)}
        project = projects.create_project(created_by=caller(request), **values)
        return Response(ProjectOut(project).data, status=201)


class OneProject(APIView):
    """One project."""

    @documented("projects_read", "Read a project", answers={200: ProjectOut}, tag="projects")
    def get(self, request: Request, slug: str) -> Response:
        return Response(ProjectOut(access.project_for(request.user, slug)).data)

    @documented(
        "projects_change",
        "Change settings",
        request=ProjectSettingsIn,
        answers={200: ProjectOut},
        tag="projects",
    )
    def patch(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.ADMINS)
        values = checked(ProjectSettingsIn, request.data)
        return Response(ProjectOut(projects.change_settings(project=project, by=caller(request), **values)).data)

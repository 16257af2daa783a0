"""Projects: list, create, read, change settings."""

from django.utils.translation import gettext as _
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import PAGE_PARAMETERS, document_call, page_serializer
from annotation.api.core.requests import current_user, page_response, validate_body
from annotation.api.people.serializers import ProjectIn, ProjectOut, ProjectSettingsIn
from annotation.models import Project
from annotation.services.core import access
from annotation.services.people import projects


class Projects(APIView):
    """The projects one is in."""

    @document_call(
        "projects_list",
        "Projects I am in",
        answers={200: page_serializer(ProjectOut)},
        parameters=PAGE_PARAMETERS,
        tag="projects",
    )
    def get(self, request: Request) -> Response:
        return page_response(request, Project.objects.seen_by(current_user(request)).order_by("slug"), ProjectOut)

    @document_call("projects_make", "Make a project", request=ProjectIn, answers={201: ProjectOut}, tag="projects")
    def post(self, request: Request) -> Response:
        """Site admins, and whoever is researcher or admin of a project already."""
        if not access.may_create_projects(request.user):
            raise PermissionDenied(_("Only site admins and researchers can create projects."))
        values = {"schema": None, **validate_body(ProjectIn, request.data)}
        project = projects.create_project(created_by=current_user(request), **values)
        return Response(ProjectOut(project).data, status=201)


class OneProject(APIView):
    """One project."""

    @document_call("projects_read", "Read a project", answers={200: ProjectOut}, tag="projects")
    def get(self, request: Request, slug: str) -> Response:
        return Response(ProjectOut(access.project_for(request.user, slug)).data)

    @document_call(
        "projects_change",
        "Change settings",
        request=ProjectSettingsIn,
        answers={200: ProjectOut},
        tag="projects",
    )
    def patch(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.ADMINS)
        values = validate_body(ProjectSettingsIn, request.data)
        return Response(ProjectOut(projects.change_settings(project=project, by=current_user(request), **values)).data)

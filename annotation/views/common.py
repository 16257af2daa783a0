"""How a page is entered: signed in, with a role in the project, by the methods it knows."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Concatenate, ParamSpec
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation.models import Project, Role
from annotation.services import access
from annotation.services.errors import ServiceError
from annotation.views.context import set_project

Rest = ParamSpec("Rest")
View = Callable[..., HttpResponseBase]
ProjectView = Callable[Concatenate[HttpRequest, Project, Rest], HttpResponseBase]


def signed_in(*, methods: Sequence[str] = ("GET", "HEAD")) -> Callable[[View], View]:
    """A page for anybody who is signed in."""

    def wrap(view: View) -> View:
        return require_http_methods(list(methods))(login_required(view))

    return wrap


def project_page(
    roles: tuple[Role, ...], *, methods: Sequence[str] = ("GET", "HEAD")
) -> Callable[[ProjectView[Rest]], View]:
    """A page of one project: view(request, project, ...). Without one of the roles it does not exist (404)."""

    def wrap(view: ProjectView[Rest]) -> View:
        @wraps(view)
        def inner(request: HttpRequest, slug: str, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
            project = access.project_for(request.user, slug, roles)
            set_project(request, project, access.roles_of(request.user, project))
            with timezone.override(zone_of(project)):
                return view(request, project, *args, **kwargs)

        return require_http_methods(list(methods))(login_required(inner))

    return wrap


def zone_of(project: Project) -> ZoneInfo:
    try:
        return ZoneInfo(project.timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # a zone this machine does not know: times stay in UTC
        return ZoneInfo("UTC")


def refuse(form: forms.BaseForm, error: ServiceError) -> None:
    """Show what a service refused beside the field it names, or above the form."""
    form.add_error(error.field if error.field in form.fields else None, error.message)

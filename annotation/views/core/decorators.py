"""How a page is entered: signed in, with a role in the project, by the methods it knows."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django import forms
from django.contrib.auth.models import User
from django.db.models import Model
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation.models import Project, Role
from annotation.services.core import access
from annotation.services.core.errors import ServiceError
from annotation.views.core.form_pages import redirect_to_sign_in
from annotation.views.core.navigation import set_project

Rest = ParamSpec("Rest")


Row = TypeVar("Row", bound=Model)


View = Callable[..., HttpResponseBase]


ProjectView = Callable[Concatenate[HttpRequest, Project, Rest], HttpResponseBase]


def signed_in(*, methods: Sequence[str] = ("GET", "HEAD")) -> Callable[[View], View]:
    """Decorate a view that requires a signed-in user."""

    def wrap(view: View) -> View:
        return restrict_methods(require_sign_in(view), methods)

    return wrap


def require_sign_in(view: View) -> View:
    """Decorate a view: anonymous visitors get the sign-in page, which leads back."""

    @wraps(view)
    def inner(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        return view(request, *args, **kwargs) if request.user.is_authenticated else redirect_to_sign_in(request)

    return inner


def restrict_methods(view: View, methods: Sequence[str]) -> View:
    """Decorate a view and note on it the methods that it takes, for `form_pages.is_page`."""
    restricted: Any = require_http_methods(list(methods))(view)
    restricted.page_methods = tuple(methods)
    return cast(View, restricted)


def project_page(
    roles: tuple[Role, ...], *, methods: Sequence[str] = ("GET", "HEAD")
) -> Callable[[ProjectView[Rest]], View]:
    """Decorate a project view: view(request, project, ...). Raises NotFound (404) without one of the roles."""

    def wrap(view: ProjectView[Rest]) -> View:
        @wraps(view)
        def inner(request: HttpRequest, slug: str, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
            project = access.project_for(request.user, slug, roles)
            enter_project(request, project)
            with zone_override(project):
                return view(request, project, *args, **kwargs)

        return restrict_methods(require_sign_in(inner), methods)

    return wrap


def enter_project(request: HttpRequest, project: Project) -> None:
    """Set the project and the user's roles in it on the request, for the page layout."""
    set_project(request, project, access.roles_of(request.user, project))


def zone_override(project: Project) -> AbstractContextManager[None]:
    """Use the project's time zone inside the context."""
    return timezone.override(project_zone(project))


def project_zone(project: Project) -> ZoneInfo:
    try:
        return ZoneInfo(project.timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # a zone unknown to this machine: fall back to UTC
        return ZoneInfo("UTC")


def add_service_error(form: forms.BaseForm, error: ServiceError) -> None:
    """Add a service error to the form, at the field it names or as a form error."""
    form.add_error(error.field if error.field in form.fields else None, error.message)


def current_user(request: HttpRequest) -> User:
    """The signed-in user; only valid behind a decorator of this module."""
    return cast(User, request.user)

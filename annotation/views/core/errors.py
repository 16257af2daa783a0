"""Error pages: what happened and what to do next, never a traceback."""

import sys
from typing import NamedTuple, TypeVar

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.outages import find_outage
from annotation.services.core.errors import ServiceError
from annotation.views.core.form_pages import SAFE_METHODS, find_form_page, find_parent_page
from epitome.site.repeating import CONNECTION_LOST

Response = TypeVar("Response", bound=HttpResponse)
PICTURES = {403: "lock", 404: "lock", 405: "back", 429: "pause"}
"""Icon of an error page by its status; "warn" for the others."""


class Action(NamedTuple):
    """The one thing to do next on an error page."""

    url: str
    label: str


TITLES = {429: gettext_lazy("Too many requests")}


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    if isinstance(exception, RequestDataTooBig):
        return _render_error(
            request,
            413,
            _("Too large to send with a form"),
            _("Files up to %(limit)d MB are uploaded on the page; larger ones with the command import_sources.")
            % {"limit": settings.EPITOME_MAX_UPLOAD // 2**20},
            Action(find_form_page(request), _("Go back")),
        )
    return _render_error(
        request,
        400,
        _("This request could not be read"),
        _("Something in the address or the form is not valid. Go back, check your entries and try again."),
    )


def service_error(request: HttpRequest, error: ServiceError) -> HttpResponse:
    """The page for a service error raised outside a form, with the error's message."""
    status = 400 if error.status == 422 else error.status
    title = TITLES.get(status, _("This cannot be done"))
    action = None if request.method in SAFE_METHODS else Action(find_form_page(request), _("Go back"))
    response = _render_error(request, status, str(title), error.message, action)
    return add_retry_after(response, error)


def add_retry_after(response: Response, error: ServiceError) -> Response:
    """Set Retry-After where the error says in how many seconds to try again."""
    if error.retry_after:
        response["Retry-After"] = str(error.retry_after)
    return response


def permission_denied(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _render_error(
        request,
        403,
        _("You don't have access"),
        _("If you need access, ask the admin of the project."),
    )


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _render_error(
        request,
        404,
        _("Page not found, or you don't have access"),
        _("If you need access, ask the admin of the project."),
    )


def method_not_allowed(request: HttpRequest) -> HttpResponse:
    """An address that only takes forms was opened as a page, or a page got a method that it does not take."""
    return _render_error(
        request,
        405,
        _("This address is not a page"),
        _("It only receives a form, and nothing was changed. Open the page and press the button there."),
        Action(find_parent_page(request), _("Open the page")),
    )


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return _render_error(
        request,
        403,
        _("This form has expired"),
        _("Nothing was changed. Go back, check your entries and send it again; cookies must be allowed."),
        Action(find_form_page(request), _("Go back")),
    )


def server_error(request: HttpRequest) -> HttpResponse:
    """Rendered without database or session, because either may be the cause. An outage answers 503 or 507."""
    outage = find_outage(sys.exception())
    if outage is None:
        return _render_broken(request, 500, _("Something went wrong on the server"), _describe_fault(request))
    if outage.connection_lost:
        request.META[CONNECTION_LOST] = True
    response = _render_broken(request, outage.status, outage.title, outage.text, code=outage.code)
    response["Retry-After"] = str(outage.retry_after)
    return response


def _describe_fault(request: HttpRequest) -> str:
    """With the ID of the request, where the lines of the log carry it."""
    request_id = getattr(request, "log_fields", {}).get("request_id", "")
    if settings.LOG_FORMAT == "json" and request_id:
        return _("The error was logged with the request ID %(id)s. What was saved before is not affected.") % {
            "id": request_id
        }
    return _("The error was logged. What was saved before is not affected.")


def _render_broken(request: HttpRequest, status: int, title: str, text: str, *, code: str = "refused") -> HttpResponse:
    if request.path.startswith("/api/"):
        return _problem_response(status, title, text, code=code)
    retry_url = request.get_full_path() if request.method in SAFE_METHODS else ""
    context = {"status": status, "title": title, "text": text, "retry_url": retry_url}
    return HttpResponse(render_to_string("500.html", context), status=status)


def _render_error(
    request: HttpRequest, status: int, title: str, text: str, action: Action | None = None
) -> HttpResponse:
    if request.path.startswith("/api/"):  # refused before an API view was reached: answer with the same problem format
        return _problem_response(status, title, text)
    if not hasattr(request, "user"):  # refused before authentication, as for a disallowed host
        request.user = AnonymousUser()
    context = {
        "status": status,
        "title": title,
        "text": text,
        "action": action or Action(reverse("home"), _("All projects")),
        "picture": PICTURES.get(status, "warn"),
    }
    return render(request, "error.html", context, status=status)


def _problem_response(status: int, title: str, detail: str, *, code: str = "refused") -> HttpResponse:
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail, "code": code, "errors": []}
    return JsonResponse(body, status=status, content_type="application/problem+json")

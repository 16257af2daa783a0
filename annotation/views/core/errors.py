"""Error pages: what happened and what to do next, never a traceback."""

import sys

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from annotation.services.core.errors import ServiceError
from annotation.views.core.outages import find_outage
from epitome.repeating import CONNECTION_LOST


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    if isinstance(exception, RequestDataTooBig):
        return _render_error(
            request,
            413,
            _("This is too large to send by a form"),
            _("Files up to %(limit)d MB come by the page; larger ones by the command import_sources.")
            % {"limit": settings.EPITOME_MAX_UPLOAD // 2**20},
        )
    return _render_error(
        request,
        400,
        _("This request could not be read"),
        _("Something in the address or the form was not understood. Go back, check what was entered, and try again."),
    )


def service_error(request: HttpRequest, error: ServiceError) -> HttpResponse:
    """The page for a service error raised outside a form, with the error's message."""
    return _render_error(request, 400 if error.status == 422 else error.status, _("This cannot be done"), error.message)


def permission_denied(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _render_error(request, 403, _("This is not open to you"), _("Your account has no part in this."))


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _render_error(
        request,
        404,
        _("There is nothing here"),
        _("The address is unknown, or what stands there is not yours to see."),
    )


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return _render_error(
        request,
        403,
        _("This form was too old, or came from elsewhere"),
        _("Nothing was changed. Go back, reload the page and send the form again; cookies must be allowed."),
    )


def server_error(request: HttpRequest) -> HttpResponse:
    """Rendered without database or session, because either may be the cause. An outage answers 503 or 507."""
    outage = find_outage(sys.exception())
    if outage is None:
        return _render_broken(
            request,
            500,
            _("Something broke on our side"),
            _("What was saved before is kept. The fault is in the server's log; try again in a moment."),
        )
    if outage.connection_lost:
        request.META[CONNECTION_LOST] = True
    response = _render_broken(request, outage.status, outage.title, outage.text, code=outage.code)
    response["Retry-After"] = str(outage.retry_after)
    return response


def _render_broken(request: HttpRequest, status: int, title: str, text: str, *, code: str = "refused") -> HttpResponse:
    if request.path.startswith("/api/"):
        return _problem_response(status, title, text, code=code)
    return HttpResponse(render_to_string("500.html", {"status": status, "title": title, "text": text}), status=status)


def _render_error(request: HttpRequest, status: int, title: str, text: str) -> HttpResponse:
    if request.path.startswith("/api/"):  # refused before an API view was reached: answer with the same problem format
        return _problem_response(status, title, text)
    if not hasattr(request, "user"):  # refused before authentication, as for a disallowed host
        request.user = AnonymousUser()
    return render(request, "error.html", {"status": status, "title": title, "text": text}, status=status)


def _problem_response(status: int, title: str, detail: str, *, code: str = "refused") -> HttpResponse:
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail, "code": code, "errors": []}
    return JsonResponse(body, status=status, content_type="application/problem+json")

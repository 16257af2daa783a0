"""Errors as problem details (RFC 9457): what was wrong, which field, what to do."""

from typing import Any

from django.core.exceptions import (
    BadRequest,
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
    TooManyFieldsSent,
    TooManyFilesSent,
)
from django.http import Http404, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.views import exception_handler

from annotation.services.core.errors import NotFound, ServiceError

TITLES = {
    400: "Bad request",
    401: "Not signed in",
    403: "Not allowed",
    404: "Not found",
    405: "Method not allowed",
    406: "Not acceptable",
    409: "Conflict",
    413: "Too large",
    415: "Unsupported media type",
    422: "Not usable",
    429: "Too many requests",
}


TOO_LARGE = (RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent)
UNREADABLE = (SuspiciousOperation, BadRequest, MultiPartParserError, UnreadablePostError)


def problem_response(
    status: int, detail: str, *, code: str = "", errors: list[dict[str, str]] | None = None, **extra: Any
) -> Response:
    """One problem document; `errors` is a list of {"field", "message"}."""
    body = {
        "type": "about:blank",
        "title": TITLES.get(status, "Error"),
        "status": status,
        "detail": detail,
        "code": code,
        "errors": errors or [],
        **extra,
    }
    return Response(body, status=status, content_type="application/problem+json")


def _flatten_errors(detail: Any, place: str = "") -> list[dict[str, str]]:
    """DRF's nested error detail, flattened to fields."""
    if isinstance(detail, dict):
        detail = {"body" if key == api_settings.NON_FIELD_ERRORS_KEY else key: inner for key, inner in detail.items()}
        return [
            row
            for key, inner in detail.items()
            for row in _flatten_errors(inner, f"{place}.{key}" if place else str(key))
        ]
    if isinstance(detail, list):
        if all(not isinstance(inner, dict | list) for inner in detail):
            return [{"field": place, "message": str(inner)} for inner in detail]
        return [row for i, inner in enumerate(detail) for row in _flatten_errors(inner, f"{place}[{i}]")]
    return [{"field": place, "message": str(detail)}]


def handle(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler. Unknown exceptions stay an error 500, logged by Django."""
    if isinstance(error, ServiceError):
        rows = [{"field": error.field, "message": error.message}] if error.field else []
        # What a reading call refuses was in its address: a service that reports it may be asked by writing calls too.
        is_reading = context["request"].method in ("GET", "HEAD", "OPTIONS")
        status = 400 if is_reading and error.status == 422 else error.status
        response = problem_response(status, error.message, code=error.code, errors=rows, **error.extra)
        if error.retry_after:
            response["Retry-After"] = str(error.retry_after)
        return response
    if isinstance(error, Http404):
        return problem_response(404, NotFound().message, code="notfound")
    if isinstance(error, PermissionDenied):
        return problem_response(403, str(error) or TITLES[403], code="forbidden")
    if isinstance(error, TOO_LARGE):
        return problem_response(413, _("The request is too large. %(why)s") % {"why": error}, code="toolarge")
    if isinstance(error, UNREADABLE):
        return problem_response(
            400, _("The request could not be read. %(why)s") % {"why": str(error)[:200]}, code="unreadable"
        )
    drf_response = exception_handler(error, context)
    if drf_response is None or not isinstance(error, exceptions.APIException):
        return drf_response
    if isinstance(error, exceptions.ValidationError):
        rows = _flatten_errors(error.detail)
        detail = "; ".join(f"{r['field']}: {r['message']}" if r["field"] else r["message"] for r in rows[:3])
        response = problem_response(422, detail, code="badinput", errors=rows)
    elif isinstance(error, exceptions.Throttled):
        wait = int(getattr(error, "wait", None) or 1)
        message = ngettext(
            "Too many writes in one minute. Try again in %(n)d second.",
            "Too many writes in one minute. Try again in %(n)d seconds.",
            wait,
        )
        detail = message % {"n": wait}
        response = problem_response(429, detail, code="toomany")
    else:
        response = problem_response(
            drf_response.status_code, str(error.detail), code=str(getattr(error, "default_code", ""))
        )
    for name, value in drf_response.headers.items():
        if name.lower() != "content-type":
            response[name] = value
    return response

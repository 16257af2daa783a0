"""Errors as problem details (RFC 9457): what was wrong, which field, what to do."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler

from annotation.services.errors import ServiceError

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


def problem(
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


def _fields(detail: Any, place: str = "") -> list[dict[str, str]]:
    """DRF's nested error detail, flattened to fields."""
    if isinstance(detail, dict):
        return [row for key, inner in detail.items() for row in _fields(inner, f"{place}.{key}" if place else str(key))]
    if isinstance(detail, list):
        if all(not isinstance(inner, dict | list) for inner in detail):
            return [{"field": place, "message": str(inner)} for inner in detail]
        return [row for i, inner in enumerate(detail) for row in _fields(inner, f"{place}[{i}]")]
    return [{"field": place, "message": str(detail)}]


def handle(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler. What is not known here stays an error 500, logged by Django."""
    if isinstance(error, ServiceError):
        rows = [{"field": error.field, "message": error.message}] if error.field else []
        return problem(error.status, error.message, code=error.code, errors=rows, **error.extra)
    if isinstance(error, Http404):
        return problem(404, "There is no such thing, or it is not yours.", code="notfound")
    if isinstance(error, PermissionDenied):
        return problem(403, str(error) or TITLES[403], code="forbidden")
    plain = exception_handler(error, context)
    if plain is None or not isinstance(error, exceptions.APIException):
        return plain
    if isinstance(error, exceptions.ValidationError):
        rows = _fields(error.detail)
        detail = "; ".join(f"{r['field']}: {r['message']}" if r["field"] else r["message"] for r in rows[:3])
        found = problem(422 if plain.status_code == 400 else plain.status_code, detail, code="badinput", errors=rows)
    else:
        found = problem(plain.status_code, str(error.detail), code=str(getattr(error, "default_code", "")))
    for name, value in plain.headers.items():
        if name.lower() != "content-type":
            found[name] = value
    return found

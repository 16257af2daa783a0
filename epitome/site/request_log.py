"""Gives every request an id, which each log record of the request carries, and logs one record per request (INFO)."""

import logging
import time
import uuid
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase

log = logging.getLogger(__name__)
_current_request: ContextVar[dict[str, Any] | None] = ContextVar("current_request", default=None)
# These paths are secrets: whoever knows one gets in.
SECRET_PATHS = ("/join/", "/take-part/", "/password/reset/", "/sign-in/link/")


def current_request() -> dict[str, Any]:
    """request_id, method and path of the request that this thread works on; empty outside of one."""
    return _current_request.get() or {}


class RequestLog:
    """The outermost middleware."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        described = {"request_id": uuid.uuid4().hex, "method": request.method, "path": loggable_path(request.path)}
        token = _current_request.set(described)
        request.log_fields = described  # type: ignore[attr-defined] # for what Django logs after this middleware
        started = time.perf_counter()
        try:
            response = self.get_response(request)
            if log.isEnabledFor(logging.INFO):
                milliseconds = round((time.perf_counter() - started) * 1000, 1)
                log.info(
                    "%s %s %s in %s ms",
                    described["method"],
                    described["path"],
                    response.status_code,
                    milliseconds,
                    extra={"status": response.status_code, "ms": milliseconds},
                )
            return response
        finally:
            _current_request.reset(token)


def loggable_path(path: str) -> str:
    """The path without the secret part of links that let people in."""
    for begin in SECRET_PATHS:
        if path.startswith(begin) and path != begin:
            return begin + "..."
    return path

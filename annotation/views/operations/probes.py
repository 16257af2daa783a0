"""What machines ask for: /healthz, /readyz and /metrics. Answered before any other middleware.

So a probe needs no session and no host name of the site, and is not sent on to HTTPS. The answers name neither.
"""

import json
import secrets
import time
from collections.abc import Callable
from ipaddress import ip_address
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from annotation.services.operations.readiness import check_readiness
from annotation.views.core.client_ip import find_client_ip
from annotation.views.operations.metrics_folder import prepare_folder

SAFE_METHODS = ("GET", "HEAD")
RETRY_SECONDS = 5
"""After which whoever was told that the process is not ready should ask again."""


class Probes:
    """The first middleware: answers probes, and counts and times all other requests where metrics are switched on."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self.probes: dict[str, Callable[[HttpRequest], HttpResponse | None]] = {
            "/healthz": answer_health,
            "/readyz": answer_readiness,
        }
        self.count_request: Callable[[str, int, float], None] | None = None
        if settings.EPITOME_METRICS_TOKEN or settings.EPITOME_METRICS_IPS:
            prepare_folder()
            from annotation.views.operations import metrics

            self.probes["/metrics"] = answer_metrics
            self.count_request = metrics.count_request

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        probe = self.probes.get(request.path_info) if request.method in SAFE_METHODS else None
        response = probe(request) if probe is not None else None
        if response is not None:
            response["Cache-Control"] = "no-store"
            response["X-Content-Type-Options"] = "nosniff"
            response["Content-Length"] = str(len(response.content))
            return response
        if self.count_request is None:
            return self.get_response(request)
        start = time.perf_counter()
        answer = self.get_response(request)
        self.count_request(str(request.method), answer.status_code, time.perf_counter() - start)
        return answer


def answer_health(_request: HttpRequest) -> HttpResponse:
    """The process is alive; nothing else is asked."""
    return _json_response({"alive": True})


def answer_readiness(_request: HttpRequest) -> HttpResponse:
    """200, or 503 with the reasons; `workers` is information and does not decide."""
    readiness = check_readiness()
    body = {"ready": not readiness.reasons, "reasons": readiness.reasons, "workers": readiness.workers}
    response = _json_response(body, status=503 if readiness.reasons else 200)
    if readiness.reasons:
        response["Retry-After"] = str(RETRY_SECONDS)
    return response


def answer_metrics(request: HttpRequest) -> HttpResponse | None:
    """None, so that the usual 404 follows, for callers who may not read them."""
    if not may_read_metrics(request):
        return None
    from annotation.views.operations import metrics

    return metrics.render_metrics()


def may_read_metrics(request: HttpRequest) -> bool:
    """By the token, or from an address that the settings name."""
    scheme, _space, token = request.headers.get("Authorization", "").partition(" ")
    expected: str = settings.EPITOME_METRICS_TOKEN
    if expected and scheme.lower() == "bearer" and secrets.compare_digest(token.strip().encode(), expected.encode()):
        return True
    if "X-Forwarded-For" in request.headers and not settings.EPITOME_BEHIND_PROXY:
        return False  # a proxy that the settings do not know: its own address says nothing of the sender
    try:
        address = ip_address(find_client_ip(request))
    except ValueError:
        return False
    return any(address in network for network in settings.EPITOME_METRICS_IPS)


def _json_response(body: dict[str, Any], *, status: int = 200) -> HttpResponse:
    return HttpResponse(json.dumps(body), status=status, content_type="application/json")

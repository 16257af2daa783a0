"""What the calls share: documented answers, checked query parameters, pages of lists."""

import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.serializers import BaseSerializer

from annotation.api.pagination import Pages
from annotation.api.serializers import JobStarted, Problem
from annotation.models import Job
from annotation.services.errors import BadInput

Call = TypeVar("Call", bound=Callable[..., Any])

PROBLEM = {(code, "application/problem+json"): OpenApiResponse(Problem) for code in (400, 401, 403, 404, 409, 422)}
PAGE = [
    OpenApiParameter("page", OpenApiTypes.INT, description="from 1"),
    OpenApiParameter("page_size", OpenApiTypes.INT, description="up to 200"),
]


def documented(
    *,
    request: Any = None,
    answers: Mapping[Any, Any],
    parameters: Sequence[OpenApiParameter] = (),
    tags: Sequence[str] = (),
    summary: str = "",
) -> Callable[[Call], Call]:
    """extend_schema with the problem answers that every call can give."""
    decorate: Callable[[Call], Call] = extend_schema(
        request=request,
        responses={**answers, **PROBLEM},
        parameters=list(parameters),
        tags=list(tags) or None,
        summary=summary or None,
    )
    return decorate


def checked(serializer: type[BaseSerializer[Any]], data: Any) -> dict[str, Any]:
    """The body as typed values; DRF raises with the fields named."""
    found = serializer(data=data)
    found.is_valid(raise_exception=True)
    values: dict[str, Any] = dict(found.validated_data)
    return values


def ordering(request: Request, allowed: Sequence[str], default: str) -> str:
    """The `order` parameter, from an allow-list; a leading minus reverses it."""
    order = request.query_params.get("order", default)
    if order.lstrip("-") not in allowed or order.startswith("--"):
        raise BadInput(_("Order by one of: %(list)s.") % {"list": ", ".join(allowed)}, field="order")
    return order


def text_parameter(request: Request, name: str, *, longest: int = 200) -> str:
    """A query parameter as text that a database can compare."""
    value = request.query_params.get(name, "")
    if "\x00" in value or len(value) > longest:
        raise BadInput(_("Use at most %(n)d characters and no NUL.") % {"n": longest}, field=name)
    return value


def flag_parameter(request: Request, name: str) -> bool | None:
    value = request.query_params.get(name)
    if value is None:
        return None
    if value.lower() not in ("true", "false", "1", "0"):
        raise BadInput(_("Use true or false."), field=name)
    return value.lower() in ("true", "1")


def page_of(request: Request, rows: "QuerySet[Any]", serializer: type[BaseSerializer[Any]]) -> Response:
    pages = Pages()
    found = pages.paginate_queryset(rows, request)
    return pages.get_paginated_response(serializer(found, many=True).data)


def started(request: Request, job: Job) -> Response:
    """202 with where to follow the job."""
    url = reverse("api-job", kwargs={"public_id": job.public_id}, request=request)
    return Response(JobStarted({"id": job.public_id, "status_url": url}).data, status=202)


def as_uuid(value: str, field: str) -> uuid.UUID:
    try:
        return uuid.UUID(value)
    except ValueError:
        raise BadInput(_("This is not an id."), field=field) from None

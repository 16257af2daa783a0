"""Shared by the API views: validated request bodies, paginated lists, responses that name a job."""

from collections.abc import Mapping
from typing import Any, cast

from django.contrib.auth.models import User
from django.db.models import QuerySet
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.serializers import BaseSerializer

from annotation.api.core.pagination import Pages
from annotation.api.core.query import PAGING, refuse_unknown_parameters
from annotation.api.core.serializers import Strict
from annotation.api.jobs.serializers import JobStarted
from annotation.models import Job, Project


def current_user(request: Request) -> User:
    """The signed-in user; only for views behind IsAuthenticated, the default permission."""
    return cast(User, request.user)


def validate_body(serializer: type[Strict], data: Any) -> dict[str, Any]:
    """Validate the body and return its typed values; DRF's ValidationError names the fields."""
    bound_serializer = serializer(data=data)
    bound_serializer.is_valid(raise_exception=True)
    values: dict[str, Any] = dict(bound_serializer.validated_data)
    return values


def page_response(
    request: Request,
    rows: "QuerySet[Any]",
    serializer: type[BaseSerializer[Any]],
    *,
    filters: tuple[str, ...] = (),
    context: Mapping[str, Any] | None = None,
    project: Project | None = None,
) -> Response:
    """One page of rows in the pagination envelope. filters: query parameters allowed besides those of the page.
    project: keeps a large count of rows that change by audited writes only."""
    refuse_unknown_parameters(request, (*PAGING, *filters))
    pages = Pages(project)
    page_rows = pages.paginate_queryset(rows, request)
    return pages.get_paginated_response(serializer(page_rows, many=True, context=dict(context or {})).data)


def describe_job(request: Request, job: Job) -> dict[str, Any]:
    """The job's id and the URL of its status."""
    url = reverse("api-job", kwargs={"public_id": job.public_id}, request=request)
    return dict(JobStarted({"id": job.public_id, "status_url": url}).data)


def job_response(request: Request, job: Job) -> Response:
    """202 with the job's id and the URL of its status."""
    values = describe_job(request, job)
    return Response(values, status=202, headers={"Location": values["status_url"]})

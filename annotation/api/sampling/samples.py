"""Candidates and samples: start the jobs that create them, list samples, count before drawing."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import PAGE_PARAMETERS, document_call, page_serializer
from annotation.api.core.query import choice_parameter, search_parameter, text_parameter
from annotation.api.core.requests import current_user, job_response, page_response, validate_body
from annotation.api.jobs.serializers import JobStarted
from annotation.api.sampling.serializers import DrawIn, DryRunOut, SampleOut, SamplingIn
from annotation.models import Sample, SampleState, SourceDocument
from annotation.services.core import access
from annotation.services.core.list_pages import rows_of_project
from annotation.services.core.text_search import contains
from annotation.services.sampling import draw as sample_draw
from annotation.services.sampling.draw import DrawLimit
from annotation.services.sources import candidates as candidate_jobs


class Candidates(APIView):
    """Extraction."""

    @document_call("candidates_extract", "Extract candidates", answers={202: JobStarted}, tag="sources")
    def post(self, request: Request, slug: str) -> Response:
        """Topics and speakers of every usable source; sources that have them are passed over."""
        project = access.project_for(request.user, slug, access.MAKERS)
        return job_response(request, candidate_jobs.start_extraction(project=project, by=current_user(request)))


class Samples(APIView):
    """The samples of a project."""

    @document_call(
        "samples_list",
        "List samples",
        answers={200: page_serializer(SampleOut)},
        parameters=[
            *PAGE_PARAMETERS,
            OpenApiParameter("combination", OpenApiTypes.STR, description="such as snh"),
            OpenApiParameter("source", OpenApiTypes.STR, description="external id of the source"),
            search_parameter("the external id or the title of the source"),
            OpenApiParameter("state", OpenApiTypes.STR, enum=SampleState.values),
        ],
        tag="samples",
    )
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.STAFF)
        rows = Sample.objects.select_related("document", "group").defer("raw_json", "document__metadata_json")
        rows = rows_of_project(rows, project).order_by("project_id", "id")
        if combination := text_parameter(request, "combination", longest=60):
            rows = rows.filter(combination=combination)
        if source := text_parameter(request, "source"):
            rows = rows.filter(document__external_id=source)
        if words := text_parameter(request, "q"):
            sources = SourceDocument.objects.filter(contains(words, "external_id", "title"), project=project)
            rows = rows.filter(document__in=sources.values("pk"))
        if state := choice_parameter(request, "state", SampleState.values):
            rows = rows.filter(state=state)
        filters = ("combination", "source", "q", "state")
        return page_response(request, rows, SampleOut, filters=filters, project=project)

    @document_call("samples_draw", "Sample attributes", request=SamplingIn, answers={202: JobStarted}, tag="samples")
    def post(self, request: Request, slug: str) -> Response:
        """Starts a job; the same seed over the same sources draws the same."""
        project = access.project_for(request.user, slug, access.MAKERS)
        values = validate_body(SamplingIn, request.data)
        add, limit = values.pop("add"), _take_limit(values)
        options = sample_draw.default_options(project, **values)
        most_samples = limit.count_samples(project, options=options)
        job = sample_draw.start_sampling(
            project=project, options=options, add=add, most_samples=most_samples, by=current_user(request)
        )
        return job_response(request, job)


class SamplesDryRun(APIView):
    """What a draw would give."""

    @document_call(
        "samples_dry_run", "Count what a draw will give", request=DrawIn, answers={200: DryRunOut}, tag="samples"
    )
    def post(self, request: Request, slug: str) -> Response:
        """Stores nothing: counts per value and combination, a chi-square, pairs, writing time."""
        project = access.project_for(request.user, slug, access.MAKERS)
        values = validate_body(DrawIn, request.data)
        limit = _take_limit(values)
        options = sample_draw.default_options(project, **values)
        most_samples = limit.count_samples(project, options=options)
        return Response(sample_draw.dry_run(project=project, options=options, most_samples=most_samples).as_dict())


def _take_limit(values: dict[str, Any]) -> DrawLimit:
    """The limit among the values of a body; removed from them."""
    return DrawLimit(**{name: values.pop(f"most_{name}", None) for name in ("samples", "hours", "money")})

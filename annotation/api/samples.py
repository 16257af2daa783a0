"""Candidates and samples: start the jobs that make them, list what they made."""

from django.contrib.auth.models import User
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.common import PAGE, checked, documented, page_of, started, text_parameter
from annotation.api.serializers import JobStarted, SampleOut, SamplingIn
from annotation.models import Sample
from annotation.services import access, extracting, sampling


class Candidates(APIView):
    """Extraction."""

    @documented(answers={202: JobStarted}, tags=["sources"], summary="Extract candidates")
    def post(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.MAKERS)
        assert isinstance(request.user, User)
        return started(request, extracting.start_extraction(project=project, by=request.user))


class Samples(APIView):
    """The samples of a project."""

    @documented(
        answers={200: SampleOut(many=True)},
        parameters=[
            *PAGE,
            OpenApiParameter("combination", OpenApiTypes.STR, description="such as snh"),
            OpenApiParameter("source", OpenApiTypes.STR, description="external id of the source"),
        ],
        tags=["samples"],
        summary="List samples",
    )
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.STAFF)
        rows = Sample.objects.filter(project=project).select_related("document", "group").order_by("id")
        if combination := text_parameter(request, "combination", longest=60):
            rows = rows.filter(combination=combination)
        if source := text_parameter(request, "source"):
            rows = rows.filter(document__external_id=source)
        return page_of(request, rows, SampleOut)

    @documented(request=SamplingIn, answers={202: JobStarted}, tags=["samples"], summary="Sample attributes")
    def post(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.MAKERS)
        assert isinstance(request.user, User)
        values = checked(SamplingIn, request.data)
        changes = {"algorithm": values["algorithm"]} if values.get("algorithm") else {}
        options = sampling.default_options(project, seed=values["seed"], **changes)
        return started(
            request, sampling.start_sampling(project=project, options=options, add=values["add"], by=request.user)
        )

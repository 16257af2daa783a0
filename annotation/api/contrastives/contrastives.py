"""Contrastive examples of a project: the list, the sets they came from, and a job that makes them."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.contrastives.serializers import (
    ContrastiveOut,
    ContrastiveSetOut,
    ContrastivesFileIn,
    ContrastivesIn,
    ExclusionsIn,
    ExclusionsOut,
    PlannedContrastives,
)
from annotation.api.core.openapi import PAGE_PARAMETERS, document_call, page_serializer
from annotation.api.core.query import choice_parameter
from annotation.api.core.requests import current_user, job_response, page_response, validate_body
from annotation.api.jobs.serializers import JobStarted
from annotation.models import Contrastive, ContrastiveState
from annotation.services.contrastives import excluding, importing, making, sets
from annotation.services.contrastives.set_options import SetOptions
from annotation.services.core import access
from epitome.contrastives import RULES, parse_rules


class Contrastives(APIView):
    """The examples of a project."""

    @document_call(
        "contrastives_list",
        "List contrastive examples",
        answers={200: page_serializer(ContrastiveOut)},
        parameters=[
            *PAGE_PARAMETERS,
            OpenApiParameter("rule", OpenApiTypes.STR, enum=RULES),
            OpenApiParameter("state", OpenApiTypes.STR, enum=ContrastiveState.values),
        ],
        tag="contrastives",
    )
    def get(self, request: Request, slug: str) -> Response:
        """In the order in which they were made; withdrawn ones have no text."""
        project = access.project_for(request.user, slug, access.MAKERS)
        rows = Contrastive.objects.filter(project=project).select_related("sample__document", "annotation")
        if rule := choice_parameter(request, "rule", RULES):
            rows = rows.filter(rule=rule)
        if state := choice_parameter(request, "state", ContrastiveState.values):
            rows = rows.filter(state=state)
        return page_response(request, rows.order_by("pk"), ContrastiveOut, filters=("rule", "state"))

    @document_call(
        "contrastives_make",
        "Make contrastive examples",
        request=ContrastivesIn,
        answers={
            200: PlannedContrastives,
            202: JobStarted,
            409: OpenApiResponse(description="The project has examples made otherwise."),
        },
        tag="contrastives",
    )
    def post(self, request: Request, slug: str) -> Response:
        """Starts a job. The same options again continue an interrupted run or add newer golds. `dry_run`
        makes the examples of 40 gold summaries, and estimates shares from as many at most, and answers with counts."""
        project = access.project_for(request.user, slug, access.MAKERS)
        values = validate_body(ContrastivesIn, request.data)
        replace, is_dry = values.pop("replace"), values.pop("dry_run")
        rules, without = parse_rules(values["rules"]), tuple(values["without"])
        options = SetOptions(**{**values, "rules": rules, "without": without})
        if is_dry:
            plan = making.plan_contrastives(project=project, options=options, most_estimated=making.TRIED_GOLDS)
            return Response(PlannedContrastives(plan.as_dict()).data)
        job = making.start_making(project=project, options=options, replace=replace, by=current_user(request))
        return job_response(request, job)


class ContrastivesImport(APIView):
    """Examples made elsewhere."""

    parser_classes = (MultiPartParser,)

    @document_call(
        "contrastives_import",
        "Import contrastive examples",
        request={"multipart/form-data": ContrastivesFileIn},
        answers={202: JobStarted, 409: OpenApiResponse(description="The project has other examples.")},
        tag="contrastives",
    )
    def post(self, request: Request, slug: str) -> Response:
        """Starts a job that checks the whole file first and stores all of it or nothing."""
        project = access.project_for(request.user, slug, access.MAKERS)
        values = validate_body(ContrastivesFileIn, request.data)
        with values["file"] as upload:  # the storage moved it, and nothing else closes it
            job = importing.start_contrastives_import(
                project=project, upload=upload, replace=values["replace"], by=current_user(request)
            )
        return job_response(request, job)


class Exclusions(APIView):
    """Examples that people found true or unreadable."""

    @document_call(
        "contrastives_exclude",
        "Exclude contrastive examples",
        request=ExclusionsIn,
        answers={200: ExclusionsOut},
        tag="contrastives",
    )
    def post(self, request: Request, slug: str) -> Response:
        """Excluded examples count in no table and are not scored; with `excluded` false they count again."""
        project = access.project_for(request.user, slug, access.MAKERS)
        values = validate_body(ExclusionsIn, request.data)
        ids = excluding.find_examples(project, values["ids"])
        change = excluding.exclude_contrastives if values["excluded"] else excluding.include_again
        changed = change(project=project, ids=ids, by=current_user(request))
        return Response(ExclusionsOut({"changed": changed}).data)


class ContrastiveSets(APIView):
    """How the examples came about."""

    @document_call(
        "contrastive_sets_list",
        "List sets of contrastive examples",
        answers={200: page_serializer(ContrastiveSetOut)},
        parameters=PAGE_PARAMETERS,
        tag="contrastives",
    )
    def get(self, request: Request, slug: str) -> Response:
        """Newest first, replaced ones included."""
        project = access.project_for(request.user, slug, access.MAKERS)
        return page_response(request, sets.list_sets(project), ContrastiveSetOut)

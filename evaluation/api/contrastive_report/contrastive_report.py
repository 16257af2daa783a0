"""The report of runs over contrastive examples as JSON."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import document_call
from annotation.api.core.query import choice_parameter, flag_parameter, refuse_unknown_parameters
from annotation.services.core import access
from evaluation.api.contrastive_report.serializers import ContrastiveReportOut
from evaluation.services.contrastive_report import contrastive_tables
from evaluation.services.contrastive_report.contrastive_tables import SCORES, ReportOptions
from evaluation.services.contrastive_report.score_columns import ScoreKind

TAG = "systems and runs"
PARAMETERS = (
    OpenApiParameter("run", OpenApiTypes.STR, many=True, description="id of a run, or the key of its system"),
    OpenApiParameter("score", OpenApiTypes.STR, enum=SCORES, description="of a text's tokens; sum if absent"),
    OpenApiParameter("excluded", OpenApiTypes.BOOL, description="count excluded contrastives too"),
)


class ContrastiveReport(APIView):
    """How often scorers prefer gold summaries to contrastive examples."""

    @document_call(
        "contrastive_report_read",
        "Read dodged and escaped shares of runs",
        answers={200: ContrastiveReportOut},
        parameters=PARAMETERS,
        tag=TAG,
    )
    def get(self, request: Request, slug: str) -> Response:
        """Of finished runs over contrastives; `run` is given once for each of up to eight. Empty without a run."""
        refuse_unknown_parameters(request, ("run", "score", "excluded"))
        project = access.project_for(request.user, slug, access.MAKERS)
        counts_excluded = bool(flag_parameter(request, "excluded"))
        score: ScoreKind = "mean" if choice_parameter(request, "score", SCORES) == "mean" else "sum"
        runs = contrastive_tables.find_scored_runs(project, request.query_params.getlist("run"))
        report = contrastive_tables.build_contrastive_report(project, runs, ReportOptions(score, counts_excluded))
        return Response(ContrastiveReportOut(report).data)

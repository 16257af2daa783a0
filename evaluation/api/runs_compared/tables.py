"""A project's runs in the tables of the papers."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import document_call
from annotation.api.core.query import refuse_unknown_parameters, text_parameter
from annotation.services.core import access
from evaluation.api.runs_compared.serializers import TablesOut
from evaluation.services.runs_compared import table_runs
from evaluation.services.runs_compared.paper_tables import build_tables

ALONE = {f"alone_{attribute}": attribute for attribute in table_runs.SINGLE_ATTRIBUTES}
RUN = OpenApiParameter("run", OpenApiTypes.UUID, many=True, description="finished runs, up to 8; default: the newest 4")
TOGETHER = OpenApiParameter("together", OpenApiTypes.UUID, description="for CCSBench's Table 4: trained on all")


class ProjectTables(APIView):
    """Runs beside the published rows."""

    @document_call(
        "tables_read",
        "Read the tables of runs",
        answers={200: TablesOut},
        parameters=[
            RUN,
            TOGETHER,
            *(OpenApiParameter(name, OpenApiTypes.UUID, description="trained on it alone") for name in ALONE),
        ],
        tag="systems and runs",
    )
    def get(self, request: Request, slug: str) -> Response:
        """The tables of the page *Tables*: automatic scores, CCSBench's Tables 3 and 4, errors per requested value."""
        refuse_unknown_parameters(request, ("run", "together", *ALONE))
        project = access.project_for(request.user, slug, access.MAKERS)
        runs = table_runs.list_table_runs(project)
        chosen = table_runs.choose_runs(runs, request.query_params.getlist("run"))
        alone = {attribute: text_parameter(request, name) for name, attribute in ALONE.items()}
        composition = table_runs.choose_composition(project, runs, text_parameter(request, "together"), alone)
        tables = build_tables(project, chosen, composition)["tables"]
        return Response(TablesOut({"runs": [run.public_id for run in chosen], "tables": tables}).data)

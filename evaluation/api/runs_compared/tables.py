"""A project's runs in the tables of the papers."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import document_call
from annotation.api.core.query import refuse_unknown_parameters, text_parameter
from annotation.api.core.requests import current_user, describe_job
from annotation.models import Job, JobState, Project
from annotation.services.core import access
from evaluation.api.runs_compared.serializers import TablesOut
from evaluation.services.runs_compared import table_jobs, table_runs
from evaluation.services.runs_compared.paper_tables import CompositionRuns
from evaluation.services.runs_compared.table_jobs import StoredTables
from modelbridge.models import Run

TAG = "systems and runs"
RETRY_SECONDS = 2
ALONE = {f"alone_{attribute}": attribute for attribute in table_runs.SINGLE_ATTRIBUTES}
CHOICE = [
    OpenApiParameter("run", OpenApiTypes.UUID, many=True, description="finished runs, up to 8; default: the newest 4"),
    OpenApiParameter("together", OpenApiTypes.UUID, description="for CCSBench's Table 4: trained on all"),
    *(OpenApiParameter(name, OpenApiTypes.UUID, description="trained on it alone") for name in ALONE),
]
NOT_THERE = OpenApiResponse(description="Nobody started the job yet (code notcalculated), or it failed (code failed).")


def _choose_runs(request: Request, slug: str) -> tuple[Project, list[Run], CompositionRuns | None]:
    """The project, the chosen runs, and those of CCSBench's Table 4."""
    refuse_unknown_parameters(request, ("run", "together", *ALONE))
    project = access.project_for(request.user, slug, access.MAKERS)
    runs = table_runs.list_table_runs(project)
    chosen = table_runs.choose_runs(runs, request.query_params.getlist("run"))
    alone = {attribute: text_parameter(request, name) for name, attribute in ALONE.items()}
    return project, chosen, table_runs.choose_composition(project, runs, text_parameter(request, "together"), alone)


def _tables_response(request: Request, runs: list[Run], stored: StoredTables | None, job: Job | None) -> Response:
    """What is stored, and the job under way."""
    values = {
        "runs": [run.public_id for run in runs],
        "state": job.state if job is not None else JobState.DONE,
        "stale": stored is None or not stored.is_current,
        "computed_at": stored.computed_at if stored is not None else None,
        "job": describe_job(request, job) if job is not None else None,
        "tables": stored.views["tables"] if stored is not None else [],
    }
    response = Response(TablesOut(values).data)
    if job is not None:
        response["Retry-After"] = str(RETRY_SECONDS)
    return response


class ProjectTables(APIView):
    """Runs beside the published rows."""

    @document_call(
        "tables_read",
        "Read the tables of runs",
        answers={200: TablesOut, 202: TablesOut, 409: NOT_THERE},
        parameters=CHOICE,
        tag=TAG,
    )
    def get(self, request: Request, slug: str) -> Response:
        """The tables of the page *Tables*: automatic scores, CCSBench's Tables 3 and 4, errors per requested value.
        Nothing is computed or started by this call. 200 with the stored tables, also with outdated ones; 202 with
        Retry-After while there are none and their job waits or runs; 409 where it has to be started."""
        project, runs, composition = _choose_runs(request, slug)
        stored, job = table_jobs.read_tables(project, runs, composition)
        response = _tables_response(request, runs, stored, job)
        response.status_code = 202 if stored is None else 200
        return response

    @document_call(
        "tables_start",
        "Have the tables of runs calculated",
        answers={200: TablesOut, 202: TablesOut},
        parameters=CHOICE,
        tag=TAG,
    )
    def post(self, request: Request, slug: str) -> Response:
        """200 with the tables where they are stored and current. Otherwise 202 with the job, which this call starts
        unless it waits or runs already, and Retry-After; ask by GET then."""
        project, runs, composition = _choose_runs(request, slug)
        stored = table_jobs.find_tables(project, runs, composition)
        if stored is not None and stored.is_current:
            return _tables_response(request, runs, stored, None)
        job = table_jobs.start_tables(project=project, runs=runs, composition=composition, by=current_user(request))
        response = _tables_response(request, runs, stored, job)
        response.status_code = 202
        return response

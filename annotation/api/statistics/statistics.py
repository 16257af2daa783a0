"""The statistics of a dataset as JSON, and the view that starts their computation."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import document_call
from annotation.api.core.query import BadQuery, choice_parameter, refuse_unknown_parameters, text_parameter
from annotation.api.core.requests import current_user, job_response
from annotation.api.jobs.serializers import JobStarted
from annotation.api.statistics.serializers import StatisticsOut
from annotation.services import statistics as statistics_service
from annotation.services.core import access

NO_SPLIT = "-"
FILTERS = [
    OpenApiParameter("split", OpenApiTypes.STR, description="a split's name, - for sources without one; all if absent"),
    OpenApiParameter("origin", OpenApiTypes.STR, enum=statistics_service.ORIGINS, description="all where not given"),
    OpenApiParameter("state", OpenApiTypes.STR, enum=statistics_service.STATES, description="latest where not given"),
]


class Statistics(APIView):
    """Statistics of a project."""

    @document_call(
        "statistics_read", "Read the statistics", answers={200: StatisticsOut}, parameters=FILTERS, tag="statistics"
    )
    def get(self, request: Request, slug: str) -> Response:
        """The newest stored numbers; nothing is computed by this call."""
        project = access.project_for(request.user, slug, access.STAFF)
        refuse_unknown_parameters(request, ("split", "origin", "state"))
        split = text_parameter(request, "split", longest=20)
        origin = choice_parameter(request, "origin", statistics_service.ORIGINS) or "all"
        state = choice_parameter(request, "state", statistics_service.STATES) or "latest"
        splits = statistics_service.stored_splits(project) or []
        if split and (split if split != NO_SPLIT else "") not in splits:
            raise BadQuery(f"Use one of: {', '.join(name or NO_SPLIT for name in splits) or 'none'}.", field="split")
        split_name = split if split and len(splits) > 1 else statistics_service.ALL
        stored_result = statistics_service.load_statistics(
            project, statistics_service.Filter("" if split_name == NO_SPLIT else split_name, origin, state)
        )
        view = (stored_result.view if stored_result else None) or {}
        stale = stored_result is None or stored_result.version != statistics_service.data_version(project)[0]
        sections = view.get("sections", [])
        return Response(
            {
                "computed_at": stored_result.at if stored_result else None,
                "stale": stale,
                "splits": splits,
                **{name: view.get(name, 0) for name in ("summaries", "sources", "unmeasured")},
                "missing": view.get("missing", {}),
                "flags": [flag for section in sections for flag in section["flags"]],
                "tables": [section["table"] for section in sections],
            }
        )

    @document_call("statistics_start", "Work the statistics out", answers={202: JobStarted}, tag="statistics")
    def post(self, request: Request, slug: str) -> Response:
        """Starts a job; while one waits or runs, that one."""
        project = access.project_for(request.user, slug, access.MAKERS)
        return job_response(request, statistics_service.start_statistics(project=project, by=current_user(request)))

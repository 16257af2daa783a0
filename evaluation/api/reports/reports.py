"""The report of a round as JSON, and the calls that have it computed and judged by a model."""

import uuid

from django.http import HttpResponse
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import document_call
from annotation.api.core.query import refuse_unknown_parameters
from annotation.api.core.requests import current_user, job_response, validate_body
from annotation.api.jobs.serializers import JobStarted
from annotation.services.core.errors import BadInput
from epitome.site.file_language import writes_file
from evaluation.api.reports.serializers import JudgeIn, ReportOut
from evaluation.services.rating import model_judges
from evaluation.services.reports import check_file, report_files, report_jobs, report_site
from evaluation.services.rounds import round_access
from modelbridge.models import System

TAG = "rounds"
BLIND = OpenApiResponse(description="The round is blind.")


class RoundReport(APIView):
    """The report of an unblinded round."""

    @document_call("round_report_read", "Read a round's report", answers={200: ReportOut, 409: BLIND}, tag=TAG)
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        """Nothing is computed by this call. 409 (code blind) while the round is blind."""
        refuse_unknown_parameters(request, ())
        round_ = round_access.managed_round(request.user, public_id)
        report_jobs.check_unblinded(round_)
        stored = report_jobs.stored_report(round_)
        tables = [table.as_json() for table in report_files.list_tables(stored.report)] if stored else []
        values = {
            "computed_at": stored.at if stored else None,
            "stale": stored is None or stored.version != report_jobs.data_version(round_),
            "methods": stored.report["methods"] if stored else "",
            "judgements": stored.report["judgements"] if stored else 0,
            "tables": tables,
        }
        return Response(ReportOut(values).data)

    @document_call("round_report_start", "Work a round's report out", answers={202: JobStarted}, tag=TAG)
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """409 (code blind) while the round is blind."""
        round_ = round_access.managed_round(request.user, public_id)
        return job_response(request, report_jobs.start_report(round_=round_, by=current_user(request)))


@writes_file
class RoundSite(APIView):
    """The report of an unblinded round as a site."""

    @document_call(
        "round_site_download",
        "Download the site of a round",
        answers={(200, "application/zip"): OpenApiResponse(OpenApiTypes.BINARY), 409: BLIND},
        tag=TAG,
    )
    def get(self, request: Request, public_id: uuid.UUID) -> HttpResponse:
        """A zip archive of plain pages, tables and figures without raters. 409 (code noreport) before the report has
        been computed."""
        refuse_unknown_parameters(request, ())
        round_ = round_access.managed_round(request.user, public_id)
        name = report_site.name_site(round_)
        response = HttpResponse(report_site.zip_site(report_site.build_site(round_), name), "application/zip")
        response["Content-Disposition"] = f'attachment; filename="{name}.zip"'
        response["X-Content-Type-Options"] = "nosniff"
        return response


@writes_file
class RoundCheckFile(APIView):
    """The report of an unblinded round for whoever checks it."""

    @document_call(
        "round_check_file_download",
        "Download the file for checking a round's report",
        answers={
            (200, "application/jsonl"): OpenApiResponse(OpenApiTypes.STR, description="one object per line"),
            409: BLIND,
        },
        tag=TAG,
    )
    def get(self, request: Request, public_id: uuid.UUID) -> HttpResponse:
        """Every number with its formula, and all answers behind them, for `epitome check`. 409 (code noreport) before
        the report has been computed, and (code stale) where answers or scores came since."""
        refuse_unknown_parameters(request, ())
        round_ = round_access.managed_round(request.user, public_id)
        response = HttpResponse(b"".join(check_file.export_stored(round_)), "application/jsonl")
        name = check_file.name_file(round_)
        response["Content-Disposition"] = f'attachment; filename="{name}"'
        response["X-Content-Type-Options"] = "nosniff"
        return response


class RoundJudge(APIView):
    """A model as a rater, held against people and never mixed with them."""

    @document_call("round_judge", "Let a model judge", request=JudgeIn, answers={202: JobStarted}, tag=TAG)
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """What it has answered already is not asked again."""
        round_ = round_access.managed_round(request.user, public_id)
        key = validate_body(JudgeIn, request.data)["system"]
        system = System.objects.filter(project=round_.project, key=key).first()
        if system is None:
            raise BadInput(_("There is no system of this key in the project."), field="system")
        revision = model_judges.find_judge(round_, system)
        return job_response(
            request, model_judges.start_judging(round_=round_, revision=revision, by=current_user(request))
        )

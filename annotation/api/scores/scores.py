"""Scores of an annotation, the job that computes them, and live meters for a draft."""

import uuid

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.views import APIView

from annotation.api.core.openapi import document_call
from annotation.api.core.requests import current_user, job_response, validate_body
from annotation.api.jobs.serializers import JobStarted
from annotation.api.scores.serializers import MetersIn, MetersOut, MetersStarted, ScoresOut
from annotation.models import Annotation
from annotation.services.core import access
from annotation.services.scores import score_jobs, score_queries
from annotation.services.tasks import assignments, live_meters


class AnnotationScores(APIView):
    """The scores of one annotation."""

    @document_call("annotations_scores", "Scores of an annotation", answers={200: ScoresOut}, tag="scores")
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        """For staff: the scores of the current signatures, else the newest there are; empty until they are made."""
        row = access.row_for(request.user, Annotation.objects.only("public_id", "project"), public_id, access.STAFF)
        score_by_measure = score_queries.latest_scores(row.project, ids=[row.pk]).get(row.pk, {})
        score_rows = [{"measure": measure, **score._asdict()} for measure, score in sorted(score_by_measure.items())]
        return Response(ScoresOut({"annotation": row.public_id, **score_queries.ABOUT, "scores": score_rows}).data)


class ProjectScores(APIView):
    """Measuring a project."""

    @document_call("scores_start", "Measure what has no scores", answers={202: JobStarted}, tag="scores")
    def post(self, request: Request, slug: str) -> Response:
        """Starts a job; while one for the project waits or runs, names that one. Scores that are there stay."""
        project = access.project_for(request.user, slug, access.MAKERS)
        return job_response(request, score_jobs.start_scoring(project=project, by=current_user(request)))


class Meters(APIView):
    """What the browser cannot count while somebody writes."""

    @document_call(
        "assignments_meters", "Measure a draft", request=MetersIn, answers={202: MetersStarted}, tag="scores"
    )
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """Only where all meters are shown. A worker answers; a text that still waits is replaced by this one."""
        task = assignments.get_own_assignment(request.user, public_id)
        values = validate_body(MetersIn, request.data)
        job = live_meters.request_measurement(assignment=task, summary=values["summary"], revision=values["revision"])
        url = reverse("api-meter", kwargs={"public_id": task.public_id, "job": job.public_id}, request=request)
        body = MetersStarted({"id": job.public_id, "status_url": url, "revision": values["revision"]}).data
        return Response(body, status=202, headers={"Location": url})


class Meter(APIView):
    """The answer to a call of Meters."""

    @document_call("assignments_meter", "Read what was measured of a draft", answers={200: MetersOut}, tag="scores")
    def get(self, request: Request, public_id: uuid.UUID, job: uuid.UUID) -> Response:
        task = assignments.get_own_assignment(request.user, public_id)
        return Response(MetersOut(live_meters.load_result(assignment=task, public_id=job)).data)

"""Overlap for staff: samples with several summaries, comparing them, and the mark that an export follows."""

import uuid

from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import PAGE_PARAMETERS, document_call, page_serializer
from annotation.api.core.query import choice_parameter, refuse_unknown_parameters
from annotation.api.core.requests import current_user, job_response, page_response, validate_body
from annotation.api.jobs.serializers import JobStarted
from annotation.api.overlap import comparison_table
from annotation.api.overlap.serializers import ComparedOut, MarkIn, MarkOut, OverlapAnswerOut, OverlapOut
from annotation.models import Sample
from annotation.services.core import access
from annotation.services.core.errors import Conflict
from annotation.services.overlap import extra_texts
from annotation.services.overlap import marks as overlap_marks

TAG = "overlap"


class Overlaps(APIView):
    """Samples with several summaries."""

    @document_call(
        "overlap_list",
        "List overlap",
        answers={200: page_serializer(OverlapOut)},
        parameters=[*PAGE_PARAMETERS, OpenApiParameter("state", OpenApiTypes.STR, enum=overlap_marks.STATES)],
        tag=TAG,
    )
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.STAFF)
        rows = overlap_marks.list_overlap(project, choice_parameter(request, "state", overlap_marks.STATES))
        return page_response(request, rows, OverlapOut, filters=("state",), project=project)


class ExtraTexts(APIView):
    """Texts requested because the planned ones disagree."""

    @document_call("overlap_extra", "Request texts where annotators disagree", answers={202: JobStarted}, tag=TAG)
    def post(self, request: Request, slug: str) -> Response:
        """Starts a job; while one waits or runs, that one. 422 where the project sets no limit of agreement."""
        project = access.project_for(request.user, slug, access.MAKERS)
        return job_response(request, extra_texts.start_extra_texts(project=project, by=current_user(request)))


class OneOverlap(APIView):
    """The summaries of one sample."""

    def _sample(self, request: Request, public_id: uuid.UUID) -> Sample:
        sample = access.row_for(request.user, Sample.objects.all(), public_id, access.STAFF)
        return overlap_marks.find_sample(sample.project, public_id)

    def _answer(self, sample: Sample, status: int = 200) -> Response:
        comparison = overlap_marks.compare_summaries(sample)
        answers = [
            {
                **comparison_table.describe_answer(column.answer),
                "annotator": column.pseudonym,
                "state": str(column.assignment.state),
                "marked": column.marked,
                "verdicts": [str(inspection.verdict) for inspection in column.inspections],
            }
            for column in comparison.columns
        ]
        body = {
            "id": str(sample.public_id),
            "sample_id": f"{sample.document.external_id}#{sample.position}",
            "summaries": len(comparison.columns),
            "agreement": {
                value.key: {"value": value.value, "undefined": value.undefined} for value in comparison.agreement
            },
            "mark": MarkOut(comparison.mark).data if comparison.mark else None,
            "answers": OverlapAnswerOut(answers, many=True).data,
        }
        return Response(body, status=status)

    @document_call("overlap_read", "Compare the summaries of a sample", answers={200: ComparedOut}, tag=TAG)
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        sample = self._sample(request, public_id)
        refuse_unknown_parameters(request, ())
        return self._answer(sample)

    @document_call("overlap_mark", "Mark what is exported", request=MarkIn, answers={201: ComparedOut}, tag=TAG)
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """One summary or all of them. 409 (code marked) where another request was first."""
        sample = self._sample(request, public_id)
        overlap_marks.mark_sample(sample=sample, by=current_user(request), **validate_body(MarkIn, request.data))
        return self._answer(sample, 201)

    @document_call("overlap_undo", "Take a mark back", answers={200: ComparedOut}, tag=TAG)
    def delete(self, request: Request, public_id: uuid.UUID) -> Response:
        sample = self._sample(request, public_id)
        mark = overlap_marks.compare_summaries(sample).mark
        if mark is None:
            raise Conflict(_("There is no mark to take back."), code="unmarked")
        overlap_marks.undo_mark(mark=mark, by=current_user(request))
        return self._answer(sample)

"""Checking judges by hand: draw texts, label them blind, read how often each judge is right."""

import uuid
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import document_call
from annotation.api.core.query import refuse_unknown_parameters
from annotation.api.core.requests import current_user, validate_body
from annotation.services.core import access
from evaluation.api.judge_checks.serializers import (
    CheckTextOut,
    HandLabelIn,
    JudgeCheckIn,
    JudgeCheckOut,
    ValidityOut,
)
from evaluation.models import JudgeCheck
from evaluation.services.judge_checks import check_draws, check_tables, hand_labels

TAG = "systems and runs"
FOCUS = "focus"


def find_check(request: Request, public_id: uuid.UUID) -> JudgeCheck:
    return access.row_for(request.user, JudgeCheck.objects.all(), public_id, access.STAFF)


def _describe_next(request: Request, check: JudgeCheck) -> Response:
    by = current_user(request)
    text, progress = hand_labels.read_text(check, by), hand_labels.count_labelled(check, by)
    values: dict[str, Any] = {
        "number": text.number if text else 0,
        "of": progress.of,
        "labelled": progress.labelled,
        "text": text.text if text else "",
        "label": text.label if text else "",
        "question": check_draws.get_question(check.question).question,
        "labels": [label for _key, label in hand_labels.list_label_choices(check.question)],
    }
    return Response(CheckTextOut(values).data)


class ProjectJudgeCheck(APIView):
    """How often the judges of a project are right."""

    @document_call("judge_check_read", "Read how often judges are right", answers={200: ValidityOut}, tag=TAG)
    def get(self, request: Request, slug: str) -> Response:
        """Of the published question of focus."""
        refuse_unknown_parameters(request, ())
        project = access.project_for(request.user, slug, access.MAKERS)
        return Response(ValidityOut(check_tables.check_as_dict(project, check_draws.get_question(FOCUS))).data)

    @document_call(
        "judge_check_draw", "Draw texts to label", request=JudgeCheckIn, answers={201: JudgeCheckOut}, tag=TAG
    )
    def post(self, request: Request, slug: str) -> Response:
        """As many texts of each requested value; the same question, texts, n and seed are the same check."""
        project = access.project_for(request.user, slug, access.MAKERS)
        values = validate_body(JudgeCheckIn, request.data)
        check = check_draws.draw_check(project=project, by=current_user(request), **values)
        return Response(JudgeCheckOut({"id": check.public_id, "texts": len(check.texts)}).data, status=201)


class OneJudgeCheck(APIView):
    """The texts of one check, one at a time."""

    @document_call("judge_check_next", "Read the next text to label", answers={200: CheckTextOut}, tag=TAG)
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        """The first text that you have not labelled."""
        refuse_unknown_parameters(request, ())
        return _describe_next(request, find_check(request, public_id))

    @document_call(
        "judge_check_label", "Label a text by hand", request=HandLabelIn, answers={200: CheckTextOut}, tag=TAG
    )
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """Answers with the next text; a second label of a text replaces the first."""
        check = find_check(request, public_id)
        values = validate_body(HandLabelIn, request.data)
        hand_labels.store_label(check=check, by=current_user(request), **values)
        return _describe_next(request, check)

"""Questions from tasks, their answers, and the rulings that explain the guideline."""

import uuid

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import PAGE_PARAMETERS, document_call, page_serializer
from annotation.api.core.query import choice_parameter, refuse_unknown_parameters
from annotation.api.core.requests import current_user, page_response, validate_body
from annotation.api.tasks.serializers import AnswerIn, QuestionIn, QuestionOut, RulingOut
from annotation.models import Question, Ruling
from annotation.services.core import access
from annotation.services.core.pseudonyms import Pseudonyms
from annotation.services.tasks import assignments, questions

STATES = ("open", "answered", "all")
TAG = "gate and questions"


class TaskQuestions(APIView):
    """What was asked about one's own task."""

    @document_call(
        "assignment_questions", "List one's questions on a task", answers={200: QuestionOut(many=True)}, tag=TAG
    )
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        task = assignments.get_own_assignment(request.user, public_id)
        refuse_unknown_parameters(request, ())
        rows = Question.objects.filter(assignment=task).select_related("assignment").order_by("pk")
        return Response(QuestionOut(rows, many=True, context={"pseudonyms": Pseudonyms(task.project)}).data)

    @document_call(
        "assignment_ask", "Ask the team about a task", request=QuestionIn, answers={201: QuestionOut}, tag=TAG
    )
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """The task waits, with a lease of seven days; another one can be claimed meanwhile."""
        task = assignments.get_own_assignment(request.user, public_id)
        question = questions.ask_question(assignment=task, text=validate_body(QuestionIn, request.data)["text"])
        return Response(QuestionOut(question, context={"pseudonyms": Pseudonyms(task.project)}).data, status=201)


class Questions(APIView):
    """All questions of a project."""

    @document_call(
        "questions_list",
        "List questions",
        answers={200: page_serializer(QuestionOut)},
        parameters=[
            *PAGE_PARAMETERS,
            OpenApiParameter("state", OpenApiTypes.STR, enum=STATES, description="open if absent"),
        ],
        tag=TAG,
    )
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.STAFF)
        state = choice_parameter(request, "state", STATES) or "open"
        rows = questions.list_questions(project, state)
        return page_response(
            request, rows, QuestionOut, filters=("state",), context={"pseudonyms": Pseudonyms(project)}
        )


class Answer(APIView):
    """The team's answer."""

    @document_call("question_answer", "Answer a question", request=AnswerIn, answers={200: QuestionOut}, tag=TAG)
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """409 (code answered) when somebody was first. A ruling joins the guideline's log."""
        question = access.row_for(request.user, Question.objects.select_related("assignment"), public_id)
        values = validate_body(AnswerIn, request.data)
        answered_question = questions.answer_question(
            question=question,
            by=current_user(request),
            text=values["answer"],
            kind=values["kind"],
            wording=values["question"],
        )
        return Response(
            QuestionOut(answered_question, context={"pseudonyms": Pseudonyms(answered_question.project)}).data
        )


class Rulings(APIView):
    """The guideline's log of rulings."""

    @document_call(
        "rulings_list", "List rulings", answers={200: page_serializer(RulingOut)}, parameters=PAGE_PARAMETERS, tag=TAG
    )
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug)
        rows = Ruling.objects.filter(project=project).select_related("guideline_version").order_by("-pk")
        return page_response(request, rows, RulingOut)

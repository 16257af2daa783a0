"""Trainings: started, followed, cancelled, resumed."""

import uuid
from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import PAGE_PARAMETERS, document_call, page_serializer
from annotation.api.core.query import choice_parameter
from annotation.api.core.requests import current_user, page_response, validate_body
from annotation.services.core import access
from annotation.services.core.errors import BadInput
from epitome.training.shipped import shipped_text
from modelbridge.api.training.serializers import TrainingDetailOut, TrainingIn, TrainingOut
from modelbridge.models import TrainingRun, TrainingState
from modelbridge.services.training import training

TAG = "trainings"


def read_configuration(values: Mapping[str, Any]) -> str:
    """The text of the configuration that a call names. Raises BadInput: neither or both, or no such shipped one."""
    if ("toml" in values) == ("shipped" in values):
        raise BadInput(_("Provide either toml or shipped."), field="toml", code="one")
    text: str = values["toml"] if "toml" in values else shipped_text(values["shipped"])
    if not text:
        raise BadInput(_("There is no such shipped configuration."), field="shipped", code="shipped")
    return text


def _training_queryset() -> "QuerySet[TrainingRun]":
    return TrainingRun.objects.select_related("project", "revision__system", "group")


def _find_training(request: Request, public_id: uuid.UUID) -> TrainingRun:
    return access.row_for(request.user, _training_queryset(), public_id, access.MAKERS)


def _training_response(request: Request, run: TrainingRun, status: int = 200) -> Response:
    data = TrainingDetailOut(run, context={"request": request}).data
    return Response(data, status=status, headers={"Location": data["status_url"]} if status != 200 else None)


class Trainings(APIView):
    """The trainings of a project."""

    @document_call(
        "trainings_list",
        "List trainings",
        answers={200: page_serializer(TrainingOut)},
        parameters=[*PAGE_PARAMETERS, OpenApiParameter("state", OpenApiTypes.STR, enum=TrainingState.values)],
        tag=TAG,
    )
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.MAKERS)
        rows = _training_queryset().filter(project=project).order_by("-pk")
        if state := choice_parameter(request, "state", TrainingState.values):
            rows = rows.filter(state=state)
        return page_response(request, rows, TrainingOut, context={"request": request}, filters=("state",))

    @document_call("trainings_start", "Train a system", request=TrainingIn, answers={202: TrainingDetailOut}, tag=TAG)
    def post(self, request: Request, slug: str) -> Response:
        """Queues a training on the project's human summaries, or on its newest ranking lists. 409 while one of the
        same key is under way."""
        project = access.project_for(request.user, slug, access.MAKERS)
        text = read_configuration(validate_body(TrainingIn, request.data))
        run = training.start_training(project=project, toml_text=text, by=current_user(request))
        return _training_response(request, run, 202)


class OneTraining(APIView):
    """One training."""

    @document_call("trainings_read", "Read a training", answers={200: TrainingDetailOut}, tag=TAG)
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        return _training_response(request, _find_training(request, public_id))


class TrainingCancel(APIView):
    """Stopping a training."""

    @document_call("trainings_cancel", "Cancel a training", answers={200: TrainingDetailOut}, tag=TAG)
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """Checkpoints are kept; 409 when it has ended."""
        run = _find_training(request, public_id)
        training.cancel_training(run=run, by=current_user(request))
        return _training_response(request, run)


class TrainingResume(APIView):
    """Resuming a training."""

    @document_call("trainings_resume", "Resume a training", answers={200: TrainingDetailOut}, tag=TAG)
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """From its last checkpoint; 409 unless it failed or was cancelled."""
        run = _find_training(request, public_id)
        training.resume_training(run=run, by=current_user(request))
        return _training_response(request, run)

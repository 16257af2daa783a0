"""Grids of trainings: started, compared, cancelled."""

import uuid

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import PAGE_PARAMETERS, document_call, page_serializer
from annotation.api.core.requests import current_user, page_response, validate_body
from annotation.services.core import access
from modelbridge.api.training.serializers import TrainingGroupDetailOut, TrainingGroupIn, TrainingGroupOut
from modelbridge.api.training.trainings import TAG, read_configuration
from modelbridge.models import TrainingGroup
from modelbridge.services.training import groups


def _find_group(request: Request, public_id: uuid.UUID) -> TrainingGroup:
    return access.row_for(request.user, TrainingGroup.objects.all(), public_id, access.MAKERS)


def _group_response(request: Request, group: TrainingGroup, status: int = 200) -> Response:
    data = TrainingGroupDetailOut(group, context={"request": request}).data
    return Response(data, status=status, headers={"Location": data["status_url"]} if status != 200 else None)


class TrainingGroups(APIView):
    """The grids of a project."""

    @document_call(
        "training_groups_list",
        "List grids of trainings",
        answers={200: page_serializer(TrainingGroupOut)},
        parameters=PAGE_PARAMETERS,
        tag=TAG,
    )
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.MAKERS)
        return page_response(request, groups.groups_of(project), TrainingGroupOut, context={"request": request})

    @document_call(
        "training_groups_start",
        "Train a grid",
        request=TrainingGroupIn,
        answers={202: TrainingGroupDetailOut},
        tag=TAG,
    )
    def post(self, request: Request, slug: str) -> Response:
        """Queues one training for every combination of the settings; all of them or none."""
        project = access.project_for(request.user, slug, access.MAKERS)
        values = validate_body(TrainingGroupIn, request.data)
        group = groups.start_group(
            project=project, toml_text=read_configuration(values), grid=values["grid"], by=current_user(request)
        )
        return _group_response(request, group, 202)


class OneTrainingGroup(APIView):
    """One grid."""

    @document_call("training_groups_read", "Read a grid", answers={200: TrainingGroupDetailOut}, tag=TAG)
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        return _group_response(request, _find_group(request, public_id))


class TrainingGroupCancel(APIView):
    """Stopping a grid."""

    @document_call("training_groups_cancel", "Cancel a grid", answers={200: TrainingGroupDetailOut}, tag=TAG)
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """Cancels the trainings that wait or run; those that have ended stay as they are."""
        group = _find_group(request, public_id)
        groups.cancel_group(group=group, by=current_user(request))
        return _group_response(request, group)

"""Bulk actions of staff on tasks: preview, execute, list, undo; and freezing the project."""

import uuid
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import PAGE_PARAMETERS, document_call, page_serializer
from annotation.api.core.requests import current_user, page_response, validate_body
from annotation.api.staff.serializers import BulkAsked, BulkIn, BulkOut, BulkPreviewOut, FreezeIn, FrozenOut, UndoneOut
from annotation.models import BulkAction
from annotation.services.core import access
from annotation.services.staff import bulk_actions, release_and_void

TAG = "steering"


def _build_bulk_request(values: dict[str, Any]) -> bulk_actions.ActionRequest:
    period = release_and_void.Period(values["since"], values["until"])
    return bulk_actions.ActionRequest(
        values["kind"], values["person"], values["to"], period, values["n"], values["days"]
    )


class Steering(APIView):
    """Actions on many tasks."""

    @document_call(
        "steering_list",
        "List what was done",
        answers={200: page_serializer(BulkOut)},
        parameters=PAGE_PARAMETERS,
        tag=TAG,
    )
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.MAKERS)
        rows = BulkAction.objects.filter(project=project).select_related("person", "other").order_by("-pk")
        return page_response(request, rows, BulkOut)

    @document_call("steering_act", "Act on many tasks", request=BulkIn, answers={201: BulkOut}, tag=TAG)
    def post(self, request: Request, slug: str) -> Response:
        """409 (code changed) where it is about another number of attempts than `expect` says."""
        project = access.project_for(request.user, slug, access.MAKERS)
        values = validate_body(BulkIn, request.data)
        action = bulk_actions.execute_action(
            project, _build_bulk_request(values), by=current_user(request), expect=values["expect"]
        )
        return Response(BulkOut(action).data, status=201)


class SteeringPreview(APIView):
    """What an action would touch."""

    @document_call("steering_preview", "Look before acting", request=BulkAsked, answers={200: BulkPreviewOut}, tag=TAG)
    def post(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.MAKERS)
        return Response(
            BulkPreviewOut(
                bulk_actions.preview_action(project, _build_bulk_request(validate_body(BulkAsked, request.data)))
            ).data
        )


class SteeringUndo(APIView):
    """Taking an action back."""

    @document_call("steering_undo", "Undo an action", request=None, answers={200: UndoneOut}, tag=TAG)
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """Gives every attempt its state back whose place nobody has taken since."""
        action = access.row_for(request.user, BulkAction.objects.all(), public_id, access.MAKERS)
        return Response({"restored": release_and_void.undo_action(action=action, by=current_user(request))})


class Freeze(APIView):
    """Whether new tasks are given."""

    @document_call(
        "project_freeze", "Freeze or unfreeze a project", request=FreezeIn, answers={200: FrozenOut}, tag=TAG
    )
    def post(self, request: Request, slug: str) -> Response:
        """While it is frozen nobody gets a new task; what is held can be finished."""
        project = access.project_for(request.user, slug, access.MAKERS)
        act = (
            release_and_void.freeze_project
            if validate_body(FreezeIn, request.data)["frozen"]
            else release_and_void.unfreeze_project
        )
        act(project=project, by=current_user(request))
        project.refresh_from_db(fields=["frozen_at"])
        return Response(FrozenOut({"frozen_at": project.frozen_at}).data)

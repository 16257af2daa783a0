"""Draws of a project: the list, and undoing one that nobody has started."""

import uuid

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import PAGE_PARAMETERS, document_call, page_serializer
from annotation.api.core.requests import current_user, page_response
from annotation.api.sampling.serializers import DrawOut, UndoneDrawOut
from annotation.models import Draw
from annotation.services.core import access
from annotation.services.sampling import draw_undo


class Draws(APIView):
    """The draws of a project."""

    @document_call(
        "draws_list",
        "List draws",
        answers={200: page_serializer(DrawOut)},
        parameters=PAGE_PARAMETERS,
        tag="samples",
    )
    def get(self, request: Request, slug: str) -> Response:
        """Newest first, undone ones included."""
        project = access.project_for(request.user, slug, access.STAFF)
        return page_response(request, draw_undo.list_draws(project), DrawOut)


class DrawUndo(APIView):
    """Undoing a draw."""

    @document_call("draws_undo", "Undo a draw", request=None, answers={200: UndoneDrawOut}, tag="samples")
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """Deletes its samples. 409 with the reason once one of them is assigned or used by a pilot, run or round."""
        draw = access.row_for(request.user, Draw.objects.all(), public_id, access.MAKERS)
        undone = draw_undo.undo_draw(draw=draw, by=current_user(request))
        return Response(UndoneDrawOut(undone._asdict()).data)

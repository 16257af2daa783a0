"""Summaries written under rules that have changed since: list them, return or reopen them."""

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import PAGE_PARAMETERS, document_call, page_serializer
from annotation.api.core.requests import current_user, page_response, validate_body
from annotation.api.staff.serializers import AffectedOut, BatchIn, BatchOut
from annotation.services.core import access
from annotation.services.staff import reannotation

TAG = "gate and questions"


class Affected(APIView):
    """Summaries written under older rules."""

    @document_call(
        "affected_list",
        "List what was written under older rules",
        answers={200: page_serializer(AffectedOut)},
        parameters=PAGE_PARAMETERS,
        tag=TAG,
    )
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.MAKERS)
        return page_response(request, reannotation.affected_assignments(project), AffectedOut)

    @document_call("affected_again", "Have them done again", request=BatchIn, answers={200: BatchOut}, tag=TAG)
    def post(self, request: Request, slug: str) -> Response:
        """With dry_run nothing is stored. No text is lost either way."""
        project = access.project_for(request.user, slug, access.MAKERS)
        values = validate_body(BatchIn, request.data)
        batch_options = {"project": project, "action": values["action"], "chosen": values["assignments"]}
        if values["dry_run"]:
            return Response(BatchOut(reannotation.preview_batch(**batch_options)).data)
        return Response(BatchOut(reannotation.carry_out(**batch_options, by=current_user(request))).data)

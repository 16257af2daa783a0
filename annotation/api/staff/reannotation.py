"""Summaries written under rules that have changed since: list them, return or reopen them."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import PAGE_PARAMETERS, document_call, page_serializer
from annotation.api.core.requests import current_user, page_response, validate_body
from annotation.api.core.serializers import Strict
from annotation.models import Assignment
from annotation.services.core import access
from annotation.services.staff import reannotation

TAG = "gate and questions"


class AffectedOut(serializers.ModelSerializer[Assignment]):
    id = serializers.UUIDField(source="public_id", help_text="of the attempt")
    source_id = serializers.CharField(source="group.document.external_id")
    username = serializers.CharField(source="annotator.username")
    guideline = serializers.IntegerField(source="guideline_version.number")

    class Meta:
        model = Assignment
        fields = ["id", "source_id", "username", "guideline", "state", "finished_at"]


class BatchIn(Strict):
    action = serializers.ChoiceField(
        list(reannotation.ACTIONS), help_text="return: its writer revises it; reopen: void, the place open again"
    )
    assignments = serializers.ListField(child=serializers.UUIDField(), min_length=1, max_length=reannotation.MAX_BATCH)
    dry_run = serializers.BooleanField(default=False)


class BatchOut(serializers.Serializer[Any]):
    action = serializers.CharField()
    attempts = serializers.ListField(child=serializers.UUIDField())
    writers = serializers.IntegerField()
    left = serializers.IntegerField(help_text="not affected, or changed meanwhile: left alone")


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

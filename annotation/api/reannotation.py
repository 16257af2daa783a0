"""What was written under rules that have changed since, and having it done again."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.common import caller, checked, page_of
from annotation.api.openapi import PAGE, documented, page_of_shape
from annotation.api.serializers import Strict
from annotation.models import Assignment
from annotation.services import access, reannotating

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
        list(reannotating.ACTIONS), help_text="return: its writer revises it; reopen: void, the place open again"
    )
    assignments = serializers.ListField(child=serializers.UUIDField(), min_length=1, max_length=reannotating.MAX_BATCH)
    dry_run = serializers.BooleanField(default=False)


class BatchOut(serializers.Serializer[Any]):
    action = serializers.CharField()
    attempts = serializers.ListField(child=serializers.UUIDField())
    writers = serializers.IntegerField()
    left = serializers.IntegerField(help_text="not affected, or changed meanwhile: left alone")


class Affected(APIView):
    """Summaries written under older rules."""

    @documented(
        "affected_list",
        "List what was written under older rules",
        answers={200: page_of_shape(AffectedOut)},
        parameters=PAGE,
        tag=TAG,
    )
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.MAKERS)
        return page_of(request, reannotating.affected(project), AffectedOut)

    @documented("affected_again", "Have them done again", request=BatchIn, answers={200: BatchOut}, tag=TAG)
    def post(self, request: Request, slug: str) -> Response:
        """With dry_run nothing is stored. No text is lost either way."""
        project = access.project_for(request.user, slug, access.MAKERS)
        given = checked(BatchIn, request.data)
        told = {"project": project, "action": given["action"], "chosen": given["assignments"]}
        if given["dry_run"]:
            return Response(BatchOut(reannotating.preview(**told)).data)
        return Response(BatchOut(reannotating.carry_out(**told, by=caller(request))).data)

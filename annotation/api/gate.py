"""The gate: what an annotator has to read and sign before the next task."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.views import APIView

from annotation.api.common import caller, checked
from annotation.api.openapi import documented
from annotation.api.serializers import Strict
from annotation.models import Project, Role
from annotation.services import access, gate, guidelines


class GateOut(serializers.Serializer[Any]):
    open = serializers.BooleanField(help_text="false: no task can be claimed before the version is confirmed")
    asks = serializers.BooleanField(
        help_text="the newest version is not confirmed; where only its wording is new, open"
    )
    version = serializers.IntegerField()
    change = serializers.CharField(help_text="rule or wording")
    note = serializers.CharField(help_text="what changed")
    confirmed = serializers.IntegerField(allow_null=True, help_text="the newest version this person confirmed")
    consent = serializers.BooleanField(allow_null=True, help_text="to the record of how a summary came about")
    examples = serializers.ListField(child=serializers.CharField(), help_text="the worked examples to read")
    statement = serializers.CharField(help_text="what is signed")
    statement_hash = serializers.CharField(help_text="SHA-256 of the statement, to be sent back")
    guideline = serializers.URLField()


class GateIn(Strict):
    version = serializers.IntegerField(min_value=1, max_value=10**6)
    statement_hash = serializers.CharField(max_length=64)
    consent = serializers.BooleanField()


class Gate(APIView):
    """One's own gate."""

    @documented("gate_read", "See what must be read and signed", answers={200: GateOut}, tag="gate and questions")
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, (Role.ANNOTATOR,))
        return Response(GateOut(_shown(request, project)).data)

    @documented(
        "gate_confirm",
        "Confirm the guideline and sign",
        request=GateIn,
        answers={200: GateOut},
        tag="gate and questions",
    )
    def post(self, request: Request, slug: str) -> Response:
        """409 (code stale) when a newer version came meanwhile. Twice is as good as once."""
        project = access.project_for(request.user, slug, (Role.ANNOTATOR,))
        given = checked(GateIn, request.data)
        gate.confirm(
            project=project,
            user=caller(request),
            number=given["version"],
            statement_hash=given["statement_hash"],
            consent=given["consent"],
        )
        return Response(GateOut(_shown(request, project)).data)


def _shown(request: Request, project: Project) -> dict[str, Any]:
    found = gate.gate_for(project, caller(request))
    text = gate.statement()
    return {
        "open": not found.must,
        "asks": found.asks,
        "version": found.version.number,
        "change": found.version.change,
        "note": found.version.note,
        "confirmed": found.before.number if found.before else None,
        "consent": found.consent if found.before else None,
        "examples": guidelines.example_names(found.version.text),
        "statement": text,
        "statement_hash": gate.hash_of(text),
        "guideline": reverse("api-guideline", kwargs={"slug": project.slug}, request=request),
    }

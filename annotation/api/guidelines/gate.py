"""The gate: what an annotator has to read and sign before the next task."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.views import APIView

from annotation.api.core.openapi import document_call
from annotation.api.core.requests import current_user, validate_body
from annotation.api.guidelines.serializers import GateIn, GateOut
from annotation.models import Project, Role
from annotation.services.core import access
from annotation.services.guidelines import gate
from annotation.services.guidelines import versions as guideline_versions


class Gate(APIView):
    """One's own gate."""

    @document_call("gate_read", "See what must be read and signed", answers={200: GateOut}, tag="gate and questions")
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, (Role.ANNOTATOR,))
        return Response(GateOut(_describe_gate(request, project)).data)

    @document_call(
        "gate_confirm",
        "Confirm the guideline and sign",
        request=GateIn,
        answers={200: GateOut},
        tag="gate and questions",
    )
    def post(self, request: Request, slug: str) -> Response:
        """409 (code stale) when a newer version came meanwhile. Twice is as good as once."""
        project = access.project_for(request.user, slug, (Role.ANNOTATOR,))
        values = validate_body(GateIn, request.data)
        gate.confirm_guideline(
            project=project,
            user=current_user(request),
            number=values["version"],
            statement_hash=values["statement_hash"],
            allows_record=values["consent"],
        )
        return Response(GateOut(_describe_gate(request, project)).data)


def _describe_gate(request: Request, project: Project) -> dict[str, Any]:
    gate_state = gate.gate_for(project, current_user(request))
    text = gate.statement_text(project)
    return {
        "open": not gate_state.must,
        "asks": gate_state.asks,
        "version": gate_state.version.number,
        "change": gate_state.version.change,
        "note": gate_state.version.note,
        "confirmed": gate_state.confirmed_version.number if gate_state.confirmed_version else None,
        "consent": gate_state.allows_record if gate_state.confirmed_version else None,
        "examples": guideline_versions.example_names(gate_state.version.text),
        "statement": text,
        "statement_hash": gate.hash_of(text),
        "guideline": reverse("api-guideline", kwargs={"slug": project.slug}, request=request),
    }

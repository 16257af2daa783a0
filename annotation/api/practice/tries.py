"""The practice of the annotator who asks: the items with feedback, and a try at one."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import document_call
from annotation.api.core.query import refuse_unknown_parameters
from annotation.api.core.requests import current_user, validate_body
from annotation.api.practice.serializers import PracticeOut, PracticeTryIn
from annotation.models import Project, Role
from annotation.services.core import access
from annotation.services.guidelines import gate
from annotation.services.practice import items, progress, tries

TAG = "practice"


def _describe_practice(request: Request, project: Project) -> Response:
    standing = progress.load_progress(project, current_user(request))
    practice: dict[str, Any] = {"state": standing.state, "items": standing.items if project.needs_practice else []}
    return Response(PracticeOut({"on": project.needs_practice, "share": project.practice_share, **practice}).data)


class Practice(APIView):
    """The caller's practice."""

    @document_call("practice_read", "Read one's practice", answers={200: PracticeOut}, tag=TAG)
    def get(self, request: Request, slug: str) -> Response:
        """Right answers come with the items that are finished. 403 (code gate) before the guideline is confirmed."""
        project = access.project_for(request.user, slug, (Role.ANNOTATOR,))
        refuse_unknown_parameters(request, ())
        if project.needs_practice and gate.version_passed(project=project.pk, user=current_user(request).pk) is None:
            raise gate.closed_error(project)
        return _describe_practice(request, project)


class PracticeTries(APIView):
    """Tries at the items."""

    @document_call("practice_try", "Try an item", request=PracticeTryIn, answers={200: PracticeOut}, tag=TAG)
    def post(self, request: Request, slug: str) -> Response:
        """`attempt` is 1 or 2: a try sent twice counts once (409). The answer is the practice with the feedback."""
        project = access.project_for(request.user, slug, (Role.ANNOTATOR,))
        values = validate_body(PracticeTryIn, request.data)
        item = items.get_item(project, values["item"])
        tries.submit_try(item=item, user=current_user(request), attempt=values["attempt"], answer=values["answer"])
        return _describe_practice(request, project)

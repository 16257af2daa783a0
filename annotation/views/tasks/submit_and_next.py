"""The task page's own submit: stores the summary, claims the next task and answers with the parts of its page, so that
the script can put them in place of the old ones without another request.

Not part of the API: its answer holds HTML. Scripts send `"next": "task"` to the API's submit instead.
"""

import uuid
from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.authentication import SessionAuthentication
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.models import Assignment, AssignmentState, Project
from annotation.services.tasks import assignments, drafts, next_task, practice_gate, submit, task_context, task_payload
from annotation.services.tasks.claim import ClaimResult
from annotation.views.core.decorators import project_zone
from annotation.views.tasks import task
from annotation.views.tasks.kind_pages import find_kind_page


class PageSubmit(serializers.Serializer[Any]):
    """The body; `revision`: of the draft that the text is based on; `stop`: no next task is wanted."""

    payload = serializers.DictField()
    revision = serializers.IntegerField(required=False, min_value=0)
    authorship = serializers.DictField(required=False)
    stop = serializers.BooleanField(default=False)


@extend_schema(exclude=True)
class SubmitAndNext(APIView):
    authentication_classes = (SessionAuthentication,)

    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        submitted = assignments.get_own_assignment(request.user, public_id)
        body = PageSubmit(data=request.data)
        body.is_valid(raise_exception=True)
        revised = submitted.state == AssignmentState.RETURNED
        if "revision" in body.validated_data:
            values = body.validated_data
            drafts.check_revision(assignment=submitted, payload=values["payload"], revision=values["revision"])
        submission = submit.submit_task(
            assignment=submitted,
            payload=body.validated_data["payload"],
            idempotency_key=request.headers.get("Idempotency-Key", ""),
            counted=body.validated_data.get("authorship"),
        )
        if revised or body.validated_data["stop"]:
            answer = {"leave": _work_page(submitted, "submitted")}
        else:
            answer = _describe_next(request, submitted, submission)
        return Response({**submission.body, **answer}, status=submission.status)


def _describe_next(request: HttpRequest, submitted: Assignment, submission: submit.SubmitResult) -> dict[str, Any]:
    """`page`, the parts of the next task's page; or `leave`, the page to go to as there is no next task."""
    claimed = next_task.find_next_task(submitted=submitted, submission=submission)
    if claimed.assignment is None:
        return {"leave": _page_without_task(submitted, claimed.reason)}
    return {"page": _build_page(request, submitted, claimed.assignment, claimed)}


def _page_without_task(submitted: Assignment, reason: str) -> str:
    if reason == next_task.GATE:
        return reverse("gate", args=[submitted.project.front.slug])
    if reason == practice_gate.IN_PRACTICE:
        return reverse("practice", args=[submitted.project.front.slug])
    return _work_page(submitted, "submitted" if reason in ("", next_task.BUSY) else reason)


def _work_page(submitted: Assignment, message: str) -> str:
    return f"{reverse('work', args=[submitted.project.front.slug])}?said={message}"


def _build_page(
    request: HttpRequest, submitted: Assignment, following: Assignment, claimed: ClaimResult
) -> dict[str, Any]:
    """The next task's page in parts of HTML. What would be as before is left out: the script has it."""
    with timezone.override(project_zone(following.project)):
        payload = task_payload.describe_task(following, claimed.unit)
        keeps_steps = _has_same_steps(submitted, following)
        keeps_source = keeps_steps and submitted.group.document_id == following.group.document_id
        context = task.build_open_context(following, payload)

        prefix = find_kind_page(task_context.kind_for(following).key).part_prefix

        def render(*names: str) -> dict[str, str]:
            return {name: render_to_string(f"{prefix}{name}.html", context, request) for name in names}

        return {
            "url": payload["page"],
            "title": context["sheet"].heading,
            "saved": context["sheet"].saved,
            "task": payload,
            "urls": context["sheet"].api_urls,
            "words": None if keeps_steps else task.page_messages(payload, context["sheet"]),
            "parts": {
                **({} if keeps_source else render("source")),
                **(render("head") if keeps_steps else render("panel", "dialogs")),
                **(render("step_one") if keeps_steps and submitted.group_id != following.group_id else {}),
            },
        }


def _has_same_steps(submitted: Assignment, following: Assignment) -> bool:
    """Whether steps and tools are the same, but for what is in the head and in step 1. With full assistance the
    meters and tools depend on the request."""
    return (
        find_kind_page(task_context.kind_for(following).key).has_steps
        and submitted.sample_id is not None
        and following.sample_id is not None
        and task_context.is_frozen(submitted)
        and task_context.is_frozen(following)
        and any(submitted.group.chosen.values()) == any(following.group.chosen.values())
        and submitted.assistance == following.assistance == Project.Assistance.MINIMAL
        and following.state == AssignmentState.CLAIMED
    )

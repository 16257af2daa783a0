"""The annotator's calls: claim, choose, draft, submit, skip, heartbeat, release."""

import uuid
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.requests import current_user, validate_body
from annotation.api.tasks import serializers as task_serializers
from annotation.models import Role
from annotation.services.core import access
from annotation.services.guidelines import gate
from annotation.services.tasks import (
    assignments,
    choose,
    claim,
    drafts,
    leases,
    next_task,
    pilot_gate,
    practice_gate,
    skip,
    submit,
    task_payload,
)
from annotation.services.tasks.active_time import Sign

NOTHING = OpenApiResponse(description="Task not found, or you don't have access.")
GATE = OpenApiResponse(
    description="Code gate: the guideline in force is not confirmed; code in_practice: the practice is not passed; "
    "`link` names the page."
)
CONFLICT = OpenApiResponse(description="Somebody or something else was first; nothing was overwritten.")
UNUSABLE = OpenApiResponse(description="Something is missing or wrong; the field is named.")
KEY = OpenApiParameter(
    "Idempotency-Key",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    required=True,
    description="1 to 100 visible ASCII characters, new for every submit; the same key and body get the same answer",
)
REASON = OpenApiParameter(
    "X-Reason",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    response=[204],
    enum=[
        *("done", "all_yours", "leased", "frozen", "paused", "quota", "consent"),
        practice_gate.IN_PRACTICE,
        *pilot_gate.REASONS,
    ],
    description="why there is no task: all is filled, what is left you have had, others hold what is left; the team "
    "stopped the project, paused you, or gave you no more than you had; the practice comes first; or the pilot has no "
    "samples yet, waits for the decision, or was not passed",
)


def _activity_sign(values: dict[str, Any]) -> Sign | None:
    """The sign of activity in the body; None where a script declares no step."""
    return Sign(values["step"], values.get("active", True)) if "step" in values else None


class Claim(APIView):
    """The next task."""

    @extend_schema(
        operation_id="assignments_claim",
        request=None,
        parameters=[REASON],
        responses={200: task_serializers.TaskOut, 201: task_serializers.TaskOut, 204: None, 403: GATE, 404: NOTHING},
        description="The caller's live task (200), or the next one (201), or 204 with X-Reason. 403 (code gate) while "
        "the guideline in force is not confirmed, or (code in_practice) the practice is not passed. Annotators only.",
    )
    def post(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, (Role.ANNOTATOR,))
        claim_result = claim.claim_next(project=project, annotator=current_user(request))
        if claim_result.reason == "gate":
            raise gate.closed_error(project)
        if claim_result.reason == practice_gate.IN_PRACTICE:
            raise practice_gate.due_error(project)
        if claim_result.assignment is None:
            return Response(status=204, headers={"X-Reason": claim_result.reason})
        return Response(
            task_payload.describe_task(claim_result.assignment, claim_result.unit),
            status=201 if claim_result.fresh else 200,
        )


class Task(APIView):
    """One of the caller's own tasks."""

    @extend_schema(operation_id="assignments_read", responses={200: task_serializers.TaskOut, 404: NOTHING})
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        return Response(task_payload.describe_task(assignments.get_own_assignment(request.user, public_id)))


class Choose(APIView):
    @extend_schema(
        operation_id="assignments_choose",
        request=task_serializers.ChooseIn,
        responses={200: task_serializers.TaskOut, 404: NOTHING, 409: CONFLICT, 422: UNUSABLE},
        description="Freeze topics and speakers of the group; the rest of the request is revealed in the answer.",
    )
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        task = assignments.get_own_assignment(request.user, public_id)
        values = validate_body(task_serializers.ChooseIn, request.data)
        choose.save_choice(assignment=task, chosen=values["chosen"], page_order=values.get("shown"))
        return Response(task_payload.describe_task(assignments.get_own_assignment(request.user, public_id)))


class Draft(APIView):
    @extend_schema(
        operation_id="assignments_draft",
        request=task_serializers.DraftIn,
        responses={200: task_serializers.DraftOut, 404: NOTHING, 409: CONFLICT, 422: UNUSABLE},
        description="Save the text in progress on top of a revision; 409 (code stale) shows both texts.",
    )
    def put(self, request: Request, public_id: uuid.UUID) -> Response:
        task = assignments.get_own_assignment(request.user, public_id)
        values = validate_body(task_serializers.DraftIn, request.data)
        draft = drafts.save_draft(
            assignment=task,
            payload=values["payload"],
            revision=values["revision"],
            sign=_activity_sign(values),
            counted=values.get("authorship"),
        )
        saved = {"revision": draft.revision, "saved_at": draft.updated_at.isoformat(), "state": str(task.state)}
        return Response(saved)


class Submit(APIView):
    @extend_schema(
        operation_id="assignments_submit",
        request=task_serializers.SubmitIn,
        parameters=[KEY],
        responses={201: task_serializers.SubmitOut, 404: NOTHING, 409: CONFLICT, 422: UNUSABLE},
        description="Store the summary for good. With `next` the next task comes with the answer, as a claim gives it: "
        "one call per task. What was submitted is stored even if there is no next task.",
    )
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        task = assignments.get_own_assignment(request.user, public_id)
        values = validate_body(task_serializers.SubmitIn, request.data)
        submission = submit.submit_task(
            assignment=task,
            payload=values["payload"],
            idempotency_key=request.headers.get("Idempotency-Key", ""),
            counted=values.get("authorship"),
        )
        if values.get("next") != "task":
            return Response(submission.body, status=submission.status)
        claimed = next_task.find_next_task(submitted=task, submission=submission)
        if claimed.assignment is None:
            headers = {"X-Reason": claimed.reason}
            return Response({**submission.body, "task": None}, status=submission.status, headers=headers)
        next_payload = task_payload.describe_task(claimed.assignment, claimed.unit)
        return Response({**submission.body, "task": next_payload}, status=submission.status)


class Skip(APIView):
    @extend_schema(
        operation_id="assignments_skip",
        request=task_serializers.SkipIn,
        responses={200: task_serializers.SkipOut, 404: NOTHING, 409: CONFLICT, 422: UNUSABLE},
    )
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        task = assignments.get_own_assignment(request.user, public_id)
        values = validate_body(task_serializers.SkipIn, request.data)
        return Response({"next": skip.skip_task(assignment=task, reason=values["reason"], note=values["note"])})


class Heartbeat(APIView):
    @extend_schema(
        operation_id="assignments_heartbeat",
        request=task_serializers.HeartbeatIn,
        responses={200: task_serializers.HeartbeatOut, 404: NOTHING, 409: CONFLICT},
    )
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        task = assignments.get_own_assignment(request.user, public_id)
        values = validate_body(task_serializers.HeartbeatIn, request.data)
        return Response({"lease_until": leases.heartbeat(assignment=task, sign=_activity_sign(values)).isoformat()})


class Release(APIView):
    @extend_schema(
        operation_id="assignments_release",
        request=task_serializers.ReleaseIn,
        responses={200: task_serializers.ReleaseOut, 404: NOTHING, 409: CONFLICT},
    )
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        task = assignments.get_own_assignment(request.user, public_id)
        values = validate_body(task_serializers.ReleaseIn, request.data)
        leases.release_task(assignment=task, whole_unit=values["whole"])
        return Response({"state": "released"})

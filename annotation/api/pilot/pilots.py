"""The pilot for staff: its samples, its candidates, comparing answers, deciding."""

import uuid
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import document_call
from annotation.api.core.query import choice_parameter, refuse_unknown_parameters
from annotation.api.core.requests import current_user, validate_body
from annotation.api.overlap import comparison_table
from annotation.api.pilot.serializers import (
    DecisionIn,
    InvitedOut,
    InviteIn,
    OneCandidateOut,
    PilotAnswerOut,
    PilotCandidateOut,
    PilotComparedOut,
    PilotIn,
    PilotOut,
    PilotSampleIn,
    PilotSampleOut,
    ReopeningIn,
)
from annotation.models import PilotCandidate, PilotSample, PilotState, Project, Sample
from annotation.services.core import access
from annotation.services.core.errors import NotFound
from annotation.services.core.pseudonyms import Pseudonyms
from annotation.services.pilot import comparison as pilot_comparison
from annotation.services.pilot import decisions as pilot_decisions
from annotation.services.pilot import setup as pilot_setup
from annotation.services.tasks import pilot_gate

TAG = "pilot"


def _serializer_context(request: Request, project: Project) -> dict[str, Any]:
    makers = {role.value for role in access.MAKERS}
    names = bool(access.roles_of(current_user(request), project) & makers)
    return {"pseudonyms": Pseudonyms(project), "names": names}


def _describe_pilot(project: Project) -> dict[str, Any]:
    pilot_project = pilot_gate.pilot_of(project)
    return {
        "on": project.needs_pilot,
        "begun": pilot_project is not None and pilot_setup.has_begun(pilot_project),
        "samples": list(pilot_setup.pilot_samples(pilot_project)) if pilot_project else [],
    }


class Pilot(APIView):
    """The pilot of a project."""

    @document_call("pilot_read", "Read the pilot", answers={200: PilotOut}, tag=TAG)
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.STAFF)
        refuse_unknown_parameters(request, ())
        return Response(PilotOut(_describe_pilot(project)).data)

    @document_call("pilot_switch", "Switch the pilot on or off", request=PilotIn, answers={200: PilotOut}, tag=TAG)
    def patch(self, request: Request, slug: str) -> Response:
        """On: only who qualifies is given ordinary tasks. What people hold they can finish."""
        project = access.project_for(request.user, slug, access.MAKERS)
        pilot_setup.set_pilot_required(
            project=project, on=validate_body(PilotIn, request.data)["on"], by=current_user(request)
        )
        return Response(PilotOut(_describe_pilot(project)).data)


class PilotSamples(APIView):
    """The samples of the pilot that is open."""

    @document_call("pilot_samples_add", "Add a sample", request=PilotSampleIn, answers={201: PilotSampleOut}, tag=TAG)
    def post(self, request: Request, slug: str) -> Response:
        """It is copied into the pilot and leaves the ordinary work. Not once a candidate has begun (409)."""
        project = access.project_for(request.user, slug, access.MAKERS)
        values = validate_body(PilotSampleIn, request.data)
        sample = Sample.objects.filter(project=project, public_id=values["sample"]).first()
        if sample is None:
            raise NotFound()
        row = pilot_setup.add_sample(
            project=project, sample=sample, by=current_user(request), chosen=values.get("chosen")
        )
        return Response(PilotSampleOut(row).data, status=201)


def _find_pilot_sample(request: Request, public_id: uuid.UUID, roles: Any) -> tuple[Project, PilotSample]:
    pilot_sample = PilotSample.objects.select_related("pilot__pilot_of").filter(sample__public_id=public_id).first()
    project = pilot_sample.pilot.front if pilot_sample is not None else None
    if project is None or not access.roles_of(request.user, project) & {role.value for role in roles}:
        raise NotFound()
    return project, pilot_setup.get_pilot_sample(project, public_id)


class OnePilotSample(APIView):
    """One sample of the pilot."""

    @document_call("pilot_sample_read", "Compare the answers to a sample", answers={200: PilotComparedOut}, tag=TAG)
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        """Every candidate who was given it, with the checks of each answer."""
        _project, row = _find_pilot_sample(request, public_id, access.STAFF)
        refuse_unknown_parameters(request, ())
        answers = [
            {
                "candidate": column.candidate.public_id,
                "annotator": column.pseudonym,
                "state": column.state,
                "skip_reason": column.skipped,
                "answer": comparison_table.describe_answer(column.answer) if column.answer else None,
            }
            for column in pilot_comparison.compare_answers(row).columns
        ]
        sample_data = PilotSampleOut(row).data
        return Response({**sample_data, "answers": PilotAnswerOut(answers, many=True).data})

    @document_call("pilot_sample_remove", "Take a sample out", answers={204: None}, tag=TAG)
    def delete(self, request: Request, public_id: uuid.UUID) -> Response:
        """It is back in the ordinary work. Not once a candidate has begun (409)."""
        _project, row = _find_pilot_sample(request, public_id, access.MAKERS)
        pilot_setup.remove_sample(row=row, by=current_user(request))
        return Response(status=204)


class PilotCandidates(APIView):
    """The candidates of a project."""

    @document_call(
        "pilot_candidates_list",
        "List candidates",
        answers={200: PilotCandidateOut(many=True)},
        parameters=[OpenApiParameter("state", OpenApiTypes.STR, enum=PilotState.values)],
        tag=TAG,
    )
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.STAFF)
        refuse_unknown_parameters(request, ("state",))
        rows = pilot_decisions.list_candidates(project, choice_parameter(request, "state", PilotState.values))
        return Response(PilotCandidateOut(rows, many=True, context=_serializer_context(request, project)).data)

    @document_call("pilot_candidates_invite", "Invite annotators", request=InviteIn, answers={200: InvitedOut}, tag=TAG)
    def post(self, request: Request, slug: str) -> Response:
        """Those named, or all annotators who were not asked yet."""
        project = access.project_for(request.user, slug, access.MAKERS)
        names = validate_body(InviteIn, request.data).get("usernames")
        return Response(
            {"invited": pilot_decisions.invite_annotators(project=project, by=current_user(request), usernames=names)},
        )


class OneCandidate(APIView):
    """One candidate."""

    @document_call("pilot_candidate_read", "Read a candidate", answers={200: OneCandidateOut}, tag=TAG)
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        row = _find_candidate(request, public_id, access.STAFF)
        refuse_unknown_parameters(request, ())
        return _candidate_response(request, row)


class Decision(APIView):
    """Deciding about a candidate."""

    @document_call(
        "pilot_candidate_decide", "Qualify or reject", request=DecisionIn, answers={200: OneCandidateOut}, tag=TAG
    )
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """With a reason, which the candidate reads. 409 (code decided) where another request was first."""
        row = _find_candidate(request, public_id, access.MAKERS)
        pilot_decisions.decide_candidate(
            candidate=row, by=current_user(request), **validate_body(DecisionIn, request.data)
        )
        return _candidate_response(request, row)


class Reopening(APIView):
    """Taking a decision back."""

    @document_call(
        "pilot_candidate_reopen", "Take a decision back", request=ReopeningIn, answers={200: OneCandidateOut}, tag=TAG
    )
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """With a reason. 409 (code undecided) where nothing is decided."""
        row = _find_candidate(request, public_id, access.MAKERS)
        pilot_decisions.reopen_candidate(
            candidate=row, by=current_user(request), **validate_body(ReopeningIn, request.data)
        )
        return _candidate_response(request, row)


def _find_candidate(request: Request, public_id: uuid.UUID, roles: Any) -> PilotCandidate:
    candidate = access.row_for(request.user, PilotCandidate.objects.all(), public_id, roles)
    return pilot_decisions.get_candidate(candidate.project, public_id)


def _candidate_response(request: Request, candidate: PilotCandidate) -> Response:
    row = pilot_decisions.candidate_progress(candidate)
    return Response(OneCandidateOut(row, context=_serializer_context(request, candidate.project)).data)

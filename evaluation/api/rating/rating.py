"""The rater's calls: instructions, the next item, answers. Nothing in them distinguishes systems."""

import uuid
from dataclasses import asdict
from typing import Any

from django.contrib.auth.models import User
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import document_call
from annotation.api.core.query import refuse_unknown_parameters
from annotation.api.core.requests import current_user, validate_body
from annotation.services.core.errors import Conflict
from evaluation.api.rating.serializers import (
    ConfirmIn,
    InstructionsOut,
    ItemOut,
    JudgedOut,
    JudgementsIn,
    OwnRoundOut,
    QualifyIn,
    SavedOut,
)
from evaluation.models import ItemAssignment, ItemAssignmentState, Round, RoundState
from evaluation.services.rating import answers as rating_answers
from evaluation.services.rating import item_claims, item_payload
from evaluation.services.rounds import instructions as round_instructions
from evaluation.services.rounds import round_access

TAG = "rating"
REASONS = (
    *("done", "all_yours", "leased", "quota", "not_open", "paused", "rater_paused", "closed"),
    *("consent", "instructions", "qualification"),
)
REASON = OpenApiParameter(
    "X-Reason",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    response=[204],
    enum=REASONS,
    description="why there is no item: all is rated, what is left is not for you, others hold what is left, the round "
    "is not open yet, paused or closed, a rule of the round paused you, or something is to be done first",
)


class OwnRounds(APIView):
    """The rounds the caller rates in."""

    @document_call("rating_rounds", "List one's rounds", answers={200: OwnRoundOut(many=True)}, tag=TAG)
    def get(self, request: Request) -> Response:
        refuse_unknown_parameters(request, ())
        user = current_user(request)
        rows = [
            round_ for round_ in round_access.own_rounds(user).order_by("-pk") if round_access.is_eligible(user, round_)
        ]
        return Response([_own_round_data(round_, user) for round_ in rows])


def _own_round_data(round_: Round, user: Any) -> dict[str, Any]:
    n_finished = ItemAssignment.objects.filter(round=round_, rater=user, state=ItemAssignmentState.DONE).count()
    return {
        "id": str(round_.public_id),
        "title": round_.title,
        "project": round_.project.slug,
        "open": round_.state == RoundState.OPEN and not round_.waits_for_judges,
        "done": n_finished,
        "next_step": round_instructions.next_step(round_, user),
    }


class Instructions(APIView):
    """What is to be read before the first item."""

    @document_call("rating_instructions", "Read the instructions", answers={200: InstructionsOut}, tag=TAG)
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        refuse_unknown_parameters(request, ())
        return Response(_instructions_data(round_access.own_round(request.user, public_id), current_user(request)))

    @document_call(
        "rating_confirm",
        "Confirm the instructions",
        request=ConfirmIn,
        answers={200: InstructionsOut},
        tag=TAG,
    )
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        round_ = round_access.own_round(request.user, public_id)
        round_instructions.confirm_instructions(
            round_=round_, rater=current_user(request), shown_hash=validate_body(ConfirmIn, request.data)["hash"]
        )
        return Response(_instructions_data(round_, current_user(request)))


def _instructions_data(round_: Round, user: Any) -> dict[str, Any]:
    template = round_.instructions
    return {
        "hash": round_instructions.instructions_hash(round_),
        "read": round_instructions.find_reading(round_, user) is not None,
        "next_step": round_instructions.next_step(round_, user),
        "intro": template.intro,
        "definitions": [{"term": entry.term, "text": entry.text} for entry in round_instructions.list_terms(round_)],
        "examples": [asdict(example) for example in template.examples],
    }


class Qualification(APIView):
    @document_call(
        "rating_qualify",
        "Answer the worked examples",
        request=QualifyIn,
        answers={200: InstructionsOut},
        tag=TAG,
    )
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """409 (code tries) when all tries are used up."""
        round_ = round_access.own_round(request.user, public_id)
        data = validate_body(QualifyIn, request.data)
        round_instructions.submit_qualification(round_=round_, rater=current_user(request), answers=data["answers"])
        return Response(_instructions_data(round_, current_user(request)))


class ClaimItem(APIView):
    """The next item."""

    @document_call(
        "items_claim",
        "Claim the next item",
        answers={200: ItemOut, 201: ItemOut, 204: None},
        parameters=[REASON],
        tag=TAG,
    )
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """The item the caller holds (200), or the next one (201), or 204 with X-Reason."""
        round_ = round_access.own_round(request.user, public_id)
        claim = item_claims.claim_next(round_=round_, rater=current_user(request))
        if claim.assignment is None:
            return Response(status=204, headers={"X-Reason": claim.reason})
        item_data = item_payload.describe_claimed_item(claim)
        return Response(item_data, status=201 if claim.fresh else 200)


class OneItem(APIView):
    @document_call("item_read", "Read one's own item", answers={200: ItemOut}, tag=TAG)
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        refuse_unknown_parameters(request, ())
        return Response(item_payload.describe_item(round_access.own_item_assignment(request.user, public_id)))


def _saved_data(saved: rating_answers.SaveResult) -> dict[str, Any]:
    return {"revision": saved.revision, "saved_at": saved.at.isoformat(), "state": str(saved.state)}


def _saved_response(saved: rating_answers.SaveResult) -> Response:
    return Response(_saved_data(saved))


def _next_item_data(round_: Round, user: User, *, full_item: bool) -> dict[str, Any]:
    """The next item, or only its page; null and the reason if there is none. The answers are already stored at this
    point, so an error here must not look like a failed save."""
    try:
        claim = item_claims.claim_next(round_=round_, rater=user)
    except Conflict as error:
        return {"next": None, "reason": error.code}
    if claim.assignment is None:
        return {"next": None, "reason": claim.reason}
    if not full_item:
        return {"next": {"page": item_payload.item_page_url(claim.assignment)}, "reason": ""}
    return {
        "next": item_payload.describe_claimed_item(claim),
        "reason": "",
    }


class ItemJudgements(APIView):
    @document_call(
        "item_judge",
        "Answer an item's questions",
        request=JudgementsIn,
        answers={200: JudgedOut},
        tag=TAG,
    )
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """Stores what is given; the same again changes nothing. With `done` the item is finished, and with `next` the
        answer carries the next one. 409: code stale with both versions, or closed."""
        assignment = round_access.own_item_assignment(request.user, public_id, for_page=False)
        data = validate_body(JudgementsIn, request.data)
        saved = rating_answers.save_answers(
            assignment=assignment, payload=data["payload"], revision=data["revision"], finish=data["done"]
        )
        if not data["next"]:
            return _saved_response(saved)
        return Response(
            {
                **_saved_data(saved),
                **_next_item_data(assignment.round, current_user(request), full_item=data["next"] == "item"),
            }
        )


class ItemSeen(APIView):
    @document_call("item_seen", "Keep an item, and count the time", answers={200: SavedOut}, tag=TAG)
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        return _saved_response(
            rating_answers.record_activity(
                assignment=round_access.own_item_assignment(request.user, public_id, for_page=False)
            )
        )


class ItemRelease(APIView):
    @document_call("item_release", "Give an item back", answers={204: None}, tag=TAG)
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """The answers given so far stay."""
        item_claims.release_item(assignment=round_access.own_item_assignment(request.user, public_id, for_page=False))
        return Response(status=204)

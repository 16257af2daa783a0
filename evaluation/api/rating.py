"""The rater's calls: instructions, the next item, answers. Nothing in them tells one system from another."""

import uuid
from dataclasses import asdict
from typing import Any

from django.contrib.auth.models import User
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.common import current_user, validate_body
from annotation.api.openapi import document_call
from annotation.api.query import refuse_unknown_parameters
from annotation.services.errors import Conflict
from evaluation.api import shapes
from evaluation.models import ItemView, Round, RoundState, ViewState
from evaluation.services import answering, entering, instructing, rating, showing

TAG = "rating"
REASONS = ("done", "all_yours", "leased", "paused", "closed", "instructions", "qualification")
REASON = OpenApiParameter(
    "X-Reason",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    response=[204],
    enum=REASONS,
    description="why there is no item: all is rated, what is left is not for you, others hold what is left, the round "
    "is paused or closed, or something is to be done first",
)


class OwnRounds(APIView):
    """The rounds the caller rates in."""

    @document_call("rating_rounds", "List one's rounds", answers={200: shapes.OwnRoundOut(many=True)}, tag=TAG)
    def get(self, request: Request) -> Response:
        refuse_unknown_parameters(request, ())
        user = current_user(request)
        rows = [round_ for round_ in entering.own_rounds(user).order_by("-pk") if entering.is_eligible(user, round_)]
        return Response([_own_round_data(round_, user) for round_ in rows])


def _own_round_data(round_: Round, user: Any) -> dict[str, Any]:
    n_finished = ItemView.objects.filter(round=round_, rater=user, state=ViewState.DONE).count()
    return {
        "id": str(round_.public_id),
        "title": round_.title,
        "project": round_.project.slug,
        "open": round_.state == RoundState.OPEN,
        "done": n_finished,
        "next_step": instructing.next_step(round_, user),
    }


class Instructions(APIView):
    """What is to be read before the first item."""

    @document_call("rating_instructions", "Read the instructions", answers={200: shapes.InstructionsOut}, tag=TAG)
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        refuse_unknown_parameters(request, ())
        return Response(_instructions_data(entering.own_round(request.user, public_id), current_user(request)))

    @document_call(
        "rating_confirm",
        "Confirm the instructions",
        request=shapes.ConfirmIn,
        answers={200: shapes.InstructionsOut},
        tag=TAG,
    )
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        round_ = entering.own_round(request.user, public_id)
        instructing.confirm_instructions(
            round_=round_, rater=current_user(request), shown_hash=validate_body(shapes.ConfirmIn, request.data)["hash"]
        )
        return Response(_instructions_data(round_, current_user(request)))


def _instructions_data(round_: Round, user: Any) -> dict[str, Any]:
    template = round_.instructions
    return {
        "hash": instructing.instructions_hash(round_),
        "read": instructing.find_reading(round_, user) is not None,
        "next_step": instructing.next_step(round_, user),
        "intro": template.intro,
        "definitions": [asdict(definition) for definition in template.definitions],
        "examples": [asdict(example) for example in template.examples],
    }


class Qualification(APIView):
    @document_call(
        "rating_qualify",
        "Answer the worked examples",
        request=shapes.QualifyIn,
        answers={200: shapes.InstructionsOut},
        tag=TAG,
    )
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """409 (code tries) when all tries are used up."""
        round_ = entering.own_round(request.user, public_id)
        data = validate_body(shapes.QualifyIn, request.data)
        instructing.submit_qualification(round_=round_, rater=current_user(request), answers=data["answers"])
        return Response(_instructions_data(round_, current_user(request)))


class ClaimItem(APIView):
    """The next item."""

    @document_call(
        "items_claim",
        "Claim the next item",
        answers={200: shapes.ItemOut, 201: shapes.ItemOut, 204: None},
        parameters=[REASON],
        tag=TAG,
    )
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """The item the caller holds (200), or the next one (201), or 204 with X-Reason."""
        round_ = entering.own_round(request.user, public_id)
        claim = rating.claim_next(round_=round_, rater=current_user(request))
        if claim.view is None:
            return Response(status=204, headers={"X-Reason": claim.reason})
        item_data = showing.describe_item(entering.attach_item(claim.view, round_), claim.standing)
        return Response(item_data, status=201 if claim.fresh else 200)


class OneItem(APIView):
    @document_call("item_read", "Read one's own item", answers={200: shapes.ItemOut}, tag=TAG)
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        refuse_unknown_parameters(request, ())
        return Response(showing.describe_item(entering.own_item_assignment(request.user, public_id)))


def _saved_data(saved: answering.SaveResult) -> dict[str, Any]:
    return {"revision": saved.revision, "saved_at": saved.at.isoformat(), "state": str(saved.state)}


def _saved_response(saved: answering.SaveResult) -> Response:
    return Response(_saved_data(saved))


def _next_item_data(round_: Round, user: User, *, full_item: bool) -> dict[str, Any]:
    """The next item, or only its page; null and the reason if there is none. The answers are already stored at this
    point, so an error here must not look like a failed save."""
    try:
        claim = rating.claim_next(round_=round_, rater=user)
    except Conflict as error:
        return {"next": None, "reason": error.code}
    if claim.view is None:
        return {"next": None, "reason": claim.reason}
    if not full_item:
        return {"next": {"page": showing.item_page_url(claim.view)}, "reason": ""}
    return {"next": showing.describe_item(entering.attach_item(claim.view, round_), claim.standing), "reason": ""}


class ItemJudgements(APIView):
    @document_call(
        "item_judge",
        "Answer an item's questions",
        request=shapes.JudgementsIn,
        answers={200: shapes.JudgedOut},
        tag=TAG,
    )
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """Stores what is given; the same again changes nothing. With `done` the item is finished, and with `next` the
        answer carries the next one. 409: code stale with both versions, or closed."""
        assignment = entering.own_item_assignment(request.user, public_id, for_page=False)
        data = validate_body(shapes.JudgementsIn, request.data)
        saved = answering.save_answers(
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
    @document_call("item_seen", "Keep an item, and count the time", answers={200: shapes.SavedOut}, tag=TAG)
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        return _saved_response(
            answering.record_activity(assignment=entering.own_item_assignment(request.user, public_id, for_page=False))
        )


class ItemRelease(APIView):
    @document_call("item_release", "Give an item back", answers={204: None}, tag=TAG)
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """The answers given so far stay."""
        rating.release_item(assignment=entering.own_item_assignment(request.user, public_id, for_page=False))
        return Response(status=204)

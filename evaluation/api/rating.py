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

from annotation.api.common import caller, checked
from annotation.api.openapi import documented
from annotation.api.query import only
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

    @documented("rating_rounds", "List one's rounds", answers={200: shapes.OwnRoundOut(many=True)}, tag=TAG)
    def get(self, request: Request) -> Response:
        only(request, ())
        user = caller(request)
        rows = [one for one in entering.own_rounds(user).order_by("-pk") if entering.is_eligible(user, one)]
        return Response([_own(one, user) for one in rows])


def _own(round_: Round, user: Any) -> dict[str, Any]:
    done = ItemView.objects.filter(round=round_, rater=user, state=ViewState.DONE).count()
    return {
        "id": str(round_.public_id),
        "title": round_.title,
        "project": round_.project.slug,
        "open": round_.state == RoundState.OPEN,
        "done": done,
        "next_step": instructing.next_step(round_, user),
    }


class Instructions(APIView):
    """What is to be read before the first item."""

    @documented("rating_instructions", "Read the instructions", answers={200: shapes.InstructionsOut}, tag=TAG)
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        only(request, ())
        return Response(_instructions(entering.own_round(request.user, public_id), caller(request)))

    @documented(
        "rating_confirm",
        "Confirm the instructions",
        request=shapes.ConfirmIn,
        answers={200: shapes.InstructionsOut},
        tag=TAG,
    )
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        found = entering.own_round(request.user, public_id)
        instructing.confirm(round_=found, rater=caller(request), given=checked(shapes.ConfirmIn, request.data)["hash"])
        return Response(_instructions(found, caller(request)))


def _instructions(round_: Round, user: Any) -> dict[str, Any]:
    told = round_.instructions
    return {
        "hash": instructing.instructions_hash(round_),
        "read": instructing.reading_of(round_, user) is not None,
        "next_step": instructing.next_step(round_, user),
        "intro": told.intro,
        "definitions": [asdict(one) for one in told.definitions],
        "examples": [asdict(one) for one in told.examples],
    }


class Qualification(APIView):
    @documented(
        "rating_qualify",
        "Answer the worked examples",
        request=shapes.QualifyIn,
        answers={200: shapes.InstructionsOut},
        tag=TAG,
    )
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """409 (code tries) when all tries are used up."""
        found = entering.own_round(request.user, public_id)
        given = checked(shapes.QualifyIn, request.data)
        instructing.qualify(round_=found, rater=caller(request), given=given["answers"])
        return Response(_instructions(found, caller(request)))


class ClaimItem(APIView):
    """The next item."""

    @documented(
        "items_claim",
        "Claim the next item",
        answers={200: shapes.ItemOut, 201: shapes.ItemOut, 204: None},
        parameters=[REASON],
        tag=TAG,
    )
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """The item the caller holds (200), or the next one (201), or 204 with X-Reason."""
        round_ = entering.own_round(request.user, public_id)
        found = rating.claim_next(round_=round_, rater=caller(request))
        if found.view is None:
            return Response(status=204, headers={"X-Reason": found.reason})
        told = showing.describe(entering.loaded(found.view, round_), found.standing)
        return Response(told, status=201 if found.fresh else 200)


class OneItem(APIView):
    @documented("item_read", "Read one's own item", answers={200: shapes.ItemOut}, tag=TAG)
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        only(request, ())
        return Response(showing.describe(entering.own_view(request.user, public_id)))


def _told(found: answering.Saved) -> dict[str, Any]:
    return {"revision": found.revision, "saved_at": found.at.isoformat(), "state": str(found.state)}


def _saved(found: answering.Saved) -> Response:
    return Response(_told(found))


def _next(round_: Round, user: User, *, whole: bool) -> dict[str, Any]:
    """The next item, or its page; null and the reason where there is none. The answers are stored by now, so what goes
    wrong here must not look as if they were not."""
    try:
        found = rating.claim_next(round_=round_, rater=user)
    except Conflict as error:
        return {"next": None, "reason": error.code}
    if found.view is None:
        return {"next": None, "reason": found.reason}
    if not whole:
        return {"next": {"page": showing.page(found.view)}, "reason": ""}
    return {"next": showing.describe(entering.loaded(found.view, round_), found.standing), "reason": ""}


class ItemJudgements(APIView):
    @documented(
        "item_judge",
        "Answer an item's questions",
        request=shapes.JudgementsIn,
        answers={200: shapes.JudgedOut},
        tag=TAG,
    )
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """Stores what is given; the same again changes nothing. With `done` the item is finished, and with `next` the
        answer carries the next one. 409: code stale with both versions, or closed."""
        view = entering.own_view(request.user, public_id, shown=False)
        given = checked(shapes.JudgementsIn, request.data)
        saved = answering.save(view=view, payload=given["payload"], revision=given["revision"], done=given["done"])
        if not given["next"]:
            return _saved(saved)
        return Response({**_told(saved), **_next(view.round, caller(request), whole=given["next"] == "item")})


class ItemSeen(APIView):
    @documented("item_seen", "Keep an item, and count the time", answers={200: shapes.SavedOut}, tag=TAG)
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        return _saved(answering.seen(view=entering.own_view(request.user, public_id, shown=False)))


class ItemRelease(APIView):
    @documented("item_release", "Give an item back", answers={204: None}, tag=TAG)
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """The answers given so far stay."""
        rating.release(view=entering.own_view(request.user, public_id, shown=False))
        return Response(status=204)

"""Rounds, for researchers: make, check, launch, steer, follow, export."""

import json
import uuid
from typing import Any

from django.contrib.auth.models import User
from django.http import StreamingHttpResponse
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.common import caller, checked, page_of
from annotation.api.openapi import PAGE, documented, page_of_shape
from annotation.api.query import flag_parameter, only
from annotation.models import SourceDocument
from annotation.services import access
from annotation.services.access import MAKERS
from annotation.services.errors import BadInput
from evaluation.api import shapes
from evaluation.models import Round
from evaluation.services import barring, checking, entering, following, judgements, launching, steering

TAG = "rounds"


def _told(round_: Round) -> dict[str, Any]:
    found = following.places(round_)
    round_.progress = {"places": found.places, "filled": found.filled, "taken": found.taken}  # type: ignore[attr-defined]
    told: dict[str, Any] = dict(shapes.RoundOut(round_).data)
    return {**told, "design": json.loads(round_.design), "progress": round_.progress}  # type: ignore[attr-defined]


class Rounds(APIView):
    """The rounds of a project."""

    @documented("rounds_list", "List rounds", answers={200: page_of_shape(shapes.RoundOut)}, parameters=PAGE, tag=TAG)
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, MAKERS)
        return page_of(request, Round.objects.filter(project=project).order_by("-pk"), shapes.RoundOut)

    @documented(
        "round_make", "Make a round as a draft", request=shapes.RoundIn, answers={201: shapes.OneRoundOut}, tag=TAG
    )
    def post(self, request: Request, slug: str) -> Response:
        """422 names the key and line of the configuration; 409 when the project has a round of that name."""
        project = access.project_for(request.user, slug, MAKERS)
        given = checked(shapes.RoundIn, request.data)
        made = launching.make_draft(project=project, text=given["config"], by=caller(request))
        return Response(_told(made), status=201)


class RoundCheck(APIView):
    """What a configuration would become."""

    @documented("round_check", "Check a design", request=shapes.RoundIn, answers={200: shapes.CheckOut}, tag=TAG)
    def post(self, request: Request, slug: str) -> Response:
        """Items, cost, power and missing outputs; nothing is stored."""
        project = access.project_for(request.user, slug, MAKERS)
        config = checking.parsed(project, checked(shapes.RoundIn, request.data)["config"])
        return Response(checking.check(project, config).as_dict())


class OneRound(APIView):
    """One round, with its frozen design and how far it is."""

    @documented("round_read", "Read a round", answers={200: shapes.OneRoundOut}, tag=TAG)
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        only(request, ())
        return Response(_told(entering.managed_round(request.user, public_id)))

    @documented("round_change", "Change a draft", request=shapes.RoundIn, answers={200: shapes.OneRoundOut}, tag=TAG)
    def put(self, request: Request, public_id: uuid.UUID) -> Response:
        """409 (code frozen) once the round was launched."""
        found = entering.managed_round(request.user, public_id)
        given = checked(shapes.RoundIn, request.data)
        return Response(_told(launching.change_draft(round_=found, text=given["config"], by=caller(request))))

    @documented("round_drop", "Remove a draft", answers={204: None}, tag=TAG)
    def delete(self, request: Request, public_id: uuid.UUID) -> Response:
        """409 (code frozen) once the round was launched."""
        launching.drop_draft(round_=entering.managed_round(request.user, public_id), by=caller(request))
        return Response(status=204)


class RoundLaunch(APIView):
    @documented("round_launch", "Launch a round", answers={200: shapes.OneRoundOut}, tag=TAG)
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """Freezes the design and copies the texts. 422 with what is missing."""
        found = entering.managed_round(request.user, public_id)
        launching.launch(round_=found, by=caller(request))
        return Response(_told(found))


class RoundState(APIView):
    @documented(
        "round_move",
        "Pause, resume, close, reopen or unblind",
        request=shapes.MoveIn,
        answers={200: shapes.OneRoundOut},
        tag=TAG,
    )
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """Unblinding closes the round for good and stands in the audit log."""
        found = entering.managed_round(request.user, public_id)
        given = checked(shapes.MoveIn, request.data)
        return Response(_told(steering.move(round_=found, what=given["do"], by=caller(request))))


def _person(name: str, field: str) -> User:
    found = User.objects.filter(username=name).first()
    if found is None:
        raise BadInput(_("There is no account of this name."), field=field)
    return found


class RoundRaters(APIView):
    @documented("round_replace", "Replace a rater", request=shapes.ReplaceIn, answers={200: shapes.RatersOut}, tag=TAG)
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """One rater leaves, another may take the place; `keep` says whether the first one's answers count."""
        found = entering.managed_round(request.user, public_id)
        given = checked(shapes.ReplaceIn, request.data)
        leaves = found.raters.select_related("rater").filter(rater__username=given["leaves"]).first()
        if leaves is None:
            raise BadInput(_("This person does not rate in the round."), field="leaves")
        joins = _person(given["joins"], "joins") if given["joins"] else None
        made = steering.replace(round_=found, leaves=leaves.rater, joins=joins, keep=given["keep"], by=caller(request))
        return Response({"rater": made.rater.get_username() if made is not None else None})


class RoundClearances(APIView):
    @documented(
        "round_clear",
        "Let somebody rate a source in spite of a hand in it",
        request=shapes.ClearanceIn,
        answers={204: None},
        tag=TAG,
    )
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """The exception stands in the audit log."""
        found = entering.managed_round(request.user, public_id)
        given = checked(shapes.ClearanceIn, request.data)
        document = SourceDocument.objects.filter(project=found.project, public_id=given["source"]).first()
        if document is None:
            raise BadInput(_("There is no such source in the project."), field="source")
        barring.clear(
            round_=found,
            rater=_person(given["rater"], "rater"),
            document=document,
            reason=given["reason"],
            by=caller(request),
        )
        return Response(status=204)


class RoundJudgements(APIView):
    @documented(
        "round_judgements",
        "Export judgements as JSON lines",
        answers={(200, "application/jsonl"): OpenApiResponse(OpenApiTypes.STR, description="one object per line")},
        parameters=[
            OpenApiParameter("quality", OpenApiTypes.BOOL, description="foils and repeats too, with their kind"),
            OpenApiParameter("notes", OpenApiTypes.BOOL, description="free words too"),
            OpenApiParameter("excluded", OpenApiTypes.BOOL, description="raters whom the rules exclude too, marked"),
        ],
        tag=TAG,
    )
    def get(self, request: Request, public_id: uuid.UUID) -> StreamingHttpResponse:
        """Systems are named only once the round is unblinded."""
        found = entering.managed_round(request.user, public_id)
        only(request, ("quality", "notes", "excluded"))
        wanted = judgements.Wanted(
            quality=bool(flag_parameter(request, "quality")),
            notes=bool(flag_parameter(request, "notes")),
            excluded=bool(flag_parameter(request, "excluded")),
        )
        answer = StreamingHttpResponse(judgements.file_of(found, wanted), content_type="application/jsonl")
        answer.headers["Content-Disposition"] = f'attachment; filename="{judgements.file_name(found)}"'
        return answer

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

from annotation.api.core.openapi import PAGE_PARAMETERS, document_call, page_serializer
from annotation.api.core.query import (
    choice_parameter,
    filter_containing,
    flag_parameter,
    refuse_unknown_parameters,
    search_parameter,
)
from annotation.api.core.requests import current_user, page_response, validate_body
from annotation.models import Role, SourceDocument
from annotation.services.core import access
from annotation.services.core.access import MAKERS
from annotation.services.core.errors import BadInput
from annotation.services.core.word_patterns import join_names
from epitome.site.file_language import writes_file
from evaluation.api.rounds.serializers import (
    CheckOut,
    ClearanceIn,
    ExtraRatingsOut,
    MoveIn,
    OneRoundOut,
    PausedRaterOut,
    RatersOut,
    ReplaceIn,
    ResumeIn,
    RoundIn,
    RoundOut,
)
from evaluation.models import Round
from evaluation.models import RoundState as State
from evaluation.services.monitoring import extra_ratings, round_control, round_progress
from evaluation.services.rating import rater_pauses
from evaluation.services.reports import judgements
from evaluation.services.rounds import design_check, rater_eligibility, round_access
from evaluation.services.rounds import launch as round_launch

TAG = "rounds"


def _round_data(round_: Round) -> dict[str, Any]:
    progress = round_progress.count_places(round_)
    progress_data = {"places": progress.places, "filled": progress.filled, "taken": progress.in_progress}
    data: dict[str, Any] = dict(RoundOut(round_).data)
    paused_raters = [
        {
            "rater": row.rater.get_username(),
            "paused_at": row.paused_at,
            "rule": row.pause_reason,
            "reason": rater_pauses.describe_reason(row.pause_reason),
        }
        for row in rater_pauses.list_paused(round_)
    ]
    return {
        **data,
        "design": json.loads(round_.design),
        "progress": progress_data,
        "paused_raters": PausedRaterOut(paused_raters, many=True).data,
    }


class Rounds(APIView):
    """The rounds of a project."""

    @document_call(
        "rounds_list",
        "List rounds",
        answers={200: page_serializer(RoundOut)},
        parameters=[
            *PAGE_PARAMETERS,
            search_parameter("the name"),
            OpenApiParameter("state", OpenApiTypes.STR, enum=State.values),
        ],
        tag=TAG,
    )
    def get(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, MAKERS)
        rows = filter_containing(request, Round.objects.filter(project=project).order_by("-pk"), "name")
        if state := choice_parameter(request, "state", State.values):
            rows = rows.filter(state=state)
        return page_response(request, rows, RoundOut, filters=("q", "state"))

    @document_call("round_make", "Make a round as a draft", request=RoundIn, answers={201: OneRoundOut}, tag=TAG)
    def post(self, request: Request, slug: str) -> Response:
        """422 names the key and line of the configuration; 409 when the project has a round of that name."""
        project = access.project_for(request.user, slug, MAKERS)
        data = validate_body(RoundIn, request.data)
        draft = round_launch.make_draft(project=project, text=data["config"], by=current_user(request))
        return Response(_round_data(draft), status=201)


class RoundCheck(APIView):
    """What a configuration would become."""

    @document_call("round_check", "Check a design", request=RoundIn, answers={200: CheckOut}, tag=TAG)
    def post(self, request: Request, slug: str) -> Response:
        """Items, cost, power and missing outputs; nothing is stored."""
        project = access.project_for(request.user, slug, MAKERS)
        config = design_check.parse_config(project, validate_body(RoundIn, request.data)["config"])
        return Response(design_check.check_design(project, config).as_dict())


class OneRound(APIView):
    """One round, with its frozen design and how far it is."""

    @document_call("round_read", "Read a round", answers={200: OneRoundOut}, tag=TAG)
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        refuse_unknown_parameters(request, ())
        return Response(_round_data(round_access.managed_round(request.user, public_id)))

    @document_call("round_change", "Change a draft", request=RoundIn, answers={200: OneRoundOut}, tag=TAG)
    def put(self, request: Request, public_id: uuid.UUID) -> Response:
        """409 (code frozen) once the round was launched."""
        round_ = round_access.managed_round(request.user, public_id)
        data = validate_body(RoundIn, request.data)
        return Response(
            _round_data(round_launch.change_draft(round_=round_, text=data["config"], by=current_user(request)))
        )

    @document_call("round_drop", "Remove a draft", answers={204: None}, tag=TAG)
    def delete(self, request: Request, public_id: uuid.UUID) -> Response:
        """409 (code frozen) once the round was launched."""
        round_launch.drop_draft(round_=round_access.managed_round(request.user, public_id), by=current_user(request))
        return Response(status=204)


class RoundLaunch(APIView):
    @document_call("round_launch", "Launch a round", answers={200: OneRoundOut}, tag=TAG)
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """Freezes the design and copies the texts. 422 with what is missing."""
        round_ = round_access.managed_round(request.user, public_id)
        round_launch.launch_round(round_=round_, by=current_user(request))
        return Response(_round_data(round_))


class RoundState(APIView):
    @document_call(
        "round_move",
        "Pause, resume, close, reopen or unblind",
        request=MoveIn,
        answers={200: OneRoundOut},
        tag=TAG,
    )
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """Unblinding closes the round for good and is logged; the call itself is the confirmation."""
        round_ = round_access.managed_round(request.user, public_id)
        data = validate_body(MoveIn, request.data)
        return Response(
            _round_data(round_control.apply_action(round_=round_, action=data["do"], by=current_user(request)))
        )


class RoundExtraRatings(APIView):
    @document_call(
        "round_extra_ratings", "Request ratings where raters disagree", answers={200: ExtraRatingsOut}, tag=TAG
    )
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """Requests one more rating of each item that raters disagree on, up to the cap of the design. The same is done
        about once a minute. 409 where the design requests none, or the round is not running."""
        round_ = round_access.managed_round(request.user, public_id)
        requested = extra_ratings.request_extra_ratings(round_=round_, by=current_user(request))
        return Response(requested._asdict())


def _find_rater(round_: Round, name: str, field: str) -> User:
    """A rater of the project; an account of others is refused like one that does not exist."""
    raters = User.objects.filter(memberships__project=round_.project, memberships__role=Role.RATER)
    user = raters.filter(username=name).first()
    if user is None:
        raise BadInput(rater_eligibility.not_a_rater(name), field=field)
    return user


class RoundRaters(APIView):
    @document_call("round_replace", "Replace a rater", request=ReplaceIn, answers={200: RatersOut}, tag=TAG)
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """One rater leaves, another may take the place; `keep` says whether the first one's answers count."""
        round_ = round_access.managed_round(request.user, public_id)
        data = validate_body(ReplaceIn, request.data)
        leaves = round_control.find_rater(round_, data["leaves"], "leaves")
        joins = _find_rater(round_, data["joins"], "joins") if data["joins"] else None
        new_rater = round_control.replace_rater(
            round_=round_, leaves=leaves.rater, joins=joins, keep=data["keep"], by=current_user(request)
        )
        return Response({"rater": new_rater.rater.get_username() if new_rater is not None else None})


class RoundRaterResumption(APIView):
    @document_call("round_resume_rater", "Resume a paused rater", request=ResumeIn, answers={204: None}, tag=TAG)
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """For a rater whom a rule of the design paused. The rules count only later answers."""
        round_ = round_access.managed_round(request.user, public_id)
        row = round_control.find_rater(round_, validate_body(ResumeIn, request.data)["rater"], "rater")
        rater_pauses.resume_rater(round_=round_, rater=row.rater, by=current_user(request))
        return Response(status=204)


class RoundClearances(APIView):
    @document_call(
        "round_clear",
        "Let somebody rate a source they worked on",
        request=ClearanceIn,
        answers={204: None},
        tag=TAG,
    )
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """The exception is logged."""
        round_ = round_access.managed_round(request.user, public_id)
        data = validate_body(ClearanceIn, request.data)
        document = SourceDocument.objects.filter(project=round_.project, public_id=data["source"]).first()
        if document is None:
            raise BadInput(_("There is no such source in the project."), field="source")
        rater_eligibility.clear_source(
            round_=round_,
            rater=_find_rater(round_, data["rater"], "rater"),
            document=document,
            reason=data["reason"],
            by=current_user(request),
        )
        return Response(status=204)


@writes_file
class RoundJudgements(APIView):
    @document_call(
        "round_judgements",
        "Export judgements as JSON lines or CSV",
        answers={
            (200, "application/jsonl"): OpenApiResponse(OpenApiTypes.STR, description="one object per line"),
            (200, "text/csv"): OpenApiResponse(OpenApiTypes.STR, description="one row per answer"),
        },
        parameters=[
            OpenApiParameter("format", OpenApiTypes.STR, enum=list(judgements.EXPORTS), description="jsonl or csv"),
            OpenApiParameter("quality", OpenApiTypes.BOOL, description="foils and repeats too, with their kind"),
            OpenApiParameter("notes", OpenApiTypes.BOOL, description="free words too"),
            OpenApiParameter("excluded", OpenApiTypes.BOOL, description="raters whom the rules exclude too, marked"),
            OpenApiParameter("extra", OpenApiTypes.BOOL, description="additional ratings of disagreements, marked"),
        ],
        tag=TAG,
    )
    def get(self, request: Request, public_id: uuid.UUID) -> StreamingHttpResponse:
        """Systems are named only once the round is unblinded."""
        round_ = round_access.managed_round(request.user, public_id)
        refuse_unknown_parameters(request, ("format", "quality", "notes", "excluded", "extra"))
        format_ = request.query_params.get("format", "jsonl")
        if format_ not in judgements.EXPORTS:
            raise BadInput(_("Use one of: %(list)s.") % {"list": join_names(judgements.EXPORTS)}, field="format")
        options = judgements.ExportOptions(
            quality=bool(flag_parameter(request, "quality")),
            notes=bool(flag_parameter(request, "notes")),
            excluded=bool(flag_parameter(request, "excluded")),
            extra=bool(flag_parameter(request, "extra")),
        )
        export, content_type = judgements.EXPORTS[format_]
        response = StreamingHttpResponse(export(round_, options), content_type=content_type)
        file_name = judgements.export_file_name(round_, format_)
        response.headers["Content-Disposition"] = f'attachment; filename="{file_name}"'
        return response

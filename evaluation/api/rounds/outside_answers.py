"""Answers to a round that people gave in other tools: looked at, imported, listed, removed."""

import tempfile
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from django.core.files.base import File
from rest_framework.parsers import JSONParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import document_call
from annotation.api.core.query import refuse_unknown_parameters
from annotation.api.core.requests import current_user, validate_body
from annotation.services.core.access import ADMINS, row_for
from annotation.services.core.errors import BadInput
from epitome.formats.reading import InputFile, input_file
from epitome.rounds.outside_answers import Word, parse_mapping
from evaluation.api.rounds.serializers import OutsideAnswersOut, OutsideFileIn, OutsideRaterIn, OutsideRatersOut
from evaluation.models import Round
from evaluation.services.rating.outside_import import import_answers
from evaluation.services.rating.outside_preview import preview_answers
from evaluation.services.rating.outside_raters import check_takes_answers, list_outside_raters, remove_outside_rater

TAG = "rounds"


class RoundOutsideAnswers(APIView):
    """Answers given in other tools."""

    parser_classes = (MultiPartParser,)

    @document_call("round_outside_raters", "List outside raters", answers={200: OutsideRatersOut}, tag=TAG)
    def get(self, request: Request, public_id: uuid.UUID) -> Response:
        """The accounts that stand for people whose answers were imported."""
        refuse_unknown_parameters(request, ())
        raters = list_outside_raters(row_for(request.user, Round.objects.all(), public_id, ADMINS))
        return Response({"raters": [{"rater": row.account, "tool": row.tool, "items": row.items} for row in raters]})

    @document_call(
        "round_outside_import",
        "Import answers made elsewhere",
        request={"multipart/form-data": OutsideFileIn},
        answers={200: OutsideAnswersOut},
        tag=TAG,
    )
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """Marked errors of Pearmut or factgenie. Stores all of a file or nothing; the same file again adds nothing.
        `dry_run` answers with the same counts and stores nothing. 422 `words` names severities and categories that
        `map` must give a place; 409 where the round takes no answers."""
        round_ = row_for(request.user, Round.objects.all(), public_id, ADMINS)
        values = validate_body(OutsideFileIn, request.data)
        mapping = _read_mapping(values.get("map") or {})
        with values["file"] as upload, _copy_upload(upload) as file:
            if values["dry_run"]:
                check_takes_answers(round_)
                preview = preview_answers(round_, file, mapping)
            else:
                preview = import_answers(round_=round_, file=file, mapping=mapping, by=current_user(request))
        return Response(OutsideAnswersOut({"dry_run": values["dry_run"], **preview.as_dict()}).data)


class RoundOutsideRemoval(APIView):
    parser_classes = (JSONParser,)

    @document_call(
        "round_outside_remove", "Remove imported answers", request=OutsideRaterIn, answers={204: None}, tag=TAG
    )
    def post(self, request: Request, public_id: uuid.UUID) -> Response:
        """Deletes all that one outside rater answered in the round. Logged."""
        round_ = row_for(request.user, Round.objects.all(), public_id, ADMINS)
        account = validate_body(OutsideRaterIn, request.data)["rater"]
        remove_outside_rater(round_=round_, account=account, by=current_user(request))
        return Response(status=204)


def _read_mapping(pairs: Mapping[str, str]) -> dict[Word, str]:
    try:
        return parse_mapping(f"{word}={target}" for word, target in pairs.items())
    except ValueError as error:
        raise BadInput(str(error), field="map", code="map") from error


@contextmanager
def _copy_upload(upload: File) -> Iterator[InputFile]:
    """The upload as a file with a path, under the name that people know."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        with path.open("wb") as copy:
            for chunk in upload.chunks():
                copy.write(chunk)
        yield input_file(path, upload.name or "upload")

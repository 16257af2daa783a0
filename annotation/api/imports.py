"""Uploads that become import jobs."""

from typing import Any, cast

from django.contrib.auth.models import User
from django.http import QueryDict
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.common import checked, documented, started
from annotation.api.serializers import JobStarted, Strict
from annotation.services import access, importing
from annotation.services.errors import BadInput


class ImportIn(Strict):
    file = serializers.FileField(allow_empty_file=True)
    format = serializers.ChoiceField(importing.FORMATS, required=False, default="auto")
    split = serializers.CharField(max_length=20, required=False, allow_blank=True)
    with_references = serializers.BooleanField(required=False, default=False)
    dry_run = serializers.BooleanField(required=False, default=False)
    partial = serializers.BooleanField(required=False, default=False)  # type: ignore[assignment]
    licence = serializers.CharField(max_length=200, required=False, default="", allow_blank=True)
    may_release_text = serializers.BooleanField(required=False, default=False)
    mapping = serializers.JSONField(required=False, help_text="our field -> the file's column, as JSON")


class Imports(APIView):
    """Uploads of sources."""

    parser_classes = (MultiPartParser,)

    @documented(
        request={"multipart/form-data": ImportIn},
        answers={202: JobStarted},
        tags=["sources"],
        summary="Import a file of sources",
    )
    def post(self, request: Request, slug: str) -> Response:
        project = access.project_for(request.user, slug, access.MAKERS)
        assert isinstance(request.user, User)
        values: dict[str, Any] = checked(ImportIn, cast("QueryDict", request.data).dict())
        upload = values.pop("file")
        values["split"] = values.get("split") or None
        mapping = values.get("mapping")
        if mapping is not None and not (
            isinstance(mapping, dict) and all(isinstance(part, str) for pair in mapping.items() for part in pair)
        ):
            raise BadInput(_("Write the mapping as a JSON object of texts."), field="mapping")
        options = importing.ImportOptions.from_dict(values)
        return started(
            request, importing.start_import(project=project, upload=upload, options=options, by=request.user)
        )

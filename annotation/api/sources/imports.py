"""Uploads that become import jobs."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ParseError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import document_call
from annotation.api.core.parsing import parse_json
from annotation.api.core.requests import current_user, job_response, validate_body
from annotation.api.core.serializers import Strict
from annotation.api.jobs.serializers import JobStarted
from annotation.services.core import access
from annotation.services.sources import import_types, importing


@extend_schema_field({"type": "string", "description": 'JSON: our field -> the file\'s column, {"text": "body"}'})
class MappingField(serializers.CharField):
    """Column names as a JSON object of texts."""

    def to_internal_value(self, data: Any) -> Any:
        text = super().to_internal_value(data)
        try:
            mapping = parse_json(text)
        except ParseError as error:
            raise serializers.ValidationError(str(error.detail)) from None
        if not (isinstance(mapping, dict) and all(isinstance(value, str) for value in mapping.values())):
            raise serializers.ValidationError(_('Write a JSON object of texts, such as {"text": "body"}.'))
        return mapping


@extend_schema_field(OpenApiTypes.BINARY)
class UploadField(serializers.FileField):
    """The file itself."""


class Flag(serializers.BooleanField):
    """A switch whose absence from a form means its default, not "off"."""

    default_empty_html = serializers.empty


class ImportIn(Strict):
    file = UploadField(allow_empty_file=True)
    format = serializers.ChoiceField(import_types.FORMATS, required=False, default="auto")
    split = serializers.CharField(max_length=20, required=False, allow_blank=True)
    with_references = Flag(required=False, default=False)
    dry_run = Flag(required=False, default=False)
    partial = Flag(required=False, default=False)  # type: ignore[assignment]
    max_words = serializers.IntegerField(min_value=1, max_value=10**9, required=False)
    licence = serializers.CharField(max_length=200, required=False, default="", allow_blank=True)
    may_release_text = Flag(required=False, default=True)
    mapping = MappingField(max_length=20_000, required=False)


class Imports(APIView):
    """Uploads of sources."""

    parser_classes = (MultiPartParser,)

    @document_call(
        "imports_start",
        "Import a file of sources",
        request={"multipart/form-data": ImportIn},
        answers={202: JobStarted},
        tag="sources",
    )
    def post(self, request: Request, slug: str) -> Response:
        """Starts a job that reads the whole file first and stores all of it or nothing (unless `partial`)."""
        project = access.project_for(request.user, slug, access.MAKERS)
        values = validate_body(ImportIn, request.data)
        upload = values.pop("file")
        options = import_types.ImportOptions.from_dict({**values, "split": values.get("split") or None})
        with upload:  # closed here: the storage moved the file, and nothing else closes it
            job = importing.start_import(project=project, upload=upload, options=options, by=current_user(request))
        return job_response(request, job)

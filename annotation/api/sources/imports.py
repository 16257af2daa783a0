"""Uploads that become import jobs."""

import contextlib
from typing import Any

from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.core.openapi import document_call
from annotation.api.core.requests import current_user, job_response, validate_body
from annotation.api.jobs.serializers import JobStarted
from annotation.api.sources.serializers import ImportIn, ImportPreviewOut
from annotation.services.core import access
from annotation.services.sources import import_preview, import_types, importing
from epitome.formats.answers import SUBMITTED
from epitome.formats.options import ImportOptions


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
        upload, texts = values.pop("file"), values.pop("text_from", None)
        options = _parse_options(values)
        with upload, texts or contextlib.nullcontext():  # the storage moved the files, and nothing else closes them
            job = importing.start_import(
                project=project, upload=upload, options=options, by=current_user(request), texts=texts
            )
        return job_response(request, job)


class ImportPreview(APIView):
    """What a file would be read as."""

    parser_classes = (MultiPartParser,)

    @document_call(
        "imports_preview",
        "Look at a file before importing it",
        request={"multipart/form-data": ImportIn},
        answers={200: ImportPreviewOut},
        tag="sources",
    )
    def post(self, request: Request, slug: str) -> Response:
        """Reads the first part of the file and stores nothing. Without a mapping, columns are matched by name and
        content, as the answer's `mapping` shows."""
        project = access.project_for(request.user, slug, access.MAKERS)
        values = validate_body(ImportIn, request.data)
        upload, texts = values.pop("file"), values.pop("text_from", None)
        options = _parse_options(values)
        with upload, texts or contextlib.nullcontext():
            preview = import_preview.preview_upload(project=project, upload=upload, options=options, texts=texts)
        return Response(preview.as_dict())


def _parse_options(values: dict[str, Any]) -> ImportOptions:
    """The options of a request. Raises BadInput naming the option."""
    states = sorted(values.pop("answer_states", None) or [SUBMITTED])
    return import_types.parse_options({**values, "split": values.get("split") or None, "answer_states": states})

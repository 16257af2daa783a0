"""Importing: choose files or paste text, check the first rows and the columns, then start the job."""

import contextlib
from collections.abc import Iterator
from typing import NamedTuple

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from annotation.models import Project, SourceImport
from annotation.services.core import access
from annotation.services.core.errors import NotFound, ServiceError
from annotation.services.sources import column_mappings, import_uploads, importing
from annotation.services.sources.import_preview import FilePreview, preview_file, shorten_cell, show_read_rows
from annotation.services.sources.import_uploads import PendingUpload
from annotation.services.sources.import_words import describe_outlook, describe_remedy
from annotation.services.sources.importing import StoredFile
from annotation.services.sources.reading_apart import FileReader
from annotation.views.core.decorators import add_service_error, current_user, project_page
from annotation.views.sources.import_forms import MappingForm, UploadForm, label_format, list_encodings, list_formats
from epitome.formats.encodings import ENCODINGS, TextEncoding
from epitome.formats.reading import InputFile, input_file
from epitome.formats.registry import FORMATS


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def import_sources(request: HttpRequest, project: Project) -> HttpResponse:
    """Step 1: files or a pasted text."""
    if request.method == "POST" and "forget" in request.POST:
        return _forget_columns(request, project)
    sent = request.method == "POST"
    form = UploadForm(request.POST if sent else None, request.FILES if sent else None)
    if request.method == "POST" and form.is_valid():
        try:
            upload = _store_upload(form)
        except ServiceError as error:
            add_service_error(form, error)
        else:
            limit = request.GET.get("max_words", "")
            return redirect(check_address(project, upload.sign(project), max_words=limit))
    context = {
        "project": project,
        "form": form,
        "saved": column_mappings.list_saved_mappings(project),
        "limit": settings.EPITOME_MAX_UPLOAD,
        "limit_mb": settings.EPITOME_MAX_UPLOAD // 2**20,
        "imports": SourceImport.objects.filter(project=project, published_at__isnull=False)
        .select_related("created_by")
        .order_by("-id")[:10],
    }
    return render(request, "annotation/sources/import.html", context, status=422 if form.errors else 200)


def _store_upload(form: UploadForm) -> PendingUpload:
    if files := form.cleaned_data["file"]:
        upload = import_uploads.store_uploads(files)
    else:
        upload = import_uploads.store_pasted_text(form.cleaned_data["text"])
    texts = form.cleaned_data["texts"]
    return import_uploads.add_texts(upload, texts) if texts else upload


def _forget_columns(request: HttpRequest, project: Project) -> HttpResponse:
    with contextlib.suppress(NotFound):  # somebody else has just discarded it
        column_mappings.forget_mapping(project=project, key=request.POST["forget"])
    messages.success(request, _("Column mapping deleted. It is no longer used for new files."))
    return redirect("import", project.slug)


def check_address(project: Project, token: str, kind: str = "", max_words: str = "") -> str:
    """The address of the second step for an uploaded file. max_words: a limit to fill in."""
    query = {"file": token} | ({"format": kind} if kind else {})
    if max_words.isascii() and max_words.isdigit():
        query["max_words"] = max_words
    return f"{reverse('import-check', args=[project.slug])}?{urlencode(query)}"


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def check_import(request: HttpRequest, project: Project) -> HttpResponse:
    """Step 2: the first rows as they would be read, the columns, the licence; then the import starts."""
    try:
        upload = import_uploads.find_upload(project, request.GET.get("file", ""))
    except NotFound as error:
        messages.error(request, error.message)
        return redirect("import", project.slug)
    with FileReader() as reader:
        return _show_upload(request, project, upload, reader)


def _show_upload(request: HttpRequest, project: Project, upload: PendingUpload, reader: FileReader) -> HttpResponse:
    chosen_kind = request.GET.get("format", "auto")
    kind = chosen_kind if chosen_kind in FORMATS else "auto"
    chosen_encoding = request.GET.get("encoding", "")
    chosen_encoding = chosen_encoding if chosen_encoding in ENCODINGS else ""
    with _open_upload(upload, chosen_encoding) as file:
        preview = preview_file(project, file, reader, kind)
    form = MappingForm(
        request.POST if request.method == "POST" else None,
        preview=preview,
        schema=project.schema_version.schema,
        has_texts=bool(upload.texts),
        initial={"max_words": request.GET.get("max_words")},
    )
    is_import = request.method == "POST" and "show" not in request.POST
    if is_import and preview.fault is None and form.is_valid():
        try:
            job = importing.start_stored_import(
                project=project,
                file=StoredFile(upload.name, upload.file_name),
                options=form.options(),
                by=current_user(request),
                texts=StoredFile(upload.texts, upload.texts_name) if upload.texts else None,
            )
        except ServiceError as error:
            add_service_error(form, error)
        else:
            return redirect("import-result", project.slug, job.public_id)
    if preview.has_columns:
        _show_read_rows(request, project, upload, preview, form, reader)
    context = {
        "project": project,
        "form": form,
        "upload": upload,
        "token": request.GET.get("file", ""),
        "preview": preview,
        "remedy": describe_remedy(preview.fault.code) if preview.fault else "",
        "kind": label_format(preview.kind),
        "counts": describe_outlook(preview.outlook),
        "notes": _list_notes(preview),
        "kinds": list_formats(),
        "chosen_kind": kind,
        "encodings": list_encodings(),
        "encoding_label": ENCODINGS.get(preview.encoding, ""),
        "chosen_encoding": chosen_encoding,
        "shows_sources": "show" in request.POST,
        "columns": _list_columns(form, preview),
        "rows": [[shorten_cell(row.get(column)) for column in preview.columns] for row in preview.rows],
        "with_references": preview.kind in FORMATS
        and FORMATS[preview.kind].has_summaries
        and any(source.n_references for source in preview.sources),
    }
    status = 422 if form.errors or preview.fault else 200
    return render(request, "annotation/sources/import_check.html", context, status=status)


def _list_notes(preview: FilePreview) -> list[str]:
    """What was remarked about the file, without the encoding, for which the page has a choice."""
    guessed = TextEncoding(used=preview.encoding).guess_note
    return [note for note in (*preview.guess.notes, *preview.outlook.notes) if note != guessed]


def _show_read_rows(
    request: HttpRequest,
    project: Project,
    upload: PendingUpload,
    preview: FilePreview,
    form: MappingForm,
    reader: FileReader,
) -> None:
    """Add the first rows as they would be read, by the columns chosen so far."""
    if request.method != "POST":
        options = form.proposed_options()
    elif form.is_valid() or form.errors.keys() <= {"permission", "licence"}:
        options = form.read_options()
        if "show" in request.POST:
            form.errors.clear()
    else:
        return
    with _open_upload(upload, options.encoding) as file:
        try:
            show_read_rows(preview, project, file, options, reader)
        except ServiceError as error:
            add_service_error(form, error)


@contextlib.contextmanager
def _open_upload(upload: PendingUpload, encoding: str) -> Iterator[InputFile]:
    """The uploaded file, and the one with the texts of its rows, as local files."""
    with contextlib.ExitStack() as files:
        path = files.enter_context(importing.local_copy(upload.name))
        texts = None
        if upload.texts:
            text_path = files.enter_context(importing.local_copy(upload.texts))
            texts = input_file(text_path, upload.texts_name, encoding=encoding)
        yield input_file(path, upload.file_name, texts=texts, encoding=encoding)


class ColumnHead(NamedTuple):
    """A column of the preview and the select over it."""

    name: str
    field: object


def _list_columns(form: MappingForm, preview: FilePreview) -> list[ColumnHead]:
    return [ColumnHead(name, form[f"column-{index}"]) for index, name in enumerate(preview.columns)]

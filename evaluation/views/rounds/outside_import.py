"""Importing answers that people gave in other tools: choose the file, see what comes in, then store it."""

import uuid
from typing import NamedTuple

from django.conf import settings
from django.contrib import messages
from django.core.files.storage import default_storage
from django.forms import BoundField
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Project
from annotation.services.core import access
from annotation.services.core.errors import Conflict, NotFound, ServiceError
from annotation.services.core.word_patterns import join_names
from annotation.services.sources import import_uploads
from annotation.services.sources.import_uploads import PendingUpload
from annotation.services.sources.importing import local_copy
from annotation.views.core.decorators import add_service_error, current_user, project_page
from epitome.formats.reading import input_file
from epitome.rounds.outside_answers import Word
from evaluation.models import Round
from evaluation.services.rating.outside_import import import_answers
from evaluation.services.rating.outside_preview import OutsidePreview, WordChoice, describe_left_out, preview_answers
from evaluation.services.rating.outside_raters import check_takes_answers
from evaluation.views.reports.reports import find_launched_round
from evaluation.views.rounds.outside_forms import OutsideFileForm, WordsForm

METHODS = ("GET", "HEAD", "POST")


@project_page(access.ADMINS, methods=METHODS)
def choose_file(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """Step 1: one file or several."""
    round_ = find_launched_round(project, public_id)
    sent = request.method == "POST"
    form = OutsideFileForm(request.POST if sent else None, request.FILES if sent else None)
    if sent and form.is_valid():
        try:
            upload = import_uploads.store_uploads(form.cleaned_data["file"])
        except ServiceError as error:
            add_service_error(form, error)
        else:
            address = reverse("round-import-check", args=[project.slug, public_id])
            return redirect(f"{address}?{urlencode({'file': upload.sign(project)})}")
    context = {
        "project": project,
        "round": round_,
        "form": form,
        "refused": _say_why_refused(round_),
        "limit": settings.EPITOME_MAX_UPLOAD,
        "limit_mb": settings.EPITOME_MAX_UPLOAD // 2**20,
    }
    return render(request, "evaluation/rounds/round_import.html", context, status=422 if form.errors else 200)


def _say_why_refused(round_: Round) -> str:
    """Why the round takes no answers now; "" where it does."""
    try:
        check_takes_answers(round_)
    except Conflict as error:
        return error.message
    return ""


@project_page(access.ADMINS, methods=METHODS)
def check_file(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """Step 2: what comes in and what is left out, and what the round calls the words of the file; then it is stored."""
    round_ = find_launched_round(project, public_id)
    try:
        upload = import_uploads.find_upload(project, request.GET.get("file", ""))
    except NotFound as error:
        messages.error(request, error.message)
        return redirect("round-import", project.slug, public_id)
    try:
        preview, form = _read(request, round_, upload)
    except ServiceError as error:
        messages.error(request, error.message)
        return redirect("round-import", project.slug, public_id)
    if request.method == "POST" and "show" not in request.POST and form.is_valid():
        try:
            stored = _import(round_, upload, form.mapping(), request)
        except ServiceError as error:
            add_service_error(form, error)
        else:
            messages.success(request, describe_import(stored))
            return redirect("round", project.slug, public_id)
    context = {
        "project": project,
        "round": round_,
        "upload": upload,
        "preview": preview,
        "refused": _say_why_refused(round_),
        "form": form,
        "words": _pair_words(preview, form),
        "left_out": sorted((describe_left_out(*key), n) for key, n in preview.left_out.items()),
    }
    status = 422 if form.errors else 200
    return render(request, "evaluation/rounds/round_import_check.html", context, status=status)


def _read(request: HttpRequest, round_: Round, upload: PendingUpload) -> tuple[OutsidePreview, WordsForm]:
    """The preview by the words that were chosen so far, with the form of all words of the file. Raises BadInput."""
    with local_copy(upload.name) as path:
        file = input_file(path, upload.file_name)
        preview = preview_answers(round_, file, {})
        form = WordsForm(request.POST if request.method == "POST" else None, words=preview.words, rules=round_.rules)
        if request.method == "POST":
            form.is_valid()
            if "show" in request.POST:
                form.errors.clear()
            preview = preview_answers(round_, file, form.mapping())
    return preview, form


def _import(round_: Round, upload: PendingUpload, mapping: dict[Word, str], request: HttpRequest) -> OutsidePreview:
    with local_copy(upload.name) as path:
        file = input_file(path, upload.file_name)
        stored = import_answers(round_=round_, file=file, mapping=mapping, by=current_user(request))
    default_storage.delete(upload.name)
    return stored


class WordRow(NamedTuple):
    choice: WordChoice
    field: BoundField


def _pair_words(preview: OutsidePreview, form: WordsForm) -> list[WordRow]:
    choices = {choice.word: choice for choice in preview.words}
    return [WordRow(choices[word], form[name]) for name, word in form.words.items() if word in choices]


def describe_import(stored: OutsidePreview) -> str:
    """Imported: 24 ratings by 2 outside raters, from Pearmut."""
    if not stored.new:
        return _("All answers of this file were imported before. Nothing was changed.")
    ratings = ngettext("%(n)d rating", "%(n)d ratings", len(stored.new)) % {"n": len(stored.new)}
    n_raters = len(stored.new_people)
    raters = ngettext("%(n)d outside rater", "%(n)d outside raters", n_raters) % {"n": n_raters}
    return _("Imported: %(ratings)s by %(raters)s, from %(tools)s.") % {
        "ratings": ratings,
        "raters": raters,
        "tools": join_names(stored.tools),
    }

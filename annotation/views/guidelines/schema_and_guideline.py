"""The versioned texts of a project: its schema and its guideline."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, TypeVar

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from annotation.models import GuidelineVersion, Project, SchemaVersion
from annotation.services.core import access
from annotation.services.core.errors import BadInput, NotFound, ServiceError
from annotation.services.guidelines import example_cards
from annotation.services.guidelines.example_cards import FIELDS as CARD_FIELDS
from annotation.services.people import projects
from annotation.views.core import markdown
from annotation.views.core.decorators import add_service_error, current_user, project_page
from annotation.views.guidelines.forms import CardForm, GuidelineForm, SchemaForm
from epitome.text.diff import diff_texts

MAX_FILE = 400_000
MAX_GUIDELINE = 200_000
Version = TypeVar("Version", SchemaVersion, GuidelineVersion)


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def edit_schema(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the schema and publish the next version. ?version=1 shows an older version."""
    newest = project.schema_version
    form = SchemaForm(request.POST or None, request.FILES or None, initial={"text": newest.text})
    if request.method == "POST" and form.is_valid():
        try:
            text = _read_text(form.cleaned_data["file"]) or form.cleaned_data["text"]
            new_version = projects.new_schema_version(project=project, text=text, by=current_user(request))
        except ServiceError as error:
            form.add_error("text", error.message)
        else:
            messages.success(
                request,
                _("Version %(n)d published. It applies to new samples; existing samples keep their version.")
                % {"n": new_version.number},
            )
            return redirect("schema", project.slug)
    versions = list(project.schema_versions.select_related("created_by").order_by("-number"))
    version = _requested_version(request, versions)
    context = {"project": project, "form": form, "version": version, "versions": versions, "newest": newest}
    return render(request, "annotation/guidelines/schema.html", context, status=422 if form.errors else 200)


def _requested_version(request: HttpRequest, versions: Sequence[Version]) -> Version:
    """The version named by ?version=, or the newest."""
    number = request.GET.get("version", "")
    if not number:
        return versions[0]
    for version in versions:
        if str(version.number) == number:
            return version
    raise NotFound(_("There is no such version."))


def _read_text(upload: UploadedFile | None) -> str:
    """The text of an uploaded TOML file; empty without a file. Raises BadInput when it is too large or not UTF-8."""
    if upload is None:
        return ""
    data = upload.read(MAX_FILE + 1)
    if len(data) > MAX_FILE:
        raise BadInput(_("The file is too large for a schema."), field="text")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(
            _("The file is not UTF-8 text: byte %(n)d cannot be read.") % {"n": error.start + 1}, field="text"
        ) from None


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def edit_guideline(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the guideline and publish the next version, with a preview before it is saved."""
    newest = project.guideline_version
    data = _apply_cards(request)
    form = GuidelineForm(data, initial={"text": newest.text})
    text = newest.text
    if request.method == "POST" and form.is_valid():
        text = form.cleaned_data["text"]
        if request.POST.get("do") == "keep" and _save_guideline(request, project, form, text):
            return redirect("project-guideline", project.slug)
    versions = list(project.guideline_versions.select_related("created_by").order_by("-number"))
    version = _requested_version(request, versions)
    if request.method != "POST" and version is not versions[0]:
        text = version.text
    context = {
        "project": project,
        "form": form,
        "preview": markdown.render_markdown(text),
        "unsaved": request.method == "POST",
        **_card_forms(data["text"] if data else newest.text, request.POST.get("do", "") == "add-card"),
        "version": version,
        "versions": versions,
        **_compare_versions(text, versions, version if request.method != "POST" else None),
    }
    return render(request, "annotation/guidelines/guideline_edit.html", context, status=422 if form.errors else 200)


@project_page(access.MAKERS, methods=["POST"])
def preview_guideline(request: HttpRequest, project: Project) -> HttpResponse:
    """The guideline that the form holds, as annotators will see it. Stores nothing."""
    data = _apply_cards(request)
    rendered = markdown.render_markdown(data["text"][:MAX_GUIDELINE] if data else "")
    return render(request, "annotation/guidelines/_guideline_preview.html", {"project": project, "preview": rendered})


def _apply_cards(request: HttpRequest) -> dict[str, str] | None:
    """The sent form with its cards written into the text, unless the cards were changed in the text itself."""
    if request.method != "POST":
        return None
    data = {name: str(value) for name, value in request.POST.items()}
    text = data.get("text", "").replace("\r\n", "\n")
    before = example_cards.read_card_fields({**data, **_shown_cards(data)})
    if "cards" in data and example_cards.read_cards(text) == before:
        text = example_cards.write_cards(text, example_cards.read_card_fields(data))
    return {**data, "text": text}


def _shown_cards(data: dict[str, str]) -> dict[str, str]:
    """The cards as the text had them when the form was shown, by the names of the fields."""
    shown = example_cards.read_cards(data.get("shown", "").replace("\r\n", "\n"))
    values = {f"card{index}-{name}": getattr(card, name) for index, card in enumerate(shown) for name in CARD_FIELDS}
    return {**values, "cards": str(len(shown))}


def _card_forms(text: str, adds: bool) -> dict[str, Any]:
    """The forms of the cards of a text, with an empty one to add; `shown`: the text that they belong to."""
    text = text.replace("\r\n", "\n")
    cards = example_cards.read_cards(text)[: example_cards.MOST_CARDS]
    cards += [example_cards.ExampleCard()] if adds else []
    forms = [CardForm(initial=asdict(card), prefix=f"card{index}") for index, card in enumerate(cards)]
    return {"cards": forms, "shown_text": text}


def _compare_versions(text: str, versions: list[GuidelineVersion], version: Any) -> dict[str, Any]:
    """Diff of an unsaved text against the current version, or of a version against the one before it."""
    previous = (
        versions[0] if version is None else next((older for older in versions if older.number < version.number), None)
    )
    if previous is None:
        return {}
    return {"against": previous, "difference": diff_texts(previous.text, text.replace("\r\n", "\n"))}


def _save_guideline(request: HttpRequest, project: Project, form: GuidelineForm, text: str) -> bool:
    try:
        values = {name: form.cleaned_data[name] for name in ("change", "note")}
        new_version = projects.new_guideline_version(project=project, text=text, by=current_user(request), **values)
    except ServiceError as error:
        add_service_error(form, error)
        return False
    messages.success(request, _("Version %(n)d published.") % {"n": new_version.number})
    return True

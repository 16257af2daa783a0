"""The form in which attributes are declared: every button but "Publish" shows the form again and stores nothing."""

import tomllib
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from annotation.kinds import project_kinds
from annotation.models import Project, Sample
from annotation.services.core import access
from annotation.services.core.errors import BadInput, ServiceError
from annotation.services.people import projects
from annotation.views.core.decorators import current_user, project_page
from annotation.views.core.forms import FollowingTomlForm
from annotation.views.guidelines.attribute_forms import build_forms, build_head_form, read_head_form
from annotation.views.guidelines.attribute_preview import PreviewForm, build_previews
from epitome.schema import Schema, SchemaError, parse_schema
from epitome.schema.attribute_fields import (
    AttributeFields,
    HeadFields,
    ValueFields,
    as_form_data,
    from_form_data,
    read_attributes,
    read_head,
    write_attributes,
)

MOST_FIELDS = 900
"""A browser's form with more fields than this is refused by the server; such a schema is edited as TOML."""


@dataclass(frozen=True)
class Edited:
    """What the form holds. base: the text it began with, and the number of that version. fault: of the result."""

    base: str
    number: int
    attributes: list[AttributeFields]
    head: HeadFields
    text: str
    schema: Schema | None
    fault: SchemaError | None


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def edit_attributes(request: HttpRequest, project: Project) -> HttpResponse:
    """The editor. POST with do=publish adds a version; every other button shows the form with the change."""
    do = request.POST.get("do", "")
    try:
        edited, toml_fault = _read_text(project, request) if do == "toml" else (_read_form(project, request), "")
    except SchemaError as error:
        raise BadInput(str(error), field="base") from error
    if do == "publish" and edited.fault is None:
        try:
            number = edited.number
            by = current_user(request)
            version = projects.new_schema_version(project=project, text=edited.text, by=by, after=number)
        except ServiceError as error:
            toml_fault = error.message
        else:
            messages.success(
                request,
                _("Version %(n)d published. It applies to new samples; existing samples keep their version.")
                % {"n": version.number},
            )
            return redirect("schema", project.slug)
    context = _build_context(request, project, edited)
    refused = bool(toml_fault) or (do == "publish" and edited.fault is not None)
    faulty_text = request.POST.get("toml", "") if do == "toml" and toml_fault else ""
    context["toml_form"] = FollowingTomlForm.with_text(faulty_text or edited.text, toml_fault)
    context["shows_faults"] = do not in ("", "toml") or refused
    return render(request, "annotation/guidelines/attribute_editor.html", context, status=422 if refused else 200)


@project_page(access.MAKERS, methods=["POST"])
def preview_attributes(request: HttpRequest, project: Project) -> HttpResponse:
    """The parts of the editor that follow what is typed. Stores nothing."""
    try:
        edited = _read_form(project, request)
    except SchemaError as error:
        raise BadInput(str(error), field="base") from error
    context = {**_build_context(request, project, edited), "toml": edited.text}
    return render(request, "annotation/guidelines/_attribute_preview.html", context)


def _build_context(request: HttpRequest, project: Project, edited: Edited) -> dict[str, Any]:
    fits = len(as_form_data(edited.attributes)) <= MOST_FIELDS
    shown_fault = edited.fault if request.method == "POST" else None
    sample = PreviewForm.for_project(project, request.POST if "sample" in request.POST else None)
    return {
        "project": project,
        "edited": edited,
        "attributes": build_forms(edited.attributes, shown_fault) if fits else [],
        "head": build_head_form(edited.head, shown_fault),
        "fits": fits,
        "fault": edited.fault,
        "n_samples": Sample.objects.requests().filter(project=project).count(),
        "sample": sample,
        "previews": build_previews(project, edited.schema, sample) if edited.schema else [],
        "changed": edited.text != edited.base,
    }


def _read_form(project: Project, request: HttpRequest) -> Edited:
    """The sent form after the change that its button asks for; the newest version where none was sent."""
    newest = project.schema_version
    if request.method != "POST" or "base" not in request.POST:
        return _check_stored(project, newest.text, newest.number)
    base = _as_lines(request.POST["base"])
    try:
        tomllib.loads(base)
    except ValueError as error:
        raise BadInput(_("This form is damaged. Reload the page."), field="base") from error
    number = request.POST.get("number", "")
    attributes = from_form_data(request.POST)
    _apply_button(attributes, request.POST.get("do", ""))
    number_edited = int(number) if number.isdecimal() else newest.number
    return _check(project, base, number_edited, attributes, read_head_form(request.POST))


def _read_text(project: Project, request: HttpRequest) -> tuple[Edited, str]:
    """The editor for the TOML text that was sent, and "" or what is wrong with it."""
    newest = project.schema_version
    text = _as_lines(request.POST.get("toml", ""))
    try:
        _parse(project, text)
    except SchemaError as error:
        return _check_stored(project, newest.text, newest.number), str(error)
    return _check_stored(project, text, newest.number), ""


def _check_stored(project: Project, text: str, number: int) -> Edited:
    """A sound text as it is, before anything is changed."""
    return _check(project, text, number, read_attributes(text), read_head(text))


def _check(project: Project, base: str, number: int, attributes: list[AttributeFields], head: HeadFields) -> Edited:
    text = write_attributes(base, attributes, head)
    try:
        return Edited(base, number, attributes, head, text, _parse(project, text), None)
    except SchemaError as error:
        return Edited(base, number, attributes, head, text, None, error)


def _parse(project: Project, text: str) -> Schema:
    return parse_schema(text, projects.FILE_NAME, needs_attributes=project_kinds()[project.kind].needs_attributes)


def _as_lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _apply_button(attributes: list[AttributeFields], do: str) -> None:
    """Add, move or remove what a button names: "add", "up:0", "remove-value:0:1"."""
    name, *numbers = do.split(":")
    places = [int(number) for number in numbers if number.isdecimal()]
    if name == "add":
        attributes.append(AttributeFields(values=[ValueFields(), ValueFields()]))
    elif len(places) == 1 and places[0] < len(attributes):
        if name == "add-value":
            attributes[places[0]].values.append(ValueFields())
        else:
            _move(attributes, name, places[0])
    elif len(places) == 2 and places[0] < len(attributes) and places[1] < len(attributes[places[0]].values):
        _change_value(attributes[places[0]], name.removesuffix("-value"), places[1])


def _move(rows: list[Any], name: str, place: int) -> None:
    other = {"up": place - 1, "down": place + 1}.get(name, -1)
    if name == "remove":
        del rows[place]
    elif 0 <= other < len(rows):
        rows[place], rows[other] = rows[other], rows[place]


def _change_value(attribute: AttributeFields, name: str, place: int) -> None:
    """Move or remove a value; the baseline stays with its value."""
    rows = attribute.values
    anchor = int(attribute.anchor) if attribute.anchor.isdecimal() else len(rows)
    anchored = rows[anchor] if anchor < len(rows) else None
    _move(rows, name, place)
    attribute.anchor = next((str(index) for index, row in enumerate(rows) if row is anchored), "")

"""Registering a system by a form or as TOML. Only "Register" stores anything."""

import tomllib
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services.core import access
from annotation.services.core.errors import BadInput, ServiceError
from annotation.views.core.decorators import current_user, project_page
from annotation.views.core.forms import FollowingTomlForm
from epitome.schema import SchemaError
from epitome.systems import registry
from epitome.systems.config import parse_config
from epitome.systems.kinds import Kind
from epitome.systems.option_fields import list_option_fields, read_options, write_system
from epitome.systems.protocol import ROLES, SystemFault
from epitome.systems.roles import traits_of
from modelbridge.models import System, SystemRevision
from modelbridge.services.runs import runs
from modelbridge.services.systems import systems
from modelbridge.views.systems.system_forms import HEAD, SystemForm, field_name


@dataclass(frozen=True)
class EditedSystem:
    """What the form holds. base: the text it began with; text: with what was entered."""

    base: str
    kind: str
    form: SystemForm
    text: str


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def new_system(request: HttpRequest, project: Project) -> HttpResponse:
    """Register a system. ?from=KEY begins with a registered or shipped one, ?kind=KIND with an empty one."""
    start = request.GET.get("from", "")
    edited = _read_form(request.POST) if "base" in request.POST else _build_form(_initial_toml(request, project))
    toml, fault = edited.text if edited else "", ""
    if request.method == "POST" and request.POST.get("do") != "preview":
        toml = _as_lines(request.POST["toml"]) if "toml" in request.POST else toml
        try:
            if request.POST.get("do") == "toml":
                edited = _build_form(toml, strict=True)
            else:
                return _register(request, project, toml)
        except ServiceError as error:
            fault = error.message
            if edited is not None and "base" in request.POST:
                edited.form.show_fault(str(error.extra.get("key", "")), error.message)
        except SchemaError as error:
            fault = str(error)
    context = {
        "project": project,
        "edited": edited,
        "fault": fault,
        "toml_form": FollowingTomlForm.with_text(toml, fault if "toml" in request.POST or edited is None else ""),
        "start": start,
        "examples": registry.shipped_configs(),
        "kinds": sorted((kind for kind in registry.KINDS.values() if kind.listed), key=_role_place),
        "may_test": edited is not None and _may_test(edited.kind),
    }
    return render(request, "modelbridge/systems/system_new.html", context, status=422 if fault else 200)


def _role_place(kind: Kind) -> int:
    """Where the kinds of a role are placed among the others."""
    return ROLES.index(kind.role)


@project_page(access.MAKERS, methods=["POST"])
def preview_system(request: HttpRequest, project: Project) -> HttpResponse:
    """The TOML text and the fault of what the form holds. Stores nothing."""
    text = fault = ""
    try:
        text = _read_form(request.POST).text
        parse_config(text)
    except BadInput as error:
        fault = error.message
    except SchemaError as error:
        fault = f"{error.key}: {error.message}"
    return render(request, "modelbridge/systems/_system_preview.html", {"fault": fault, "toml": text})


def _register(request: HttpRequest, project: Project, text: str) -> HttpResponse:
    revision = systems.register_system(project=project, toml_text=text, by=current_user(request))
    if request.POST.get("do") == "test" and _may_test(revision.kind):
        return start_test(request, project, revision)
    messages.success(request, _("Registered as revision %(n)d.") % {"n": revision.number})
    return redirect("system", project.slug, revision.system.public_id)


def _may_test(kind: str) -> bool:
    """Whether systems of a kind write summaries here, so that one sample shows what they do."""
    known = registry.KINDS.get(kind)
    return known is not None and traits_of(known.role).writes and not known.elsewhere


def start_test(request: HttpRequest, project: Project, revision: SystemRevision) -> HttpResponse:
    """Run a revision over one sample; its page shows the input, the output and the time."""
    try:
        run = runs.start_run(
            project=project, revision=revision, by=current_user(request), label=_("Test on one sample"), is_test=True
        )
    except ServiceError as error:
        messages.error(request, error.message)
        return redirect("system", project.slug, revision.system.public_id)
    return redirect("run", project.slug, run.public_id)


def _initial_toml(request: HttpRequest, project: Project) -> str:
    """The text that ?from= or ?kind= names; "" for neither."""
    kind, key = request.GET.get("kind", ""), request.GET.get("from", "")
    if kind in registry.KINDS and registry.KINDS[kind].listed:
        return f'[system]\nkey = "{kind}"\nkind = "{kind}"\nname = ""\n'
    row = System.objects.filter(project=project, key=key).first() if key else None
    if row is not None:
        return row.newest.config_toml
    try:
        return registry.config_of(key).text if key in registry.shipped_keys() else ""
    except SystemFault:
        return ""


def _build_form(text: str, *, strict: bool = False) -> EditedSystem | None:
    """The form of a text; None for no text, or one of another version of the program. strict: raises SchemaError."""
    if not text and not strict:
        return None
    if strict:
        parse_config(text)
    try:
        system = tomllib.loads(text).get("system", {})
        fields = list_option_fields(system["kind"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    data = {key: str(system.get(key, "")) for key in HEAD}
    data |= {field_name(path): value for path, value in read_options(text, fields).items()}
    shown = [field for field in fields if field_name(field.path) in data]
    return EditedSystem(text, system["kind"], SystemForm(data, shown), text)


def _read_form(data: Any) -> EditedSystem:
    """What was sent. Raises BadInput for a damaged form."""
    base = _as_lines(data.get("base", ""))
    edited = _build_form(base)
    if edited is None:
        raise BadInput(_("This form is damaged. Reload the page."), field="base")
    fields = edited.form.options
    options = {
        field.path: _as_lines(data[field_name(field.path)]) for field in fields if field_name(field.path) in data
    }
    head = {key: data.get(key, "").strip() for key in HEAD if key in data}
    text = write_system(base, head, options, fields)
    values = {**head, **{field_name(path): value for path, value in options.items()}}
    return EditedSystem(base, edited.kind, SystemForm(values, fields), text)


def _as_lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")

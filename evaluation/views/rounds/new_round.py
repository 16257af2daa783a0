"""A new round: its form with the check below it; a design that somebody wrote as TOML beside it."""

from dataclasses import dataclass, field
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services.core import access
from annotation.services.core.errors import BadInput, ServiceError
from annotation.views.core.decorators import add_service_error, current_user, project_page
from epitome.rounds.templates import load_template, parse_template, template_keys
from evaluation.models import RoundTemplate
from evaluation.services.rounds import design_check
from evaluation.services.rounds import launch as round_launch
from evaluation.services.rounds.presets import list_presets, write_preset
from evaluation.services.rounds.usual_size import find_usual_n
from evaluation.views.rounds.check_description import describe_check
from evaluation.views.rounds.forms import ConfigForm, SketchForm
from evaluation.views.rounds.round_editor import (
    CheckedDesign,
    EditedDesign,
    check_posted,
    edit_design,
    list_faults,
    read_posted,
    write_design,
)

FORM_BUTTONS = ("write", "save", "preview")
USUAL_TEMPLATE = "macsum-yes-no"


@dataclass
class _Page:
    """What the page shows. edited: None where the text holds what the form cannot show; config: the text itself;
    is_written: somebody wrote the text, so that its faults are said there."""

    edited: EditedDesign | None
    config: ConfigForm = field(default_factory=ConfigForm)
    checked: CheckedDesign | None = None
    is_written: bool = False

    @property
    def is_faulty(self) -> bool:
        return bool(self.config.errors or (self.edited and self.edited.form.errors))


@project_page(access.MAKERS, methods=("GET", "HEAD", "POST"))
def new_round(request: HttpRequest, project: Project) -> HttpResponse:
    """The form of a design, its check, and saving it as a draft. Nothing is stored before."""
    do = request.POST.get("do", "")
    if do == "save":
        page: _Page | HttpResponse = _save_form(request, project)
    elif do == "keep":
        page = _save_text(request, project)
    elif do == "check":
        page = _check_text(request, project)
    elif do in FORM_BUTTONS or "use" in request.POST:
        page = _check_form(request, project)
    else:
        page = _begin(request, project)
    return _render_page(request, project, page) if isinstance(page, _Page) else page


def _begin(request: HttpRequest, project: Project) -> _Page:
    """The form with the values of a preset or of a template."""
    if preset := request.GET.get("preset", ""):
        text = write_preset(project, preset)
        try:
            return _open_text(project, text)
        except BadInput as error:
            return _Page(edit_design(project, text), checked=CheckedDesign(text, None, error.message))
    form = SketchForm(project=project, initial=_initial_values(request, project))
    return _Page(EditedDesign("", form, []))


def _initial_values(request: HttpRequest, project: Project) -> dict[str, Any]:
    """Initial form values from the template named in ?template=: a built-in one, or the project's own."""
    key = request.GET.get("template", USUAL_TEMPLATE)
    row = RoundTemplate.objects.filter(project=project, key=key).first()
    if row is not None:
        chosen = parse_template(row.toml, f"{key}.toml")
    else:
        chosen = load_template(key if key in template_keys() else USUAL_TEMPLATE)
    n = find_usual_n(project, chosen)
    return {"template": chosen.key, "n": n, "raters_per_item": chosen.raters_per_item}


def _open_text(project: Project, text: str) -> _Page:
    """A sound text in the form, with its check. Raises BadInput."""
    edited = edit_design(project, text)
    result = design_check.check_design(project, design_check.parse_config(project, text))
    return _Page(edited, ConfigForm(initial={"config": text}), CheckedDesign(text, result, ""), edited is None)


def _check_form(request: HttpRequest, project: Project) -> _Page:
    edited = read_posted(request, project)
    if request.POST.get("do") == "preview":  # restored from the browser: nothing was asked yet
        return _Page(edited)
    checked = check_posted(project, edited)
    return _Page(edited, ConfigForm(initial={"config": checked.text}), checked)


def _save_form(request: HttpRequest, project: Project) -> _Page | HttpResponse:
    edited = read_posted(request, project)
    if not edited.form.is_valid():
        edited.form.offer_limits()
        return _Page(edited)
    try:
        return _make_draft(request, project, write_design(project, edited))
    except BadInput:
        return _Page(edited, checked=check_posted(project, edited))
    except ServiceError as error:
        add_service_error(edited.form, error)
    return _Page(edited)


def _check_text(request: HttpRequest, project: Project) -> _Page:
    config = ConfigForm(request.POST)
    if config.is_valid():
        try:
            return _open_text(project, config.cleaned_data["config"])
        except BadInput as error:
            add_service_error(config, BadInput(error.message, field="config"))
    return _Page(None, config, is_written=True)


def _save_text(request: HttpRequest, project: Project) -> _Page | HttpResponse:
    config = ConfigForm(request.POST)
    if config.is_valid():
        try:
            return _make_draft(request, project, config.cleaned_data["config"])
        except ServiceError as error:
            add_service_error(config, BadInput(error.message, field="config"))
    return _Page(None, config, is_written=True)


def _make_draft(request: HttpRequest, project: Project, text: str) -> HttpResponse:
    draft = round_launch.make_draft(project=project, text=text, by=current_user(request))
    messages.success(request, _("Draft saved. Review the check, then launch the round."))
    return redirect("round", project.slug, draft.public_id)


def _render_page(request: HttpRequest, project: Project, page: _Page) -> HttpResponse:
    edited = page.edited
    if edited is None:  # the form stands beside a text that it cannot show
        edited = EditedDesign("", SketchForm(project=project, initial=_initial_values(request, project)), [])
    checked = page.checked or CheckedDesign("", None, "")
    context = {
        "project": project,
        "form": edited.form,
        "edited": edited,
        "config": page.config,
        "is_written": page.is_written,
        "is_checked": page.checked is not None,
        "check": describe_check(checked.result),
        "fault": checked.fault,
        "faults": [] if edited.form.is_bound else list_faults(checked.result, page.edited),
        "toml": checked.text,
        "templates": [load_template(key) for key in template_keys()],
        "own_templates": RoundTemplate.objects.filter(project=project).order_by("key"),
        "presets": list_presets(project),
    }
    return render(request, "evaluation/rounds/round_new.html", context, status=422 if page.is_faulty else 200)

"""The form of a round's design while it is a draft, its check as one types, and the rater's page as a preview."""

import tomllib
import uuid
from dataclasses import asdict, dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services.core import access
from annotation.services.core.errors import BadInput, NotFound
from annotation.services.core.word_patterns import name_value
from annotation.views.core.decorators import project_page
from epitome.rounds.sketch_reading import list_other_targets, read_sketch, write_sketch
from epitome.rounds.templates import RoundTemplate, load_template, parse_template, template_keys
from epitome.rounds.writing import Sketch, build_toml
from epitome.schema import SchemaError
from evaluation.models import Round, RoundState
from evaluation.services.rating.item_preview import describe_preview
from evaluation.services.rounds import design_check, own_templates
from evaluation.views.rating.item_page import build_sheet
from evaluation.views.rounds.check_description import describe_check
from evaluation.views.rounds.forms import SketchForm

WIDTH = 20


@dataclass(frozen=True)
class EditedDesign:
    """The form of a design. base: the text it began with, "" for a new round; others: targets it cannot show."""

    base: str
    form: SketchForm
    others: list[str]


def edit_design(project: Project, text: str, data: Any = None) -> EditedDesign | None:
    """The form of a design's text; None where its template is inside the text or unknown, or the text is not sound."""
    sketch = _read(project, text)
    if sketch is None:
        return None
    form = SketchForm(data, project=project, initial=_as_initial(sketch), sketched=sketch)
    return EditedDesign(text, form, list_other_targets(text))


def _read(project: Project, text: str) -> Sketch | None:
    try:
        template = _find_template(project, str(tomllib.loads(text).get("round", {}).get("template", "")))
        return None if template is None else read_sketch(text, template)
    except (SchemaError, ValueError, TypeError, AttributeError):
        return None


def _find_template(project: Project, key: str) -> RoundTemplate | None:
    if key in template_keys():
        return load_template(key)
    texts = own_templates.template_texts(project)
    return parse_template(texts[key], f"{key}.toml") if key in texts else None


def _as_initial(sketch: Sketch) -> dict[str, Any]:
    values = {**asdict(sketch), "runs": [run for run, _key in sketch.runs]}
    return {**values, "width": sketch.width or WIDTH}


def write_design(project: Project, edited: EditedDesign) -> str:
    """The text with what was entered in a valid form."""
    before = _read(project, edited.base)
    assert before is not None  # edit_design gave the form
    return write_sketch(edited.base, before, edited.form.sketch(project))


def _read_posted(request: HttpRequest, project: Project) -> str:
    """The text of the sent form. Raises BadInput with what is wrong in it."""
    base = request.POST.get("base", "").replace("\r\n", "\n")
    edited = edit_design(project, base, request.POST) if base else None
    form = edited.form if edited else SketchForm(request.POST, project=project)
    if not form.is_valid():
        named = [(name, " ".join(map(str, errors))) for name, errors in form.errors.items() if name in form.fields]
        faults = [name_value(form[name].label, message) for name, message in named]
        raise BadInput(" ".join(faults) or _("Some entries need to be corrected"), field="config")
    return write_design(project, edited) if edited else build_toml(form.sketch(project))


@project_page(access.MAKERS, methods=("POST",))
def preview_design(request: HttpRequest, project: Project) -> HttpResponse:
    """The check and the TOML text of what the form holds. Stores nothing."""
    result, fault, text = None, "", ""
    try:
        text = _read_posted(request, project)
        result = design_check.check_design(project, design_check.parse_config(project, text))
    except BadInput as error:
        fault = error.message
    context = {"project": project, "check": describe_check(result), "fault": fault, "toml": text}
    return render(request, "evaluation/rounds/_design_preview.html", context)


@project_page(access.MAKERS)
def preview_item(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """An item of a draft as its raters will see it. ?item= chooses another; nothing is stored."""
    round_ = Round.objects.filter(project=project, public_id=public_id).select_related("project").first()
    if round_ is None:
        raise NotFound()
    if round_.state != RoundState.DRAFT:
        return redirect("round", project.slug, round_.public_id)
    number = request.GET.get("item", "1")
    preview = describe_preview(round_, int(number) if number.isdecimal() and len(number) < 7 else 1)
    context = {"project": project, "round": round_, "preview": preview, "closed": True}
    if preview.item is not None:
        context |= {"item": preview.item, "sheet": build_sheet(preview.item)}
    return render(request, "evaluation/rounds/round_preview.html", context)

"""The form of a round's design while it is a draft, its check as one types, and the rater's page as a preview."""

import tomllib
import uuid
from dataclasses import asdict, dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render

from annotation.models import Project
from annotation.services.core import access
from annotation.services.core.errors import BadInput, NotFound
from annotation.views.core.decorators import project_page
from epitome.rounds.config_parsing import parse_round
from epitome.rounds.sketch_reading import list_other_targets, read_sketch, write_sketch
from epitome.rounds.templates import RoundTemplate, load_template, parse_template, template_keys
from epitome.rounds.writing import Sketch, build_toml
from epitome.schema import SchemaError
from evaluation.models import Round, RoundState
from evaluation.services.rating.item_preview import describe_preview
from evaluation.services.rounds import design_check, own_templates
from evaluation.services.rounds.design_check import DesignCheck
from evaluation.services.rounds.remedies import find_remedy
from evaluation.views.rating.item_page import build_sheet
from evaluation.views.rounds.check_description import describe_check
from evaluation.views.rounds.forms import FieldFault, SketchForm

WIDTH = 20


@dataclass(frozen=True)
class EditedDesign:
    """The form of a design. base: the text it began with, "" for a new round; others: targets it cannot show."""

    base: str
    form: SketchForm
    others: list[str]


@dataclass(frozen=True)
class CheckedDesign:
    """A sent form that was checked. text: its TOML text, "" where the form is not sound; result: None where there is
    none; fault: what is wrong with the whole, "" where nothing is."""

    text: str
    result: DesignCheck | None
    fault: str


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
    return _write_text(project, edited.base, edited.form.sketch(project))


def _write_text(project: Project, base: str, sketch: Sketch) -> str:
    if not base:
        return build_toml(sketch)
    before = _read(project, base)
    assert before is not None  # edit_design gave the form
    return write_sketch(base, before, sketch)


def read_posted(request: HttpRequest, project: Project) -> EditedDesign:
    """The sent form, with the value of the button that applies one."""
    data = apply_offer(request.POST)
    base = data.get("base", "").replace("\r\n", "\n")
    edited = edit_design(project, base, data) if base else None
    return edited or EditedDesign("", SketchForm(data, project=project), [])


def apply_offer(data: QueryDict) -> QueryDict:
    """What was sent, with the value that a button beside a fault offers: its `use` is FIELD=VALUE."""
    field, _equals, value = data.get("use", "").partition("=")
    if field not in SketchForm.base_fields:
        return data
    changed = data.copy()
    changed.setlist(field, [value] if value else [])
    return changed


def check_posted(project: Project, edited: EditedDesign) -> CheckedDesign:
    """The check of a sent form. What is wrong with one field is said there, with the nearest right value."""
    form = edited.form
    if not form.is_valid():
        form.offer_limits()
        return CheckedDesign("", None, "")
    text = write_design(project, edited)
    try:
        result = design_check.check_design(project, design_check.parse_config(project, text))
    except BadInput as error:
        return CheckedDesign(text, None, _say_at_field(project, edited, error))
    form.add_remedies(result.remedies)
    return CheckedDesign(text, result, "")


def _say_at_field(project: Project, edited: EditedDesign, error: BadInput) -> str:
    """Put a fault of the text to its field of the form; the message where it belongs to none."""
    cause = error.__cause__
    if not isinstance(cause, SchemaError):
        return error.message
    texts, schema = own_templates.template_texts(project), project.schema_version.schema

    def parse(sketch: Sketch) -> None:
        parse_round(_write_text(project, edited.base, sketch), schema, templates=texts)

    remedy = find_remedy(cause, edited.form.sketch(project), parse)
    if remedy is None:
        return error.message
    edited.form.add_remedies([remedy])
    return ""


def list_faults(result: DesignCheck | None, edited: EditedDesign | None) -> list[FieldFault]:
    """Faults of single fields for a page whose form was not sent, with a button where the form is on it."""
    remedies = result.remedies if result else []
    return [FieldFault(remedy.message, remedy if edited else None) for remedy in remedies]


@project_page(access.MAKERS, methods=("POST",))
def preview_design(request: HttpRequest, project: Project) -> HttpResponse:
    """The check and the TOML text of what the form holds. Stores nothing."""
    edited = read_posted(request, project)
    checked = check_posted(project, edited)
    context = {
        "project": project,
        "check": describe_check(checked.result),
        "fault": checked.fault,
        "toml": checked.text,
        "faults": edited.form.list_faults(),
    }
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

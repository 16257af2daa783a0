"""Forms of the attribute editor: one per attribute and one per value; annotation.schema checks what they hold."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.views.core.forms import StyledForm
from epitome.measures.registry import MEASURES
from epitome.schema import ATTRIBUTE_KINDS, SchemaError
from epitome.schema.attribute_fields import (
    AttributeFields,
    HeadFields,
    Place,
    as_form_data,
    find_place,
)

KINDS = [(key, _(kind.choice_title)) for key, kind in ATTRIBUTE_KINDS.items()]
BANDS = [
    ("", _("none")),
    ("relevant_words", _("share of the words of the marked segments")),
    ("words", _("words")),
    ("measure", _("value of the measure")),
]
SHORT = {"class": "short", "dir": "ltr"}
NUMBER = {"class": "short", "inputmode": "decimal", "dir": "ltr", "autocomplete": "off"}


def _text(label: Any, rows: int = 2, **kwargs: Any) -> forms.CharField:
    """A text that may have several lines."""
    return forms.CharField(
        label=label, required=False, strip=False, widget=forms.Textarea({"rows": rows, "dir": "auto"}), **kwargs
    )


def _line(label: Any, attrs: Mapping[str, Any] | None = None, **kwargs: Any) -> forms.CharField:
    widget = forms.TextInput({"dir": "auto", "autocomplete": "off", **(attrs or {})})
    return forms.CharField(label=label, required=False, strip=False, widget=widget, **kwargs)


class ValueForm(StyledForm):
    """One value of an attribute."""

    value = _line(_("Value"), help_text=_("As it is stored and exported."))
    label = _line(_("Name shown"), help_text=_("Empty: the value itself."))
    guide = _text(_("Guide"))
    example = _text(_("Example"), help_text=_("A text that follows this value."))
    edge = _line(_("Up to"), NUMBER, help_text=_("Upper bound of the bin, inclusive."))
    of = forms.ChoiceField(label=_("Usual range, in"), required=False, choices=BANDS)
    low = _line(_("from"), NUMBER)
    high = _line(_("to"), NUMBER, help_text=_("Empty: no upper bound."))
    weight = _line(_("Relative frequency"), NUMBER, help_text=_("For weighted draws."))
    prompt = _line(_("Wording in prompts"), help_text=_("Empty: the value itself."))
    aliases = _text(_("Also accepted on import"), help_text=_("One spelling per line."))


class AttributeForm(StyledForm):
    """One attribute, without its values."""

    origin = forms.CharField(required=False, widget=forms.HiddenInput)
    label = _line(_("Name"))
    key = _line(_("Key"), SHORT, help_text=_("Used in files: lower-case letters, digits and _."))
    code = _line(_("Short code"), SHORT, help_text=_("Up to 6 letters. Empty: the first three of the key."))
    kind = forms.ChoiceField(label=_("Kind"), choices=KINDS)
    measure = forms.ChoiceField(label=_("Measured by"), required=False, choices=[])
    guide = _text(_("Guide for annotators"), 3)
    question = _text(_("Question for raters"), help_text=_("Empty: measured, not asked."))
    prompt = _line(_("Wording in prompts"), help_text=_("{value} stands for the value."))
    min_picks = _line(_("At least"), NUMBER)
    max_picks = _line(_("At most"), NUMBER)
    anchor = forms.ChoiceField(
        label=_("Baseline for comparisons"), required=False, choices=[], widget=forms.RadioSelect
    )
    values = forms.CharField(required=False, widget=forms.HiddenInput)
    """Holds no value: faults about the list of values are shown here."""

    def __init__(self, *args: Any, n_values: int, named: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields: dict[str, Any] = self.fields
        measures = [*MEASURES, *({named} - {"", *MEASURES})]
        fields["measure"].choices = [("", _("nothing")), *((key, key) for key in measures)]
        fields["anchor"].choices = [("", ""), *((str(number), "") for number in range(n_values))]


class HeadForm(StyledForm):
    """What is declared beside the attributes."""

    name = _line(_("Name of the schema"))
    language = _line(_("Language of the texts"), SHORT, help_text=_("A tag such as en or pt-BR."))
    hp = _text(
        _("Input of trained systems"),
        help_text=_("{source} stands for the text, {key} for the value of an attribute. Empty: not trained."),
    )


class EditedValue(NamedTuple):
    """A value of the editor. number: from 0; anchor: its radio button as the baseline."""

    number: int
    form: ValueForm
    anchor: Any


class EditedAttribute(NamedTuple):
    """An attribute of the editor."""

    number: int
    fields: AttributeFields
    form: AttributeForm
    values: list[EditedValue]


def build_forms(attributes: Sequence[AttributeFields], fault: SchemaError | None = None) -> list[EditedAttribute]:
    """The forms of the editor with what was entered, and the fault beside its field."""
    data = as_form_data(attributes)
    edited = []
    for index, attribute in enumerate(attributes):
        form = AttributeForm(data, prefix=f"a{index}", n_values=len(attribute.values), named=attribute.measure)
        buttons = list(form["anchor"])[1:]
        values = [
            EditedValue(position, ValueForm(data, prefix=f"a{index}-v{position}"), buttons[position])
            for position in range(len(attribute.values))
        ]
        edited.append(EditedAttribute(index, attribute, form, values))
    if fault is not None:
        _show_fault(edited, find_place(fault, attributes), fault.message)
    return edited


def build_head_form(head: HeadFields, fault: SchemaError | None = None) -> HeadForm:
    """The form of the head with what was entered, and the fault beside its field."""
    form = HeadForm({f"head-{key}": value for key, value in asdict(head).items()}, prefix="head")
    if fault is not None and (place := find_place(fault, [])).field in form.fields:
        form.is_valid()
        form.add_error(place.field, fault.message)
    return form


def read_head_form(data: Mapping[str, str]) -> HeadFields:
    """The head of a sent form."""
    return HeadFields(*(data.get(f"head-{key}", "").replace("\r\n", "\n") for key in ("name", "language", "hp")))


def _show_fault(edited: Sequence[EditedAttribute], place: Place, message: str) -> None:
    """Show a fault at the field it is about."""
    if place.attribute is None:
        return
    attribute = edited[place.attribute]
    form: StyledForm = attribute.form if place.value is None else attribute.values[place.value].form
    form.is_valid()
    form.add_error(place.field if place.field in form.fields else None, message)

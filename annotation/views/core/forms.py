"""The base of all forms: styled fields, and a field for seeds."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

CHOICES = forms.CheckboxInput | forms.RadioSelect | forms.CheckboxSelectMultiple


MAX_SEED = 2**63 - 1


class Styled(forms.BaseForm):
    """Our CSS classes on Django's widgets; Django itself links errors to their fields for screen readers."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        for field in self.fields.values():
            if not isinstance(field.widget, CHOICES):
                field.widget.attrs["class"] = f"{field.widget.attrs.get('class', '')} field".strip()

    def get_initial_for_field(self, field: forms.Field, field_name: str) -> Any:
        """As in Django, but whole numbers without their decimal point: 10, not 10.0."""
        value = super().get_initial_for_field(field, field_name)
        return int(value) if isinstance(value, float) and value.is_integer() else value


class StyledForm(Styled, forms.Form):
    pass


class FollowingTomlForm(StyledForm):
    """The TOML text of what a form holds; js/live-preview.js lets it follow the form."""

    toml = forms.CharField(
        label=_("TOML"),
        required=False,
        strip=False,
        widget=forms.Textarea(
            {"class": "code", "rows": 24, "spellcheck": "false", "dir": "ltr", "wrap": "off", "data-follows": "toml"}
        ),
        help_text=_("Follows the form. Comments and the order of keys are kept."),
    )

    @classmethod
    def with_text(cls, text: str, fault: str = "") -> "FollowingTomlForm":
        """The form with a text, and what is wrong with it beside it."""
        form = cls({"toml": text} if fault else None, initial={"toml": text})
        if fault:
            form.is_valid()
            form.add_error("toml", fault)
        return form


def set_choices(form: forms.BaseForm, name: str, choices: Iterable[tuple[str, str]]) -> None:
    """Set the choices of a field that depend on the project."""
    field = form.fields[name]
    assert isinstance(field, forms.ChoiceField)
    field.choices = list(choices)


def seed_field(**kwargs: Any) -> forms.IntegerField:
    return forms.IntegerField(
        label=_("Seed"),
        min_value=0,
        max_value=MAX_SEED,
        initial=0,
        help_text=_("The same seed and sources always give the same draw."),
        widget=forms.NumberInput(attrs={"class": "short"}),
        **kwargs,
    )

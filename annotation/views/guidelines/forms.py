"""Forms of schema, guideline and gate: text in, typed values out. Rules live in the services."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import GuidelineVersion
from annotation.views.core.forms import StyledForm


class SchemaForm(StyledForm):
    """The next version of a schema, as text or as a file."""

    text = forms.CharField(
        label=_("TOML"),
        required=False,
        strip=False,
        max_length=200_000,
        widget=forms.Textarea({"class": "code", "rows": 24, "spellcheck": "false", "dir": "ltr", "wrap": "off"}),
    )
    file = forms.FileField(label=_("or a TOML file"), required=False, max_length=255)


class GuidelineForm(StyledForm):
    """The next version of a guideline. A preview requires the text only."""

    text = forms.CharField(
        label=_("Markdown"),
        strip=False,
        max_length=200_000,
        widget=forms.Textarea({"class": "code", "rows": 16, "dir": "auto"}),
    )
    change = forms.ChoiceField(
        label=_("What changes"),
        required=False,
        choices=GuidelineVersion.Change.choices,
        widget=forms.RadioSelect,
        help_text=_("Everyone is asked to confirm a new version; after a rule change this comes before the next task."),
    )
    note = forms.CharField(
        label=_("What changed since the previous version"),
        required=False,
        max_length=2000,
        widget=forms.Textarea({"rows": 2, "dir": "auto"}),
    )

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if self.data.get("do") == "keep":
            for name, message in (("change", _("Say what changes.")), ("note", _("Say in a sentence what changed."))):
                if not cleaned.get(name) and name not in self.errors:
                    self.add_error(name, message)
        return cleaned


class CardForm(StyledForm):
    """A worked example of the guideline. Left empty, it is taken out of the text."""

    request = forms.CharField(label=_("Request"), required=False, widget=forms.Textarea({"rows": 1, "dir": "auto"}))
    source = forms.CharField(
        label=_("Excerpt of the source"), required=False, widget=forms.Textarea({"rows": 3, "dir": "auto"})
    )
    summary = forms.CharField(
        label=_("Good summary"), required=False, widget=forms.Textarea({"rows": 2, "dir": "auto"})
    )
    why = forms.CharField(label=_("Why it is good"), required=False, widget=forms.Textarea({"rows": 2, "dir": "auto"}))


class GateForm(StyledForm):
    """The guideline confirmation before the first task."""

    version = forms.IntegerField(widget=forms.HiddenInput)
    read = forms.BooleanField(
        label=_("I have read the guideline and its worked examples."),
        widget=forms.CheckboxInput({"data-missing": _("Tick this when you have read the guideline.")}),
        error_messages={"required": _("Tick this when you have read the guideline.")},
    )
    sign = forms.BooleanField(
        label=_("I wrote this myself"),
        widget=forms.CheckboxInput({"data-missing": _("Tick this to sign: without it no task can be given to you.")}),
        error_messages={"required": _("Tick this to sign: without it no task can be given to you.")},
    )
    consent = forms.ChoiceField(
        label=_("May we record how each summary was written?"),
        choices=[("yes", _("yes")), ("no", _("no"))],
        widget=forms.RadioSelect({"data-missing": _("Choose yes or no; you can take part either way.")}),
    )

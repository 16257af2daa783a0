"""Forms: text in, typed values out. Rules live in the services."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.views.core.forms import MAX_SEED, StyledForm, set_choices
from modelbridge.services.systems.systems import MAX_TOML


class TomlForm(StyledForm):
    """A configuration. Registering the key of an existing system creates its next revision."""

    toml = forms.CharField(
        label=gettext_lazy("Configuration"),
        max_length=MAX_TOML,
        strip=False,
        widget=forms.Textarea({"rows": 24, "class": "code", "spellcheck": "false", "dir": "ltr", "wrap": "off"}),
    )


class RunForm(StyledForm):
    """Settings of a run."""

    split = forms.ChoiceField(label=gettext_lazy("Samples"), required=False)
    seed = forms.IntegerField(
        label=gettext_lazy("Seed"),
        min_value=0,
        max_value=MAX_SEED,
        initial=0,
        widget=forms.NumberInput({"class": "short"}),
        help_text=gettext_lazy("The same seed gives the same outputs, where the system can promise it."),
    )
    label = forms.CharField(
        label=gettext_lazy("Label"), max_length=200, required=False, help_text=gettext_lazy("For you; may stay empty.")
    )

    def __init__(self, data: Any, splits: Sequence[str]) -> None:
        super().__init__(data)
        split_choices = [(split, split) for split in splits if split]
        set_choices(self, "split", [("", _("all")), *split_choices])


class UploadForm(StyledForm):
    """Predictions of a system that runs elsewhere."""

    file = forms.FileField(label=gettext_lazy("File"), allow_empty_file=True)
    system = forms.CharField(
        label=gettext_lazy("Key of the system"),
        max_length=60,
        required=False,
        help_text=gettext_lazy("Lower-case letters, digits and hyphens. Empty: every line names its system."),
    )
    name = forms.CharField(label=gettext_lazy("Name of the system"), max_length=200, required=False)
    split = forms.ChoiceField(
        label=gettext_lazy("Samples"),
        required=False,
        help_text=gettext_lazy("Which samples the lines belong to, where they have no sample_id."),
    )
    label = forms.CharField(label=gettext_lazy("Label"), max_length=200, required=False)

    def __init__(self, data: Any, files: Any, splits: Sequence[str]) -> None:
        super().__init__(data, files)
        split_choices = [(split, split) for split in splits if split]
        set_choices(self, "split", [("", _("all")), *split_choices])


class OutputFilters(StyledForm):
    """Allowed filters of a run's outputs, and nothing else."""

    state = forms.ChoiceField(
        label=gettext_lazy("State"),
        required=False,
        choices=[
            ("", gettext_lazy("all")),
            ("done", gettext_lazy("done")),
            ("failed", gettext_lazy("failed")),
            ("flagged", gettext_lazy("text changed")),
            ("truncated", gettext_lazy("source cut")),
        ],
    )
    page = forms.CharField(required=False, widget=forms.HiddenInput)

"""The form that starts a training, or a grid of them."""

from django import forms
from django.utils.translation import gettext_lazy

from modelbridge.views.runs.forms import TomlForm


class TrainingForm(TomlForm):
    """A configuration, and what to vary in it."""

    grid = forms.CharField(
        label=gettext_lazy("Settings to compare"),
        required=False,
        max_length=2000,
        widget=forms.Textarea({"rows": 2, "class": "code", "spellcheck": "false", "dir": "ltr"}),
        help_text=gettext_lazy(
            "Optional. One setting per line with its values, such as learning_rate=1e-5,3e-5,1e-4: one training per "
            "value, or per combination of several settings."
        ),
    )

    def clean_grid(self) -> list[str]:
        """The lines that are not blank."""
        return [line.strip() for line in self.cleaned_data["grid"].splitlines() if line.strip()]

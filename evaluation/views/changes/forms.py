"""Forms of studies of changed requests: text in, typed values out. Rules live in the services."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.views.core.forms import MAX_SEED, StyledForm
from evaluation.services.changes.change_studies import MAX_N


class StudyForm(StyledForm):
    """Which changes to draw."""

    n = forms.IntegerField(
        label=_("Samples per attribute"),
        min_value=1,
        max_value=MAX_N,
        widget=forms.NumberInput({"class": "short"}),
        help_text=_("The system runs once for each of them and each attribute."),
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        min_value=0,
        max_value=MAX_SEED,
        initial=1,
        widget=forms.NumberInput({"class": "short"}),
        help_text=_("The same seed always draws the same changes."),
    )

    def __init__(self, data: Any, *, n: int) -> None:
        super().__init__(data, initial={"n": n})

"""Forms of the pages that compare runs: text in, typed values out. Rules live in the services."""

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy

from annotation.views.core.forms import StyledForm, set_choices
from modelbridge.models import Run


class RunChoice(StyledForm):
    """Which runs to put into the tables."""

    run = forms.MultipleChoiceField(
        label=gettext_lazy("Runs (up to 8); two runs are also compared side by side"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, data: QueryDict, runs: list[Run]) -> None:
        super().__init__(data)
        choices = [(str(run.public_id), f"{run} · {run.created_at:%Y-%m-%d %H:%M}") for run in runs]
        set_choices(self, "run", choices)

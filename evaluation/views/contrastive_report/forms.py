"""Form of the report of runs over contrastive examples: text in, typed values out."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.views.core.forms import StyledForm, set_choices
from evaluation.services.contrastive_report.contrastive_tables import MAX_RUNS, ReportOptions
from modelbridge.models import Run
from modelbridge.services.runs.run_labels import label_run


class ReportForm(StyledForm):
    """Which runs, and what counts."""

    run = forms.MultipleChoiceField(
        label=_("Runs (up to 8); two are also compared with each other"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    score = forms.ChoiceField(
        label=_("Score of a text"),
        required=False,
        choices=[("sum", _("sum of its tokens’ log-probabilities")), ("mean", _("mean per token"))],
        help_text=_("The sum is the published measure; the mean does not favour short texts."),
    )
    excluded = forms.BooleanField(label=_("Count excluded contrastives too"), required=False)

    def __init__(self, data: Any, runs: list[Run]) -> None:
        super().__init__(data)
        choices = [(str(run.public_id), label_run(run)) for run in runs]
        set_choices(self, "run", choices)

    def clean_run(self) -> list[str]:
        names: list[str] = self.cleaned_data["run"]
        if len(names) > MAX_RUNS:
            raise forms.ValidationError(_("Choose at most %(n)s runs.") % {"n": MAX_RUNS})
        return names

    def report_options(self) -> ReportOptions:
        """Of a valid form."""
        return ReportOptions(self.cleaned_data["score"] or "sum", self.cleaned_data["excluded"])

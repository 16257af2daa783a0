"""Forms of the pages that compare runs: text in, typed values out. Rules live in the services."""

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.views.core.forms import StyledForm, set_choices
from evaluation.services.runs_compared.table_runs import SINGLE_ATTRIBUTES
from modelbridge.models import Run
from modelbridge.services.runs.run_labels import label_run

ALONE = "alone_"


class RunChoice(StyledForm):
    """Which runs to put into the tables. composes: whether the schema is CCSBench's, which has a table of its own."""

    run = forms.MultipleChoiceField(
        label=gettext_lazy("Runs (up to 8); two runs are also compared side by side"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )

    together = forms.ChoiceField(
        label=gettext_lazy("Trained on all attributes"),
        required=False,
        help_text=gettext_lazy("With the four below: CCSBench's Table 4, trained on one attribute or on all."),
    )
    alone_length = forms.ChoiceField(label=gettext_lazy("Trained on length alone"), required=False)
    alone_keywords = forms.ChoiceField(label=gettext_lazy("Trained on keywords alone"), required=False)
    alone_readability = forms.ChoiceField(label=gettext_lazy("Trained on readability alone"), required=False)
    alone_focus = forms.ChoiceField(label=gettext_lazy("Trained on focus alone"), required=False)

    def __init__(self, data: QueryDict, runs: list[Run], *, composes: bool) -> None:
        super().__init__(data)
        choices = [(str(run.public_id), label_run(run)) for run in runs]
        set_choices(self, "run", choices)
        for name in ("together", *(ALONE + attribute for attribute in SINGLE_ATTRIBUTES)):
            if composes:
                set_choices(self, name, [("", _("none")), *choices])
            else:
                del self.fields[name]

    def composition_ids(self) -> tuple[str, dict[str, str]]:
        """Ids of the run trained on all, "" for none, and by attribute of those trained on one; of a valid form."""
        values = self.cleaned_data
        alone = {attribute: values.get(ALONE + attribute, "") for attribute in SINGLE_ATTRIBUTES}
        return values.get("together", ""), {attribute: run_id for attribute, run_id in alone.items() if run_id}

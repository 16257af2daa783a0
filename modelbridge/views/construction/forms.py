"""The form that starts or resumes a step."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from annotation.models import Project
from annotation.views.core.forms import StyledForm, seed_field, set_choices
from epitome.systems.kinds import REWRITING
from modelbridge.models import System, SystemRevision
from modelbridge.services.construction.overview import StepOverview
from modelbridge.services.construction.steps import MAX_SIZE
from modelbridge.services.systems import systems

SIZE_LABELS = {
    "n": gettext_lazy("Papers or summaries"),
    "train": gettext_lazy("Summaries in train"),
    "dev": gettext_lazy("Summaries in dev"),
    "test": gettext_lazy("Summaries in test to rewrite"),
}


class StepForm(StyledForm):
    """System, sizes and seed of one step; only what it has."""

    system = forms.ChoiceField(label=gettext_lazy("System"))
    seed = seed_field()

    def __init__(self, data: Any, project: Project, row: StepOverview, *, is_new: bool) -> None:
        super().__init__(data, prefix=row.key)
        self.project = project
        if row.asks:
            keys = list_rewriters(project)
            set_choices(self, "system", [(key, key) for key in keys])
            self.initial["system"] = row.system
        else:
            del self.fields["system"]
        self.sizes = tuple(SIZE_LABELS.keys() & row.options.keys()) if is_new else ()
        for name in SIZE_LABELS:
            if name in self.sizes:
                self.fields[name] = forms.IntegerField(
                    label=SIZE_LABELS[name],
                    min_value=1,
                    max_value=MAX_SIZE,
                    initial=row.options[name],
                    widget=forms.NumberInput({"class": "short field"}),
                )
        if not is_new:
            del self.fields["seed"]
            return
        if "keyword_share" in row.options:
            self.fields["keyword_share"] = forms.FloatField(
                label=gettext_lazy("Share of train and dev summaries that keep their keywords"),
                min_value=0,
                max_value=1,
                initial=row.options["keyword_share"],
                widget=forms.NumberInput({"class": "short field", "step": "any"}),
            )
        if "exact" in row.options:
            self.fields["exact"] = forms.BooleanField(
                label=gettext_lazy("Compare keywords letter by letter instead of by word stem"), required=False
            )

    def step_settings(self) -> dict[str, Any]:
        """What `start_step` and `estimate_step` take, of a valid form."""
        values = self.cleaned_data
        return {
            "revision": self._find_revision(values.get("system", "")),
            "options": {name: values[name] for name in (*self.sizes, "keyword_share", "exact") if name in values},
            "seed": values.get("seed"),
        }

    def _find_revision(self, key: str) -> SystemRevision | None:
        return systems.revision_of(self.project, key) if key else None


def list_rewriters(project: Project) -> list[str]:
    """Keys of the project's systems that rewrite, by their newest revision."""
    rows = System.objects.filter(project=project, revisions__kind__in=REWRITING).distinct().order_by("key")
    return [system.key for system in rows if system.newest.declared_kind.rewrites]

"""Forms of sampling: text in, typed values out. Rules live in the services."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.schema import Grouping
from annotation.views.core.forms import StyledForm, seed_field


class SamplingForm(StyledForm):
    """Sampling options, prefilled from the schema."""

    algorithm = forms.ChoiceField(
        label=_("Way of drawing"),
        choices=[
            ("uniform", _("uniform: every value equally likely, independently")),
            ("one-step", _("one-step: a variant differs from its anchor in one attribute")),
            ("macsum-release", _("macsum-release: anchor and variant, weighted as in MACSum")),
            ("weighted", _("weighted: by the weights of the schema")),
            ("balanced", _("balanced: every combination equally often")),
        ],
    )
    seed = seed_field()
    per_2000_words = forms.FloatField(
        label=_("Samples per 2,000 words"),
        min_value=0.01,
        max_value=2000,
        widget=forms.NumberInput({"class": "short", "step": "any"}),
    )
    group_size = forms.IntegerField(
        label=_("Samples per group"), min_value=1, max_value=100, widget=forms.NumberInput({"class": "short"})
    )
    pace = forms.FloatField(
        label=_("Minutes per summary"),
        min_value=0.1,
        max_value=600,
        initial=10,
        help_text=_("Only for the writing time of the dry run."),
        widget=forms.NumberInput({"class": "short", "step": "any"}),
    )
    add = forms.BooleanField(
        label=_("Draw for sources that have samples already, too"),
        required=False,
        help_text=_("The new ones come after those that are there."),
    )

    def __init__(self, *args: Any, usual: Grouping, **kwargs: Any) -> None:
        names = ("algorithm", "per_2000_words", "group_size")
        super().__init__(*args, initial={name: getattr(usual, name) for name in names}, **kwargs)

    def options(self) -> dict[str, Any]:
        """The options for the sampler."""
        return {name: value for name, value in self.cleaned_data.items() if name not in ("add", "pace")}


class SampleFilters(StyledForm):
    """Allowed filters of the list, and nothing else."""

    combination = forms.CharField(label=_("Combination"), required=False, max_length=60)
    source = forms.CharField(
        label=_("Source id begins with"),
        required=False,
        max_length=200,
        widget=forms.SearchInput({"dir": "auto"}),
    )
    state = forms.ChoiceField(
        label=_("State"),
        required=False,
        choices=[
            ("", _("all")),
            ("open", _("not written yet")),
            ("written", _("written")),
            ("overlap", _("overlap, not compared")),
            ("void", _("void")),
            ("pilot", _("set aside for the pilot")),
        ],
    )

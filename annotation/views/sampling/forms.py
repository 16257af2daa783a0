"""Forms of sampling: text in, typed values out. Rules live in the services."""

from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.models import Project
from annotation.services.core.errors import ServiceError
from annotation.services.sampling.draw import DrawLimit
from annotation.views.core.forms import StyledForm, seed_field, set_choices
from annotation.views.core.list_filters import contains_field, offer_combinations
from epitome.schema import MOST_PER_SOURCE, Grouping

OPTIONS = ("algorithm", "seed", "group_size")
SIZES = ("per_source", "per_2000_words")
MORE = ("more_writers", "more_share", "more_by")
UNITS = [("samples", _("samples")), ("hours", _("hours of writing"))]


class SamplingForm(StyledForm):
    """Sampling options, prefilled from the schema."""

    algorithm = forms.ChoiceField(
        label=_("Sampling method"),
        choices=[
            ("uniform", _("uniform: every value equally likely, independently")),
            ("one-step", _("one-step: a variant differs from its anchor in one attribute")),
            ("macsum-release", _("macsum-release: anchor and variant, weighted as in MACSum")),
            ("weighted", _("weighted: by the weights of the schema")),
            ("balanced", _("balanced: every combination equally often")),
        ],
    )
    seed = seed_field()
    per_source = forms.IntegerField(
        label=_("Samples per source"),
        required=False,
        min_value=1,
        max_value=MOST_PER_SOURCE,
        help_text=_("The same number for every source, however long it is."),
        widget=forms.NumberInput({"class": "short"}),
    )
    per_2000_words = forms.FloatField(
        label=_("or samples per 2,000 words"),
        required=False,
        help_text=_("Long sources get more samples than short ones."),
        min_value=0.01,
        max_value=2000,
        widget=forms.NumberInput({"class": "short", "step": "any"}),
    )
    group_size = forms.IntegerField(
        label=_("Samples per group"), min_value=1, max_value=100, widget=forms.NumberInput({"class": "short"})
    )
    more_share = forms.FloatField(
        label=_("Share with more annotators (%)"),
        required=False,
        min_value=0.01,
        max_value=100,
        help_text=_("Empty: every sample has the number of annotators in the settings. The seed decides which ones."),
        widget=forms.NumberInput({"class": "short", "step": "any"}),
    )
    more_writers = forms.IntegerField(
        label=_("Annotators of each of these"),
        required=False,
        min_value=2,
        max_value=50,
        widget=forms.NumberInput({"class": "short"}),
    )
    more_by = forms.ChoiceField(
        label=_("Choose"),
        required=False,
        choices=[("sample", _("samples")), ("source", _("sources, with all their samples"))],
    )
    most = forms.FloatField(
        label=_("Draw at most"),
        required=False,
        min_value=0.01,
        max_value=10_000_000,
        help_text=_(
            "Empty: no limit. Sources are taken whole, in an order that the seed decides; a later draw continues with "
            "the next one."
        ),
        widget=forms.NumberInput({"class": "short", "step": "any"}),
    )
    most_unit = forms.ChoiceField(label=_("Unit"), required=False, choices=UNITS)
    pace = forms.FloatField(
        label=_("Minutes per task"),
        min_value=0.1,
        max_value=600,
        help_text=_("For the hours and the pay. The usual value is in the settings."),
        widget=forms.NumberInput({"class": "short", "step": "any"}),
    )
    add = forms.BooleanField(
        label=_("Include sources that already have samples"),
        required=False,
        help_text=_("New samples are added after the existing ones."),
    )

    def __init__(self, *args: Any, usual: Grouping, project: Project, **kwargs: Any) -> None:
        names = ("algorithm", "group_size", "per_source" if usual.per_source else "per_2000_words")
        initial = {name: getattr(usual, name) for name in names} | {"pace": project.summary_minutes}
        super().__init__(*args, initial=initial, **kwargs)
        if project.pay_per_hour is not None:
            units = [(name, str(label)) for name, label in UNITS]
            set_choices(self, "most_unit", [*units, ("money", project.pay_currency or gettext("pay"))])

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or self.cleaned_data
        n_sizes = sum(values.get(name) is not None for name in SIZES)
        if n_sizes != 1 and not self.errors.keys() & set(SIZES):
            both = gettext("Fill in only one of the two: samples per source or per 2,000 words.")
            neither = gettext("Fill in samples per source or per 2,000 words.")
            self.add_error("per_source", both if n_sizes else neither)
        return values

    def options(self) -> dict[str, Any]:
        """The options for the sampler."""
        values = self.cleaned_data
        more = {name: values[name] for name in (*SIZES, *MORE) if values[name] not in (None, "")}
        size = {name: more.pop(name) for name in SIZES if name in more}
        if set(more) == {"more_by"}:
            more = {}
        return {name: values[name] for name in OPTIONS} | size | more

    def limit(self) -> DrawLimit:
        """The limit of the draw."""
        amount, unit = self.cleaned_data["most"], self.cleaned_data["most_unit"] or "samples"
        return DrawLimit(**{unit: amount}) if amount is not None else DrawLimit()

    def add_refusal(self, error: ServiceError) -> None:
        """Show a service error at its field; those of a limit at the one field that all units share."""
        field = "most" if error.field.startswith("most_") else error.field
        self.add_error(field if field in self.fields else None, error.message)


class SampleFilters(StyledForm):
    """Allowed filters of the list, and nothing else."""

    source = contains_field(_("Source contains"))
    combination = forms.ChoiceField(label=_("Combination"), required=False)
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
            ("references", _("references")),
        ],
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offer_combinations(self, "combination", project)

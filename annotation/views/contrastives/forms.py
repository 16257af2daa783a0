"""Forms of contrastive examples: text in, typed values out. Rules live in the services."""

from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext_lazy as _

from annotation.models import Project
from annotation.services.contrastives.golds import list_splits
from annotation.services.contrastives.set_options import MAX_SEED, MOST_GOLDS, MOST_PER_GOLD, SetOptions
from annotation.services.core.word_patterns import name_value
from annotation.views.core.forms import StyledForm, set_choices
from epitome.contrastives import RULES

RULE_LABELS = {
    "G-N": gettext_lazy("swap two nouns of the summary"),
    "G-P": gettext_lazy("swap two prepositions"),
    "G-V": gettext_lazy("swap two verbs"),
    "G-A": gettext_lazy("swap two adjectives"),
    "S-N": gettext_lazy("replace a noun by one of the source"),
    "S-P": gettext_lazy("replace a preposition"),
    "S-V": gettext_lazy("replace a verb"),
    "S-A": gettext_lazy("replace an adjective"),
}
USUAL = SetOptions()


def _number_field(label: Any, initial: int, most: int, help_text: Any = "", least: int = 1) -> forms.IntegerField:
    return forms.IntegerField(
        label=label,
        min_value=least,
        max_value=most,
        initial=initial,
        help_text=help_text,
        widget=forms.NumberInput({"class": "short"}),
    )


class MakingForm(StyledForm):
    """Options of a set; `replace` only where the project has one already."""

    split = forms.ChoiceField(label=_("Gold summaries of"), required=False)
    n = _number_field(_("At most so many gold summaries"), USUAL.n, MOST_GOLDS, _("Drawn at random by the seed."))
    per_gold = _number_field(_("Examples per gold summary"), USUAL.per_gold, MOST_PER_GOLD)
    seed = _number_field(_("Seed"), USUAL.seed, MAX_SEED, _("The same seed always gives the same examples."), 0)
    rules = forms.MultipleChoiceField(
        label=_("Rules"), widget=forms.CheckboxSelectMultiple, initial=RULES, help_text=_("G: gold. S: source.")
    )
    estimate = _number_field(
        _("Estimate the shares of the rules from"),
        USUAL.estimate,
        MOST_GOLDS,
        _("Number of gold summaries of this project; 0 uses the shares known for news."),
        0,
    )
    inflect = forms.BooleanField(
        label=_("Give words the form of their new place"),
        required=False,
        help_text=_("Number of nouns, form of verbs. The published examples do not."),
    )
    without = forms.CharField(
        label=_("Leave out sources"),
        required=False,
        max_length=100_000,
        widget=forms.Textarea({"rows": 2, "dir": "auto"}),
        help_text=_("Their ids, one a line."),
    )
    replace = forms.BooleanField(
        label=_("Delete the present examples first"),
        required=False,
        help_text=_("Needed for other options than those of the present set."),
    )

    def __init__(self, data: Any, project: Project, *, stored: SetOptions | None, has_set: bool) -> None:
        super().__init__(data)
        splits = [(split, split) for split in list_splits(project)]
        set_choices(self, "split", [("", gettext("all sources")), *splits])
        set_choices(self, "rules", [(rule, name_value(rule, RULE_LABELS[rule])) for rule in RULES])
        if stored is not None:
            self.initial.update({**stored.as_dict(), "without": "\n".join(stored.without)})
        if not has_set:
            del self.fields["replace"]

    def set_options(self) -> SetOptions:
        """Of a valid form."""
        values = {name: value for name, value in self.cleaned_data.items() if name != "replace"}
        rules = tuple(rule for rule in RULES if rule in values["rules"])
        lines = (line.strip() for line in values["without"].splitlines())
        return SetOptions(**{**values, "rules": rules, "without": tuple(line for line in lines if line)})

    @property
    def replaces(self) -> bool:
        return bool(self.cleaned_data.get("replace"))


class ImportForm(StyledForm):
    """A file of examples made elsewhere."""

    file = forms.FileField(label=_("File"))
    replace = forms.BooleanField(label=_("Delete the present examples first"), required=False)

    def __init__(self, data: Any, files: Any, *, has_set: bool) -> None:
        super().__init__(data, files)
        if not has_set:
            del self.fields["replace"]

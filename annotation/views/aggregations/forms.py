"""Forms of aggregation projects: text in, typed values out. Rules live in the services."""

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import BackgroundState
from annotation.services.aggregations.extraction import MAX_N, MAX_SEED
from annotation.views.core.forms import StyledForm
from annotation.views.core.list_filters import contains_field
from epitome.aggregations.drawing import DEFAULT_N, DEFAULT_SEED


class ExtractionForm(StyledForm):
    source = forms.ChoiceField(
        label=_("Entities"),
        choices=[
            ("metadata", _("given with the articles, as entities in their metadata")),
            ("ner", _("found in the text by the language pipeline")),
        ],
        widget=forms.RadioSelect,
        initial="metadata",
    )
    by = forms.ChoiceField(
        label=_("Draw"),
        required=False,
        choices=[
            ("", _("as fits: instances where entities are given, articles where they are found")),
            ("instances", _("instances: each equally likely, as published")),
            ("articles", _("articles: one of each before a second of any, small tuples first")),
        ],
        widget=forms.RadioSelect,
    )
    n = forms.IntegerField(
        label=_("Instances in the project"),
        min_value=1,
        max_value=MAX_N,
        initial=DEFAULT_N,
        help_text=_("Those that are there already count. All there are, if there are fewer."),
        widget=forms.NumberInput({"class": "short"}),
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        min_value=0,
        max_value=MAX_SEED,
        initial=DEFAULT_SEED,
        help_text=_("The same seed and articles always give the same instances."),
        widget=forms.NumberInput({"class": "short"}),
    )


class EntityFilters(StyledForm):
    """Allowed filters of the list, and nothing else."""

    q = contains_field(_("Name contains"))
    state = forms.ChoiceField(
        label=_("Background"),
        required=False,
        choices=[("", _("all")), ("to-do", _("to do")), *BackgroundState.choices],
    )


class BackgroundsForm(StyledForm):
    file = forms.FileField(
        label=_("Backgrounds"),
        max_length=255,
        help_text=_("JSON lines with name, title, url and extract. Names that have a background keep theirs."),
    )


class BackgroundForm(StyledForm):
    title = forms.CharField(
        label=_("Title of the Wikipedia article"),
        required=False,
        max_length=300,
        help_text=_("A title without a text is looked up by the next run of extract_tuples --wikipedia."),
        widget=forms.TextInput({"dir": "auto"}),
    )
    url = forms.CharField(
        label=_("Link"),
        required=False,
        max_length=1000,
        widget=forms.URLInput({"dir": "ltr", "placeholder": "https://"}),
    )
    text = forms.CharField(
        label=_("Background"),
        required=False,
        max_length=100_000,
        help_text=_("The first paragraph is shown, at most 600 words and marks of it."),
        widget=forms.Textarea({"rows": 8, "dir": "auto"}),
    )

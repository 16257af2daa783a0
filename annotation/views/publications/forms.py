"""Forms of publications. Rules live in the services."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import HitDecision, HitKind
from annotation.services.publications.publications import MAX_LINE, MAX_TEXT
from annotation.views.core.forms import MAX_SEED, StyledForm
from epitome.publication.datasheet import QUESTIONS, answer_from_project
from epitome.publication.facts import DatasetFacts


def _long_text(rows: int, **options: Any) -> forms.CharField:
    widget = forms.Textarea({"rows": rows, "dir": "auto"})
    return forms.CharField(required=False, max_length=MAX_TEXT, widget=widget, **options)


def _line(**options: Any) -> forms.CharField:
    return forms.CharField(required=False, max_length=MAX_LINE, widget=forms.TextInput({"dir": "auto"}), **options)


class StartForm(StyledForm):
    tag = forms.CharField(
        label=_("Release tag"),
        max_length=60,
        help_text=_("An existing release, or a new tag: its list of rows is fixed by the first check."),
        widget=forms.TextInput({"class": "short"}),
    )
    state = forms.ChoiceField(
        label=_("What a new release holds"),
        required=False,
        choices=[("", _("accepted only")), ("latest", _("the latest revision of each"))],
    )
    split_seed = forms.IntegerField(
        label=_("Seed for a new split"),
        required=False,
        min_value=0,
        max_value=MAX_SEED,
        help_text=_("Parts of one meeting stay together. Leave empty to keep the imported split."),
        widget=forms.NumberInput({"class": "short"}),
    )


class DescriptionForm(StyledForm):
    title = _line(label=_("Title"))
    summary = _long_text(4, label=_("Summary"), help_text=_("What the dataset is for, in Markdown."))
    authors = _long_text(2, label=_("Authors"), help_text=_("One per line."))
    licence = _line(
        label=_("Licence of the annotations"), help_text=_("Such as CC BY 4.0. The sources keep their own licences.")
    )
    contact = _long_text(2, label=_("Contact"))
    homepage = _line(label=_("Homepage"))
    citation = _long_text(4, label=_("Citation"), help_text=_("BibTeX or a sentence."))


class DatasheetForm(StyledForm):
    """One field per question, with what the project knows; in English, as the published file is."""

    def __init__(self, *args: Any, facts: DatasetFacts, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for question in QUESTIONS:
            known = answer_from_project(question.key, facts)
            field = _long_text(2, label=question.text, help_text=f"Known to the project: {known}" if known else "")
            field.widget.attrs["class"] = "field"
            self.fields[question.key] = field
            self.initial.setdefault(question.key, facts.description.answers.get(question.key, ""))

    @property
    def question_sections(self) -> list[tuple[str, list[forms.BoundField]]]:
        """The fields by section, in their order."""
        grouped: dict[str, list[forms.BoundField]] = {}
        for question in QUESTIONS:
            grouped.setdefault(question.section, []).append(self[question.key])
        return list(grouped.items())


class UploadForm(StyledForm):
    repository = forms.CharField(
        label=_("Dataset on the hub"),
        max_length=140,
        help_text=_("Owner and name, such as my-lab/council-summaries. It is created if it does not exist."),
    )
    private = forms.BooleanField(label=_("Private: only the owner sees it"), required=False, initial=True)


class HitFilters(StyledForm):
    kind = forms.ChoiceField(label=_("Kind"), required=False, choices=[("", _("all")), *HitKind.choices])
    decision = forms.ChoiceField(
        label=_("Decision"),
        required=False,
        choices=[("", _("all")), ("open", _("not decided")), *(row for row in HitDecision.choices if row[0])],
    )

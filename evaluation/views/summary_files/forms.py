"""Forms of the second door: the file, what its columns are, and the first round."""

from pathlib import PurePath
from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.services.people import projects
from annotation.views.core.forms import StyledForm, set_choices
from annotation.views.people.project_templates import language_choices
from epitome.formats import summary_tables
from epitome.formats.summary_tables import find_role_faults
from evaluation.services.summary_files.first_round import MOST_RATERS, PAIRS, SCALES, Offer
from evaluation.services.summary_files.table_files import TableFile

ROLES = {
    summary_tables.TEXT: gettext_lazy("Text"),
    summary_tables.ID: gettext_lazy("ID"),
    summary_tables.TITLE: gettext_lazy("Title"),
    summary_tables.REFERENCE: gettext_lazy("Reference summary"),
    summary_tables.OUTPUT: gettext_lazy("Summaries of a system"),
    summary_tables.SYSTEM: gettext_lazy("Name of the system"),
    summary_tables.SKIP: gettext_lazy("Don’t import"),
}
ROLE_FAULTS = {
    "no-text": gettext_lazy("Set one column to “Text”: the texts that were summarized."),
    "no-summary": gettext_lazy("Set at least one column to “Summaries of a system” or “Reference summary”."),
    "one-output": gettext_lazy(
        "With a column “Name of the system” there is one column “Summaries of a system”: a row for each summary."
    ),
}
SHORT = {"class": "short"}


class TableForm(StyledForm):
    """The first step: one table."""

    file = forms.FileField(label=gettext_lazy("File"), max_length=255)

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > settings.EPITOME_MAX_UPLOAD:
            limit = settings.EPITOME_MAX_UPLOAD // 2**20
            raise forms.ValidationError(_("This file is larger than %(n)d MB.") % {"n": limit})
        return file


class RolesForm(StyledForm):
    """The second step: what each column is, and the project's name and language."""

    name = forms.CharField(
        label=gettext_lazy("Name of the project"), max_length=200, widget=forms.TextInput({"dir": "auto"})
    )
    language = forms.ChoiceField(label=gettext_lazy("Language of the texts"), initial="en")
    timezone = forms.CharField(required=False, max_length=60, widget=forms.HiddenInput({"data-browser-zone": ""}))

    def __init__(self, *args: Any, table_file: TableFile, file_name: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.table_file = table_file
        set_choices(self, "language", language_choices())
        self.fields["name"].initial = PurePath(file_name).stem.replace("_", " ")[:200]
        for index, column in enumerate(table_file.columns):
            choice = forms.ChoiceField(choices=list(ROLES.items()), initial=table_file.roles[column], required=False)
            choice.widget.attrs |= {"class": "field", "aria-label": _("Use column %(name)s as") % {"name": column}}
            self.fields[f"column-{index}"] = choice

    def clean_timezone(self) -> str:
        """The browser's zone if the server knows it, else the site's: nobody typed it."""
        zone: str = self.cleaned_data["timezone"]
        return zone if zone in projects.known_timezones() else settings.TIME_ZONE

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or self.cleaned_data
        for fault in self.role_faults():
            self.add_error(None, fault)
        return values

    def role_faults(self) -> list[str]:
        """What is wrong with the chosen columns, in words."""
        faults = []
        for code in find_role_faults(self.roles()):
            role = code.removeprefix("twice-")
            twice = _("Two columns are set to “%(field)s”. Choose one.") % {"field": ROLES.get(role, role)}
            faults.append(str(ROLE_FAULTS.get(code, twice)))
        return faults

    def roles(self) -> dict[str, str]:
        """column -> role, as chosen or as guessed."""
        chosen = getattr(self, "cleaned_data", {})
        return {
            column: chosen.get(f"column-{index}") or self.table_file.roles[column]
            for index, column in enumerate(self.table_file.columns)
        }


class FirstRoundForm(StyledForm):
    """The first round: what raters are asked, about how many texts, and how many raters."""

    template = forms.ChoiceField(label=gettext_lazy("Raters say"), widget=forms.RadioSelect)
    n_texts = forms.IntegerField(label=gettext_lazy("Texts"), min_value=1, widget=forms.NumberInput(SHORT))
    n_raters = forms.IntegerField(
        label=gettext_lazy("Raters"),
        min_value=1,
        max_value=MOST_RATERS,
        initial=2,
        help_text=gettext_lazy("Each rates everything. Each gets a link of their own."),
        widget=forms.NumberInput(SHORT),
    )
    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=100,
        help_text=gettext_lazy("Not shown to raters."),
        widget=forms.TextInput({"dir": "auto"}),
    )

    def __init__(self, *args: Any, offer: Offer, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [(SCALES, _("How good each summary is: overall, coherence, consistency, fluency, relevance"))]
        if offer.can_pair:
            choices.append((PAIRS, _("Which of two summaries is better")))
        set_choices(self, "template", choices)
        self.fields["template"].initial = offer.template
        self.fields["n_texts"].initial = offer.all_texts
        self.fields["name"].initial = _("First blind round")

"""Forms of sources: text in, typed values out. Rules live in the services."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.views.core.forms import StyledForm, seed_field


class DamageForm(StyledForm):
    reason = forms.CharField(
        label=_("What is wrong with it"), max_length=2000, widget=forms.Textarea({"rows": 2, "dir": "auto"})
    )


MAPPED = ("id", "text", "title", "origin_id", "split", "licence", "may_release_text")
FORMAT_NAMES = {
    "auto": _("find out by looking"),
    "macsum": _("MACSum"),
    "qmsum": _("QMSum"),
    "jsonl": _("JSON lines"),
    "csv": _("CSV table"),
    "story": _("CNN/DailyMail story"),
    "epitome-1": _("Epitome export"),
}


LICENCES = ("CC0-1.0", "CC-BY-4.0", "CC-BY-SA-4.0", "CC-BY-NC-4.0", "CC-BY-NC-SA-4.0")
OTHER_LICENCE = "other"
NO_RELEASE = "none"


class ImportForm(StyledForm):
    """A file to import, and its import options."""

    file = forms.FileField(label=_("File"), max_length=255, allow_empty_file=True)
    format = forms.ChoiceField(label=_("Format"))
    split = forms.CharField(
        label=_("Split"),
        required=False,
        max_length=20,
        help_text=_("Of every source in it. Empty: the file's name tells (val becomes dev)."),
        widget=forms.TextInput({"class": "short"}),
    )
    permission = forms.ChoiceField(
        label=_("Licence of the texts"),
        choices=[
            ("", _("Choose ...")),
            *((name, name) for name in LICENCES),
            (OTHER_LICENCE, _("Another licence that permits release")),
            (NO_RELEASE, _("The texts may not be released")),
        ],
        error_messages={"required": _("Choose the licence, or say that the texts may not be released.")},
        help_text=_("Applies to rows that name no licence. Exports leave out texts that may not be released."),
    )
    licence = forms.CharField(
        label=_("Name of another licence"),
        required=False,
        max_length=200,
        help_text=_("Only where none of the list applies."),
    )
    with_references = forms.BooleanField(
        label=_("Take the samples and human summaries of the file too"), required=False
    )
    dry_run = forms.BooleanField(label=_("Check only: list the faults, store nothing"), required=False)
    partial = forms.BooleanField(
        label=_("Store the sound rows even if others have faults"),
        required=False,
        help_text=_("Otherwise a file with one fault is refused as a whole."),
    )
    max_words = forms.IntegerField(
        label=_("Leave out sources above this many words"),
        required=False,
        min_value=1,
        max_value=10_000_000,
        help_text=_("Empty: 5,000 for QMSum, no limit for other formats."),
        widget=forms.NumberInput({"class": "short"}),
    )

    def __init__(self, *args: Any, formats: Sequence[str], columns: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choice = self.fields["format"]
        assert isinstance(choice, forms.ChoiceField)
        choice.choices = [(key, FORMAT_NAMES.get(key, key)) for key in formats]
        for name in MAPPED:
            column = forms.CharField(label=name, required=False, max_length=200, initial=columns.get(name, ""))
            column.widget.attrs["class"] = "field"
            self.fields[f"column_{name}"] = column

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        if values.get("permission") == OTHER_LICENCE and not values.get("licence"):
            self.add_error("licence", _("Name the licence that permits release."))
        elif values.get("permission") in LICENCES and values.get("licence"):
            self.add_error("licence", _("Leave this empty, or choose another licence in the list."))
        return values

    def licence_name(self) -> str:
        """The licence of rows that name none; "" where none is known."""
        permission = self.cleaned_data["permission"]
        return permission if permission in LICENCES else self.cleaned_data["licence"]

    def mapping(self) -> dict[str, str] | None:
        """Field name -> column of the file; None when no column is given."""
        columns = {name: self.cleaned_data.get(f"column_{name}", "") for name in MAPPED}
        return {name: column for name, column in columns.items() if column} or None


class SelectionForm(StyledForm):
    n = forms.IntegerField(
        label=_("How many sources take part"),
        min_value=1,
        max_value=10_000_000,
        widget=forms.NumberInput({"class": "short"}),
    )
    seed = seed_field()


class DocumentFilters(StyledForm):
    """Allowed filters of the list, and nothing else."""

    q = forms.CharField(
        label=_("Id or title begins with"),
        required=False,
        max_length=200,
        widget=forms.SearchInput({"dir": "auto"}),
    )
    state = forms.ChoiceField(
        label=_("State"),
        required=False,
        choices=[
            ("", _("all")),
            ("damaged", _("damaged")),
            ("aside", _("not selected")),
            ("bare", _("without candidates")),
        ],
    )

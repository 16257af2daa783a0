"""Forms of the two steps of an import: choosing files or pasting text, then the columns, licence and limits."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.formats.row_references import ATTRIBUTE, SUMMARY_METADATA
from annotation.schema import Schema
from annotation.services.sources.import_preview import FilePreview
from annotation.services.sources.import_types import ImportOptions
from annotation.views.core.forms import StyledForm
from annotation.views.sources.licences import LicenceFields

KIND_NAMES = {
    "auto": gettext_lazy("Detect automatically"),
    "macsum": "MACSum",
    "qmsum": "QMSum",
    "jsonl": gettext_lazy("JSON lines"),
    "json": gettext_lazy("JSON list"),
    "csv": gettext_lazy("CSV or TSV table"),
    "story": gettext_lazy("Plain texts or CNN/DailyMail stories"),
    "epitome-1": gettext_lazy("Epitome export"),
    "text": gettext_lazy("Plain text"),
    "word": gettext_lazy("Word document"),
    "excel": gettext_lazy("Excel sheet"),
    "parquet": "Parquet",
    "arrow": "Arrow",
    "zip": gettext_lazy("Zip of files"),
    "label-studio": "Label Studio",
    "doccano": "doccano",
    "argilla": "Argilla",
    "potato": "Potato",
}
SKIP, METADATA, ABOUT_SUMMARY = "skip", "metadata", "summary_metadata"
SEPARATOR_NAMES = {";": gettext_lazy("Semicolons (a; b)"), ",": gettext_lazy("Commas (a, b)")}
FIELD_NAMES = {
    "id": gettext_lazy("ID"),
    "title": gettext_lazy("Title"),
    "text": gettext_lazy("Text"),
    "segments": gettext_lazy("Turns or sentences"),
    "summary": gettext_lazy("Summary"),
    "summary_title": gettext_lazy("Title of the summary"),
    "relevant_segments": gettext_lazy("Relevant segments"),
    "origin_id": gettext_lazy("Meeting or article it belongs to"),
    "split": gettext_lazy("Split"),
    "licence": gettext_lazy("Licence"),
    "may_release_text": gettext_lazy("May be released"),
}


class FilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """One file or several."""

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile]:
        files = data if isinstance(data, list | tuple) else [data]
        return [super(FilesField, self).clean(file, initial) for file in files if file]


class UploadForm(StyledForm):
    """The first step: files or a pasted text."""

    file = FilesField(
        label=gettext_lazy("Files"),
        required=False,
        max_length=255,
        allow_empty_file=True,
        widget=FilesInput(attrs={"multiple": True}),
    )
    text = forms.CharField(
        label=gettext_lazy("Or paste text"),
        required=False,
        strip=False,
        max_length=5_000_000,
        help_text=gettext_lazy("One source; the first line becomes its title."),
        widget=forms.Textarea({"rows": 5, "dir": "auto"}),
    )

    texts = forms.FileField(
        label=gettext_lazy("File with the texts"),
        required=False,
        max_length=255,
        help_text=gettext_lazy(
            "For tables whose rows name a text by its ID instead of holding it: JSON lines or CSV with the columns id "
            "and text."
        ),
    )

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        if not self.errors and not values.get("file") and not (values.get("text") or "").strip():
            self.add_error("file", _("Choose a file, or paste a text."))
        return values


class MappingForm(LicenceFields):
    """The second step: what each column is read as, the licence, and limits."""

    split = forms.CharField(
        label=gettext_lazy("Split"),
        required=False,
        max_length=20,
        help_text=gettext_lazy("For every source in the file. Empty: from the rows or the file name."),
        widget=forms.TextInput({"class": "short"}),
    )
    max_words = forms.IntegerField(
        label=gettext_lazy("Leave out texts longer than (words)"),
        required=False,
        min_value=1,
        max_value=10_000_000,
        help_text=gettext_lazy("Empty: 5,000 for QMSum, no limit for other formats."),
        widget=forms.NumberInput({"class": "short"}),
    )
    with_references = forms.BooleanField(label=gettext_lazy("Also import the human summaries"), required=False)
    list_separator = forms.ChoiceField(
        label=gettext_lazy("Lists in a cell are separated by"),
        choices=list(SEPARATOR_NAMES.items()),
        required=False,
        help_text=gettext_lazy("Of topics and keywords, where a cell holds no JSON list."),
    )
    summary_metadata = forms.CharField(
        label=gettext_lazy("Keep with every summary"),
        required=False,
        max_length=1000,
        help_text=gettext_lazy("Names and values, such as set=readability, origin=abstract."),
        widget=forms.TextInput({"dir": "auto"}),
    )
    add_summaries = forms.BooleanField(
        label=gettext_lazy("Add summaries to sources that have some already"), required=False
    )
    partial = forms.BooleanField(label=gettext_lazy("Import valid rows and skip the rest"), required=False)
    dry_run = forms.BooleanField(label=gettext_lazy("Check only, import nothing"), required=False)

    def __init__(
        self, *args: Any, preview: FilePreview, schema: Schema, has_texts: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.preview, self.has_texts = preview, has_texts
        choices = _field_choices(schema)
        self.fields["list_separator"].initial = preview.list_separator
        field_of = {
            column: ABOUT_SUMMARY if name.startswith(SUMMARY_METADATA) else name
            for name, column in preview.mapping.items()
        }
        for number, column in enumerate(preview.columns):
            initial = field_of.get(column, SKIP if column in preview.skipped_columns else METADATA)
            choice = forms.ChoiceField(choices=choices, initial=initial, required=False)
            choice.widget.attrs |= {"class": "field", "aria-label": _("Import column %(name)s as") % {"name": column}}
            self.fields[f"column-{number}"] = choice

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        chosen = [name for name in self._chosen().values() if name not in (SKIP, METADATA, ABOUT_SUMMARY)]
        for name in {name for name in chosen if chosen.count(name) > 1}:
            label = FIELD_NAMES.get(name, name.removeprefix(ATTRIBUTE))
            self.add_error(None, _("Two columns are set to “%(field)s”. Choose one.") % {"field": label})
        if self.preview.has_columns and not self.has_texts and not {"text", "segments"} & set(chosen):
            self.add_error(
                None,
                _(
                    "Set one column to “Text”: no column is read as the text of the sources. If the texts are in "
                    "another file, go back and choose that too."
                ),
            )
        if {"text", "segments"} <= set(chosen):
            self.add_error(None, _("Set one column to “Text” or to “Turns or sentences”, not both."))
        about_summaries = ABOUT_SUMMARY in self._chosen().values()
        if "summary" not in chosen and (
            about_summaries or any(name.startswith((ATTRIBUTE, "summary_")) for name in chosen)
        ):
            self.add_error(None, _("Set the column of the summaries to “Summary”: attributes belong to a summary."))
        return values

    def clean_list_separator(self) -> str:
        return self.cleaned_data["list_separator"] or ";"

    def clean_summary_metadata(self) -> dict[str, str]:
        """{name: value} of `set=readability, origin=abstract`."""
        pairs = [pair.partition("=") for pair in self.cleaned_data["summary_metadata"].split(",") if pair.strip()]
        if not all(name.strip() and value.strip() for name, _equals, value in pairs):
            raise forms.ValidationError(_("Write names and values, such as set=readability."))
        return {name.strip(): value.strip() for name, _equals, value in pairs}

    def _chosen(self) -> dict[str, str]:
        """{column: field, SKIP, METADATA or ABOUT_SUMMARY}."""
        chosen = {}
        for number, column in enumerate(self.preview.columns):
            name = f"column-{number}"
            chosen[column] = self.cleaned_data.get(name) or self.fields[name].initial
        return chosen

    def proposed_options(self) -> ImportOptions:
        """The options with the columns as they were matched, before anybody chose."""
        preview = self.preview
        return ImportOptions(
            format=preview.kind,
            mapping=preview.mapping or None,
            skipped_columns=preview.skipped_columns,
            row_ids=preview.row_ids,
            exact_mapping=bool(preview.mapping),
            list_separator=preview.list_separator,
        )

    def options(self) -> ImportOptions:
        """The import options of a valid form."""
        return replace(self.read_options(), licence=self.licence_name(), may_release_text=self.may_release_text())

    def read_options(self) -> ImportOptions:
        """How the file is read, without the licence, which need not be chosen yet."""
        values, chosen = self.cleaned_data, self._chosen()
        mapping = {
            f"{SUMMARY_METADATA}{column}" if name == ABOUT_SUMMARY else name: column
            for column, name in chosen.items()
            if name not in (SKIP, METADATA)
        }
        return ImportOptions(
            format=self.preview.kind,
            split=values["split"] or None,
            with_references=values["with_references"],
            dry_run=values["dry_run"],
            partial=values["partial"],
            mapping=mapping or None,
            max_words=values["max_words"],
            skipped_columns=[column for column, name in chosen.items() if name == SKIP],
            row_ids=bool(mapping) and "id" not in mapping,
            exact_mapping=bool(mapping),
            list_separator=values["list_separator"],
            summary_metadata=values["summary_metadata"],
            add_summaries=values["add_summaries"],
        )


def _field_choices(schema: Schema) -> Sequence[tuple[str, Any]]:
    attributes: Mapping[str, str] = {
        f"{ATTRIBUTE}{attribute.key}": _("Attribute: %(name)s") % {"name": attribute.label}
        for attribute in schema.attributes
    }
    return [
        *FIELD_NAMES.items(),
        *attributes.items(),
        (METADATA, _("Metadata")),
        (ABOUT_SUMMARY, _("Metadata of the summary")),
        (SKIP, _("Don’t import")),
    ]

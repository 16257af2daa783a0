"""Forms of the two steps of an import: choosing files or pasting text, then the columns, licence and limits."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from annotation.services.core.word_patterns import add_remark
from annotation.services.sources.import_preview import FilePreview
from annotation.services.sources.import_words import label_state
from annotation.views.core.forms import StyledForm
from annotation.views.sources.licences import LicenceFields
from epitome.formats.answers import STATES, SUBMITTED
from epitome.formats.encodings import ENCODINGS
from epitome.formats.options import PIECES, SEVERAL, ImportOptions
from epitome.formats.records import NUMBERED_FIELDS, split_number
from epitome.formats.registry import FORMATS
from epitome.formats.row_references import ATTRIBUTE, SUMMARY_METADATA
from epitome.schema import Schema

TRANSLATED_FORMATS = (
    gettext_noop("CSV or TSV table"),
    gettext_noop("Epitome export"),
    gettext_noop("Excel sheet"),
    gettext_noop("JSON lines"),
    gettext_noop("JSON list"),
    gettext_noop("Plain text"),
    gettext_noop("Plain texts or CNN/DailyMail stories"),
    gettext_noop("Subtitles"),
    gettext_noop("Web page"),
    gettext_noop("Word document"),
    gettext_noop("Zip of files"),
)
"""Labels of formats that are no names of programs; the registry has them in English."""
SKIP, METADATA, ABOUT_SUMMARY = "skip", "metadata", "summary_metadata"
SEPARATOR_NAMES = {";": gettext_lazy("Semicolons (a; b)"), ",": gettext_lazy("Commas (a, b)")}
ENCODING_USES = {
    "windows-1252": gettext_lazy("Western Europe"),
    "windows-1250": gettext_lazy("Central Europe"),
    "windows-1251": gettext_lazy("Cyrillic"),
    "windows-1253": gettext_lazy("Greek"),
    "windows-1254": gettext_lazy("Turkish"),
    "windows-1255": gettext_lazy("Hebrew"),
    "windows-1256": gettext_lazy("Arabic"),
    "gb18030": gettext_lazy("simplified Chinese"),
    "big5": gettext_lazy("traditional Chinese"),
    "shift-jis": gettext_lazy("Japanese"),
    "euc-kr": gettext_lazy("Korean"),
    "mac-roman": gettext_lazy("Western Europe, older Macs"),
}
FIELD_NAMES = {
    "id": gettext_lazy("ID"),
    "title": gettext_lazy("Title"),
    "text": gettext_lazy("Text"),
    "segments": gettext_lazy("Turns or sentences"),
    "speakers": gettext_lazy("Speakers of the turns"),
    "summary": gettext_lazy("Summary"),
    "summary_title": gettext_lazy("Title of the summary"),
    "relevant_segments": gettext_lazy("Relevant segments"),
    "answer_state": gettext_lazy("State of the summary"),
    "author": gettext_lazy("Writer of the summary (stored as a pseudonym)"),
    "origin_id": gettext_lazy("Meeting or article it belongs to"),
    "split": gettext_lazy("Split"),
    "licence": gettext_lazy("Licence"),
    "may_release_text": gettext_lazy("May be released"),
}


def list_formats() -> list[tuple[str, str]]:
    """(format, label) of those that a person may choose, in the reader's language."""
    return [("auto", _("Detect automatically")), *((name, label_format(name)) for name in FORMATS)]


def label_format(name: str) -> str:
    """The label of a format in the reader's language."""
    if name not in FORMATS:
        return name
    label = FORMATS[name].label
    return _(label) if label in TRANSLATED_FORMATS else label


def list_encodings() -> list[tuple[str, str]]:
    """(encoding, label with the languages that use it) in the reader's language."""
    return [
        (name, add_remark(label, str(ENCODING_USES[name])) if name in ENCODING_USES else label)
        for name, label in ENCODINGS.items()
    ]


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
    summary_lists = forms.ChoiceField(
        label=gettext_lazy("A list of texts in the column of the summaries is"),
        choices=[
            (SEVERAL, gettext_lazy("Several summaries of the text")),
            (PIECES, gettext_lazy("One summary in pieces")),
        ],
        required=False,
    )
    partial = forms.BooleanField(label=gettext_lazy("Import valid rows and skip the rest"), required=False)
    dry_run = forms.BooleanField(label=gettext_lazy("Check only, import nothing"), required=False)

    def __init__(
        self, *args: Any, preview: FilePreview, schema: Schema, has_texts: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.preview, self.has_texts = preview, has_texts
        choices = _field_choices(schema)
        self.fields["list_separator"].initial = preview.options.list_separator
        self.fields["summary_lists"].initial = preview.options.summary_lists
        self.fields["answer_states"] = forms.MultipleChoiceField(
            label=_("Summaries that are imported"),
            choices=[(state, label_state(state)) for state in STATES],
            initial=list(preview.options.answer_states),
            required=False,
            help_text=_("By the state that the file gives them. Nothing chosen: submitted or approved ones."),
            widget=forms.CheckboxSelectMultiple,
        )
        field_of = {
            column: ABOUT_SUMMARY if name.startswith(SUMMARY_METADATA) else split_number(name)[0]
            for name, column in preview.mapping.items()
        }
        for index, column in enumerate(preview.columns):
            initial = field_of.get(column, SKIP if column in preview.options.skipped_columns else METADATA)
            choice = forms.ChoiceField(choices=choices, initial=initial, required=False)
            choice.widget.attrs |= {"class": "field", "aria-label": _("Import column %(name)s as") % {"name": column}}
            self.fields[f"column-{index}"] = choice

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        chosen = [name for name in self._chosen().values() if name not in (SKIP, METADATA, ABOUT_SUMMARY)]
        single = [name for name in chosen if name not in NUMBERED_FIELDS and not name.startswith(ATTRIBUTE)]
        for name in {name for name in single if single.count(name) > 1}:
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
        names = (ATTRIBUTE, "summary_", "answer_state", "author")
        if "summary" not in chosen and (about_summaries or any(name.startswith(names) for name in chosen)):
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
        for index, column in enumerate(self.preview.columns):
            name = f"column-{index}"
            chosen[column] = self.cleaned_data.get(name) or self.fields[name].initial
        return chosen

    def _read_mapping(self, chosen: Mapping[str, str]) -> dict[str, str]:
        """{our field: column}; several columns of summaries, and what belongs to each, are numbered in their order."""
        proposed = {column: name for name, column in self.preview.mapping.items() if name.startswith(SUMMARY_METADATA)}
        mapping: dict[str, str] = {}
        n_columns: Counter[str] = Counter()
        for column, name in chosen.items():
            if name in (SKIP, METADATA):
                continue
            if name == ABOUT_SUMMARY:
                mapping[proposed.get(column, f"{SUMMARY_METADATA}{column}")] = column
                continue
            n_columns[name] += 1
            mapping[name if n_columns[name] == 1 else f"{name}:{n_columns[name]}"] = column
        return mapping

    @property
    def has_folded_errors(self) -> bool:
        """Whether a field that the page folds away is wrong."""
        return bool(self.errors.keys() & {"list_separator", "summary_metadata", "split", "max_words"})

    def proposed_options(self) -> ImportOptions:
        """The options with the columns as they were matched, before anybody chose."""
        return replace(self.preview.options, exact_mapping=bool(self.preview.mapping))

    def options(self) -> ImportOptions:
        """The import options of a valid form."""
        return replace(self.read_options(), licence=self.licence_name(), may_release_text=self.may_release_text())

    def read_options(self) -> ImportOptions:
        """How the file is read, without the licence, which need not be chosen yet."""
        values, chosen = self.cleaned_data, self._chosen()
        mapping = self._read_mapping(chosen)
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
            answer_states=values["answer_states"] or [SUBMITTED],
            summary_lists=values["summary_lists"] or self.preview.options.summary_lists,
            encoding=self.preview.options.encoding,
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

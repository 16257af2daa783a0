"""What a file would be read as: its kind, its first rows, and its columns matched by name and content."""

import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from django.core.files.base import File

from annotation.models import Project
from annotation.services.core.errors import BadInput
from annotation.services.core.word_patterns import join_names
from annotation.services.sources.column_mappings import SavedMapping, find_fitting_mapping
from annotation.services.sources.reading_apart import FileReader
from epitome.formats.column_guess import Guess
from epitome.formats.columns import TableHead
from epitome.formats.encodings import UTF8
from epitome.formats.faults import Fault
from epitome.formats.fields import MAPPED_FIELDS
from epitome.formats.guess import asks_for_speakers, build_attribute_tests, guess_columns
from epitome.formats.options import ImportOptions
from epitome.formats.outlook import Outlook
from epitome.formats.reading import InputFile, UnreadableFile, input_file
from epitome.formats.records import ReferenceRecord, SourceRecord, check_column_mapping
from epitome.formats.request_values import fit_reference
from epitome.schema import Schema

SHOWN = 5
MAX_CELL = 400


@dataclass(frozen=True, slots=True)
class PreviewedSummary:
    """A summary as it would be read. requested: label of an attribute -> its values in words."""

    text: str
    requested: dict[str, str]
    metadata: dict[str, str]


@dataclass(frozen=True, slots=True)
class PlainSource:
    """A source as it would be read."""

    external_id: str
    title: str
    text: str
    n_words: int
    n_references: int
    summaries: list[PreviewedSummary] = field(default_factory=list)


@dataclass(slots=True)
class FilePreview:
    """options: how the file would be read. columns and rows: of files with columns, at most SHOWN rows, as read from
    the file. sources: as they would be read. saved: the kept mapping that the options are from, if any. encoding: in
    which a text that is not UTF-8 is read, "" for UTF-8. fault: why the file cannot be read. faults: of the first rows.
    outlook: what would be stored, in counts. guess: how its columns were matched, with what is doubtful in that; empty
    where the options are kept ones."""

    options: ImportOptions = field(default_factory=lambda: ImportOptions(format=""))
    columns: list[str] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    sources: list[PlainSource] = field(default_factory=list)
    saved: SavedMapping | None = None
    encoding: str = ""
    fault: Fault | None = None
    faults: list[Fault] = field(default_factory=list)
    outlook: Outlook = field(default_factory=Outlook)
    guess: Guess = field(default_factory=Guess)

    @property
    def kind(self) -> str:
        """The file's format; "" where none was recognized."""
        return self.options.format

    @property
    def mapping(self) -> Mapping[str, str]:
        """{our field: column}."""
        return self.options.mapping or {}

    @property
    def has_columns(self) -> bool:
        return bool(self.columns)

    def as_dict(self) -> dict[str, Any]:
        """For JSON: how the file would be read, its first rows before and after, and counts."""
        names = ("n_read", "is_whole", "n_sources", "n_references", "n_authors", "n_faults")
        counts: dict[str, Any] = {name: getattr(self.outlook, name) for name in names}
        return {
            "format": self.kind,
            "encoding": self.encoding or UTF8,
            "columns": self.columns,
            "mapping": dict(self.mapping),
            "row_ids": self.options.row_ids,
            "summary_lists": self.options.summary_lists,
            "layout": self.guess.layout,
            "doubts": [asdict(doubt) for doubt in self.guess.doubts],
            "rows": [{name: shorten_cell(value) for name, value in row.items()} for row in self.rows],
            "sources": [source.external_id for source in self.sources],
            "read_as": [asdict(source) for source in self.sources],
            "counts": counts | {"left_out": dict(self.outlook.left_out)},
            "notes": [*self.guess.remarks(), *self.outlook.notes],
            "faults": [str(fault) for fault in self.faults],
        }


def preview_file(project: Project, file: InputFile, reader: FileReader, kind: str = "auto") -> FilePreview:
    """Read the first rows of a file; stores nothing. A file that cannot be read has a `fault`."""
    preview = FilePreview()
    try:
        head = reader.read_head(file, kind)
        preview.options = ImportOptions(format=head.kind, encoding=file.encoding.chosen)
        if head.table is not None:
            _match_columns(preview, project, file, head.table)
        else:
            _read_plain_sources(preview, project, file, reader)
    except UnreadableFile as error:
        preview.fault = error.fault
    _say_encoding(preview, file)
    if preview.fault is None and preview.faults and not preview.rows and not preview.sources:
        preview.fault = preview.faults[0]
    return preview


def _say_encoding(preview: FilePreview, file: InputFile) -> None:
    """A text that is not UTF-8 stands in the file, or in a member of an archive."""
    if not file.encoding.is_utf8:
        preview.encoding = file.encoding.used


def preview_upload(*, project: Project, upload: File, options: ImportOptions, texts: File | None = None) -> FilePreview:
    """The preview of an uploaded file; columns are those of the options, or as they are matched. Raises BadInput for a
    file that cannot be read or an unusable mapping."""
    with tempfile.TemporaryDirectory() as folder, FileReader() as reader:
        text_file = None
        if texts is not None:
            path = _copy_upload(texts, Path(folder) / "texts")
            text_file = input_file(path, texts.name or "texts", encoding=options.encoding)
        path = _copy_upload(upload, Path(folder) / "file")
        file = input_file(path, upload.name or "upload", texts=text_file, encoding=options.encoding)
        preview = preview_file(project, file, reader, options.format)
        if preview.fault is not None:
            raise BadInput(str(preview.fault), field="file")
        if preview.has_columns:
            matched = preview.options
            if options.mapping is None:
                options = take_columns(options, matched)
            preview.options = replace(options, format=preview.kind)
            show_read_rows(preview, project, file, preview.options, reader)
        return preview


def _copy_upload(upload: File, path: Path) -> Path:
    with path.open("wb") as out:
        for chunk in upload.chunks():
            out.write(chunk)
    return path


def _match_columns(preview: FilePreview, project: Project, file: InputFile, head: TableHead) -> None:
    preview.faults, preview.columns, preview.rows = head.faults, head.columns, head.rows[:SHOWN]
    preview.saved = find_fitting_mapping(project, preview.columns)
    if preview.saved is not None:
        preview.options = preview.saved.apply(preview.options)
        return
    preview.guess = match_columns(project, file, head)
    mapping = preview.guess.mapping
    preview.options = replace(
        preview.options,
        mapping=mapping or None,
        row_ids="id" not in mapping,
        exact_mapping=bool(mapping),
        summary_lists=preview.guess.summary_lists,
    )


def match_columns(project: Project, file: InputFile, head: TableHead) -> Guess:
    """What the columns of a file are, by name and content and by the schema of the project."""
    schema = project.schema_version.schema
    return guess_columns(
        head.rows,
        head.columns,
        build_attribute_tests(schema),
        has_texts=file.texts is None,
        needs_speakers=asks_for_speakers(schema),
    )


def take_columns(options: ImportOptions, matched: ImportOptions) -> ImportOptions:
    """The options with the columns of those that were matched."""
    return replace(
        options,
        mapping=matched.mapping,
        row_ids=matched.row_ids,
        exact_mapping=matched.exact_mapping,
        summary_lists=matched.summary_lists,
    )


def _read_plain_sources(preview: FilePreview, project: Project, file: InputFile, reader: FileReader) -> None:
    schema = project.schema_version.schema
    options = replace(preview.options, with_references=True, max_words=0, schema=schema)
    version = project.schema_version
    preview.outlook = reader.read_outlook(replace(file, texts=None), preview.kind, options, version)
    preview.faults = preview.outlook.faults
    preview.sources = [_describe_source(source) for source in preview.outlook.sources]


def show_read_rows(
    preview: FilePreview, project: Project, file: InputFile, options: ImportOptions, reader: FileReader
) -> None:
    """Add the first sources of a file with columns as they would be read, the faults of those rows, and counts."""
    schema = project.schema_version.schema
    try:
        check_column_mapping(options.mapping, MAPPED_FIELDS)
        options = replace(options, pseudonym_key=project.export_salt)
        outlook = reader.read_outlook(file, preview.kind, options, project.schema_version)
        preview.outlook = outlook
    except ValueError as error:  # UnreadableFile is one
        raise BadInput(str(error), field="mapping") from error
    _say_encoding(preview, file)
    known_faults = set(map(str, preview.faults))
    preview.faults += [fault for fault in outlook.faults if str(fault) not in known_faults]
    preview.sources = [_describe_source(source, schema, options) for source in outlook.sources]


def _describe_summary(reference: ReferenceRecord, schema: Schema, options: ImportOptions) -> PreviewedSummary:
    fitted = fit_reference(reference, schema, options.list_separator)
    requested = {}
    for key, value in fitted.attributes.items():
        attribute = schema.find(key)
        shown_values = value if isinstance(value, list) else [value]
        known = attribute is not None and attribute.has_values
        words = [attribute.value_label(str(entry)) if attribute and known else str(entry) for entry in shown_values]
        requested[attribute.label if attribute is not None else key] = join_names(words)
    metadata = {**options.summary_metadata, **fitted.raw_extra}
    return PreviewedSummary(
        shorten_cell(fitted.summary), requested, {key: shorten_cell(value) for key, value in metadata.items()}
    )


def _describe_source(
    record: SourceRecord, schema: Schema | None = None, options: ImportOptions | None = None
) -> PlainSource:
    turns = record.cut().segments[:12]
    lines = [f"{turn['speaker']}: {turn['text']}" if turn["speaker"] else turn["text"] for turn in turns]
    text = " ".join(lines)[:MAX_CELL]
    summaries = []
    if schema is not None and options is not None:
        summaries = [_describe_summary(reference, schema, options) for reference in record.references]
    return PlainSource(record.external_id, record.title, text, record.n_words, len(record.references), summaries)


def shorten_cell(value: Any) -> str:
    """A cell as the preview shows it."""
    if value is None:
        return ""
    if isinstance(value, list):
        text = "\n".join(_describe_entry(item) for item in value[:20])
    elif isinstance(value, dict):
        text = ", ".join(f"{name}: {_describe_entry(item)}" for name, item in list(value.items())[:20])
    else:
        text = str(value)
    return text if len(text) <= MAX_CELL else text[: MAX_CELL - 1] + "…"


def _describe_entry(item: Any) -> str:
    if isinstance(item, dict) and "text" in item:
        speaker = item.get("speaker") or item.get("author") or ""
        return f"{speaker}: {item['text']}" if speaker else str(item["text"])
    return str(item)

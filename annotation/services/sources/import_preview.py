"""What a file would be read as: its kind, its first rows, and its columns matched by name and content."""

from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from annotation.formats.columns import read_table_head
from annotation.formats.detect import ReadOptions, detect_format, read_rows_alone, read_sources
from annotation.formats.faults import Fault, LeftOut
from annotation.formats.fields import MAPPED_FIELDS
from annotation.formats.guess import build_attribute_tests, guess_mapping
from annotation.formats.reading import InputFile, UnreadableFile, input_file
from annotation.formats.records import ReferenceRecord, SourceRecord, check_column_mapping
from annotation.formats.request_values import fit_reference
from annotation.formats.rows import ROW_KINDS
from annotation.formats.text_lookup import TextLookup
from annotation.models import Project
from annotation.schema import Schema
from annotation.services.core.errors import BadInput
from annotation.services.core.word_patterns import join_names
from annotation.services.sources.column_mappings import SavedMapping, find_fitting_mapping
from annotation.services.sources.import_types import ImportOptions

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
    """kind: one of the import formats. columns and rows: of files with columns, at most SHOWN rows, as read from the
    file. sources: of other files. mapping: {our field: column}. saved: the kept mapping it was filled from, if any.
    skipped_columns and row_ids: see ImportOptions. fault: why the file cannot be read. faults: of the first rows."""

    kind: str = ""
    columns: list[str] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    sources: list[PlainSource] = field(default_factory=list)
    mapping: dict[str, str] = field(default_factory=dict)
    skipped_columns: tuple[str, ...] = ()
    row_ids: bool = False
    list_separator: str = ";"
    saved: SavedMapping | None = None
    fault: Fault | None = None
    faults: list[Fault] = field(default_factory=list)

    @property
    def has_columns(self) -> bool:
        return bool(self.columns)


def preview_file(project: Project, path: Path, name: str, kind: str = "auto", *, has_texts: bool = True) -> FilePreview:
    """Read the first rows of a file; stores nothing. A file that cannot be read has a `fault`. has_texts: False where
    another file has the texts of its rows."""
    preview = FilePreview()
    try:
        preview.kind = detect_format(path, name) if kind == "auto" else kind
        if preview.kind in ROW_KINDS:
            _read_columns(preview, project, path, name, has_texts=has_texts)
        else:
            _read_plain_sources(preview, project, path, name)
    except UnreadableFile as error:
        preview.fault = error.fault
    if preview.fault is None and preview.faults and not preview.rows and not preview.sources:
        preview.fault = preview.faults[0]
    return preview


def _read_columns(preview: FilePreview, project: Project, path: Path, name: str, *, has_texts: bool) -> None:
    head = read_table_head(input_file(path, name), preview.kind)
    preview.faults, preview.columns, preview.rows = head.faults, head.columns, head.rows[:SHOWN]
    saved = find_fitting_mapping(project, preview.columns)
    if saved is not None:
        preview.saved, preview.mapping = saved, dict(saved.columns)
        preview.skipped_columns, preview.row_ids = saved.skipped_columns, saved.row_ids
        preview.list_separator = saved.list_separator
        return
    tests = build_attribute_tests(project.schema_version.schema)
    preview.mapping = guess_mapping(head.rows, preview.columns, tests, has_texts=has_texts)
    preview.row_ids = "id" not in preview.mapping


def _read_plain_sources(preview: FilePreview, project: Project, path: Path, name: str) -> None:
    schema = project.schema_version.schema
    options = ReadOptions(preview.kind, with_references=True, max_words=None, values=None, schema=schema)
    for item in islice(read_sources(path, options, name=name), SHOWN):
        if isinstance(item, Fault):
            preview.faults.append(item)
        elif not isinstance(item, LeftOut):
            preview.sources.append(_describe_source(item))


def show_read_rows(
    preview: FilePreview,
    project: Project,
    path: Path,
    name: str,
    options: ImportOptions,
    text_from: InputFile | None = None,
) -> None:
    """Add the first sources of a file with columns as they would be read, and the faults of those rows."""
    schema = project.schema_version.schema
    try:
        check_column_mapping(options.mapping, MAPPED_FIELDS)
        texts = TextLookup(text_from) if text_from is not None else None
        read_options = ReadOptions(
            preview.kind,
            split=options.split,
            mapping=options.mapping,
            max_words=None,
            skipped=tuple(options.skipped_columns),
            row_ids=options.row_ids,
            exact_mapping=options.exact_mapping,
            texts=texts,
        )
        items = list(islice(read_rows_alone(path, read_options, name=name), SHOWN))
    except ValueError as error:  # UnreadableFile is one
        raise BadInput(str(error), field="mapping") from error
    known_faults = set(map(str, preview.faults))
    preview.faults += [item for item in items if isinstance(item, Fault) and str(item) not in known_faults]
    preview.sources = [_describe_source(item, schema, options) for item in items if isinstance(item, SourceRecord)]


def _describe_summary(reference: ReferenceRecord, schema: Schema, options: ImportOptions) -> PreviewedSummary:
    fitted = fit_reference(reference, schema, options.list_separator)
    requested = {}
    for key, value in fitted.attributes.items():
        attribute = schema.find(key)
        shown_values = value if isinstance(value, list) else [value]
        known = attribute is not None and attribute.has_distance
        words = [attribute.value_label(str(entry)) if attribute and known else str(entry) for entry in shown_values]
        requested[attribute.label if attribute is not None else key] = join_names(words)
    metadata = {**options.summary_metadata, **fitted.raw_extra}
    return PreviewedSummary(
        shorten_cell(fitted.summary), requested, {key: shorten_cell(value) for key, value in metadata.items()}
    )


def _describe_source(
    record: SourceRecord, schema: Schema | None = None, options: ImportOptions | None = None
) -> PlainSource:
    lines = [f"{turn['speaker']}: {turn['text']}" if turn["speaker"] else turn["text"] for turn in record.segments[:12]]
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

"""What a file would be read as: its kind, its first rows, and its columns matched by name and content."""

from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from annotation.formats.columns import read_table_head
from annotation.formats.detect import ReadOptions, detect_format, read_sources
from annotation.formats.faults import Fault, LeftOut
from annotation.formats.guess import build_attribute_tests, guess_mapping
from annotation.formats.reading import UnreadableFile, input_file
from annotation.formats.records import SourceRecord
from annotation.formats.rows import ROW_KINDS
from annotation.models import Project
from annotation.services.sources.column_mappings import SavedMapping, find_fitting_mapping

SHOWN = 5
MAX_CELL = 400


@dataclass(frozen=True, slots=True)
class PlainSource:
    """A source of a file without columns, as it would be read."""

    external_id: str
    title: str
    text: str
    n_words: int
    n_references: int


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
    saved: SavedMapping | None = None
    fault: Fault | None = None
    faults: list[Fault] = field(default_factory=list)

    @property
    def has_columns(self) -> bool:
        return bool(self.columns)


def preview_file(project: Project, path: Path, name: str, kind: str = "auto") -> FilePreview:
    """Read the first rows of a file; stores nothing. A file that cannot be read has a `fault`."""
    preview = FilePreview()
    try:
        preview.kind = detect_format(path, name) if kind == "auto" else kind
        if preview.kind in ROW_KINDS:
            _read_columns(preview, project, path, name)
        else:
            _read_plain_sources(preview, project, path, name)
    except UnreadableFile as error:
        preview.fault = error.fault
    if preview.fault is None and preview.faults and not preview.rows and not preview.sources:
        preview.fault = preview.faults[0]
    return preview


def _read_columns(preview: FilePreview, project: Project, path: Path, name: str) -> None:
    head = read_table_head(input_file(path, name), preview.kind)
    preview.faults, preview.columns, preview.rows = head.faults, head.columns, head.rows[:SHOWN]
    saved = find_fitting_mapping(project, preview.columns)
    if saved is not None:
        preview.saved, preview.mapping = saved, dict(saved.columns)
        preview.skipped_columns, preview.row_ids = saved.skipped_columns, saved.row_ids
        return
    tests = build_attribute_tests(project.schema_version.schema)
    preview.mapping = guess_mapping(head.rows, preview.columns, tests)
    preview.row_ids = "id" not in preview.mapping


def _read_plain_sources(preview: FilePreview, project: Project, path: Path, name: str) -> None:
    schema = project.schema_version.schema
    options = ReadOptions(preview.kind, with_references=True, max_words=None, values=None, schema=schema)
    for item in islice(read_sources(path, options, name=name), SHOWN):
        if isinstance(item, Fault):
            preview.faults.append(item)
        elif not isinstance(item, LeftOut):
            preview.sources.append(_describe_source(item))


def _describe_source(record: SourceRecord) -> PlainSource:
    lines = [f"{turn['speaker']}: {turn['text']}" if turn["speaker"] else turn["text"] for turn in record.segments[:12]]
    text = " ".join(lines)[:MAX_CELL]
    return PlainSource(record.external_id, record.title, text, record.n_words, len(record.references))


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

"""Epitome JSON lines: each `task: "source"` line precedes the `task: "summary"` lines that name it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from epitome.formats.elements import read_object_lines
from epitome.formats.encoded_json import encode_object
from epitome.formats.faults import Fault, FieldFault
from epitome.formats.fields import checked_segments
from epitome.formats.options import ImportOptions
from epitome.formats.reading import LINE_LIMIT, InputFile
from epitome.formats.records import (
    MAX_SPLIT,
    SourceRecord,
    Unit,
    checked_name,
    count_segment_words,
    hash_matches,
    hash_segments,
    json_text,
)
from epitome.formats.rows import Place, build_units
from epitome.formats.strictjson import BadJson, parse_strict_json

FORMAT = "epitome-1"


@dataclass(frozen=True, slots=True)
class EpitomeLine:
    """One line of an export: its object, unchanged, and its place."""

    data: dict[str, Any]
    spot: Place

    @property
    def line(self) -> int | None:
        """Its number from 1."""
        return self.spot.line


def dump_line(data: dict[str, Any]) -> bytes:
    """One line of the export: UTF-8, sorted keys, no white space between tokens, a newline at the end.

    Raises ValueError for NaN and for half a surrogate pair, which no reader would accept.
    """
    return encode_object(data, {}) + b"\n"


def is_export_line(entry: Mapping[str, Any]) -> bool:
    """Whether an entry is a line of an export."""
    return entry.get("format") == FORMAT


def read_epitome1(file: InputFile, line_limit: int = LINE_LIMIT) -> Iterator[EpitomeLine | Fault]:
    """Yields each line with its number; exactly one item per line. Faults: another format, no task, a duplicate source,
    a summary before its source. Raises UnreadableFile."""
    source_ids: set[str] = set()
    for row in read_object_lines(file, line_limit):
        if isinstance(row, Fault):
            yield row
            continue
        try:
            _check_line(row.values, source_ids)
        except FieldFault as error:
            yield row.spot.fault(error)
        else:
            yield EpitomeLine(row.values, row.spot)


def read_epitome1_sources(file: InputFile, options: ImportOptions) -> Iterator[Unit]:
    """The sources of an export; annotation lines are skipped (another importer reads them)."""
    lines = (line for line in read_epitome1(file) if isinstance(line, Fault) or line.data["task"] == "source")
    return build_units(lines, lambda line: source_record(line, options.split))


def _check_line(data: dict[str, Any], source_ids: set[str]) -> None:
    if data.get("format") != FORMAT:
        raise FieldFault(("format",), f"must be {FORMAT}", data.get("format"), "format")
    task, source_id = data.get("task"), data.get("source_id")
    if not isinstance(task, str) or not task:
        raise FieldFault(("task",), "must be text and cannot be missing", task, "type")
    if task == "source":
        if not checked_name(source_id, ("source_id",)):
            raise FieldFault(("source_id",), "is empty", "", "empty")
        if source_id in source_ids:
            raise FieldFault(("source_id",), "stands twice in the file", source_id, "doubled_id")
        source_ids.add(str(source_id))
    elif source_id is not None and source_id not in source_ids:
        raise FieldFault(("source_id",), "names no source of the lines before", source_id, "order")


def source_data(record: SourceRecord) -> dict[str, Any]:
    """The `task: "source"` line of a record. `metadata` is JSON text, so that its key order survives."""
    return {
        "format": FORMAT,
        "task": "source",
        "source_id": record.external_id,
        "origin_id": record.origin_id,
        "title": record.title,
        "segments": record.segments,
        "metadata": record.metadata_json,
        "split": record.split,
        "licence": record.licence,
        "may_release_text": record.may_release_text,
        "content_hash": record.content_hash,
        "n_words": record.n_words,
    }


def source_record(item: EpitomeLine, split: str | None = None) -> SourceRecord:
    """The record of a `task: "source"` line; `segments` may be missing where the text was not released.

    Raises FieldFault.
    """
    data = item.data
    external_id = checked_name(data.get("source_id"), ("source_id",))
    segments = checked_segments(data.get("segments") or [], "segments")
    content_hash = data.get("content_hash")
    if content_hash is None:
        content_hash = hash_segments(segments)
    elif not isinstance(content_hash, str) or (segments and not hash_matches(segments, content_hash)):
        raise FieldFault(("content_hash",), "does not fit the segments; the text was changed", content_hash, "hash")
    permission = data.get("may_release_text")
    if permission is not None and not isinstance(permission, bool):
        raise FieldFault(("may_release_text",), "must be true or false", permission, "type")
    title = data.get("title") or ""
    if not isinstance(title, str):
        raise FieldFault(("title",), "must be text", title, "type")
    return SourceRecord(
        external_id=external_id,
        origin_id=checked_name(data.get("origin_id") or external_id, ("origin_id",)),
        title=title,
        segments=segments,
        metadata_json=_metadata_text(data.get("metadata", "{}")),
        split=checked_name(data.get("split") or "", ("split",), MAX_SPLIT) if split is None else split,
        licence=checked_name(data.get("licence") or "", ("licence",)),
        may_release_text=permission,
        place=f"line {item.line}",
        n_words=count_segment_words(segments),
        content_hash=content_hash,
    )


def _metadata_text(value: object) -> str:
    """JSON text of an object, from JSON text (returned unchanged) or an object."""
    if isinstance(value, str):
        try:
            parsed = parse_strict_json(value.encode())
        except BadJson as error:
            raise FieldFault(("metadata",), f"holds text that is not JSON: {error}", value, "json") from error
        if isinstance(parsed, dict):
            return value
    elif isinstance(value, dict):
        return json_text(value)
    raise FieldFault(("metadata",), "must be an object", value, "type")

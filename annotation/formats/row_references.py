"""The human summaries of a row: one column of summaries, and columns of titles, segments and attribute values."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from annotation.formats.faults import FieldFault, json_type_name
from annotation.formats.records import ReferenceRecord

REFERENCE_FIELDS = ("summary", "summary_title", "relevant_segments")
ATTRIBUTE = "attribute:"
"""Before the key of an attribute of the schema: `attribute:length`."""
SUMMARY_METADATA = "summary_metadata:"
"""Before a name under which a summary keeps the value of a column: `summary_metadata:set`."""
_RANGE = re.compile(r"(\d+)\s*-\s*(\d+)")


def is_reference_field(name: str) -> bool:
    """Whether a mapping's field belongs to the summaries of a row."""
    prefixes = (ATTRIBUTE, SUMMARY_METADATA)
    return name in REFERENCE_FIELDS or any(name.startswith(prefix) and name != prefix for prefix in prefixes)


def read_row_references(row: Mapping[str, Any], names: Mapping[str, str]) -> list[ReferenceRecord]:
    """The summaries of a row; none where its cell is empty. names: {our field: column}. Raises FieldFault."""
    column = names["summary"]
    summaries = _read_texts(row.get(column), column)
    if not summaries:
        return []
    titles = _read_texts(row.get(names.get("summary_title", "")), names.get("summary_title", ""))
    attributes = {
        field.removeprefix(ATTRIBUTE): row[key]
        for field, key in names.items()
        if field.startswith(ATTRIBUTE) and row.get(key) not in (None, "", [])
    }
    segments = _read_segments(row.get(names.get("relevant_segments", "")), names.get("relevant_segments", ""))
    metadata = {
        field.removeprefix(SUMMARY_METADATA): row[key]
        for field, key in names.items()
        if field.startswith(SUMMARY_METADATA) and row.get(key) not in (None, "")
    }
    return [
        ReferenceRecord(
            position=number,
            attributes=attributes,
            raw_attributes=attributes,
            summary=summary,
            title=titles[number] if number < len(titles) else "",
            relevant_segments=segments,
            raw_extra=metadata,
        )
        for number, summary in enumerate(summaries)
    ]


def add_metadata(references: Iterable[ReferenceRecord], metadata: Mapping[str, Any]) -> list[ReferenceRecord]:
    """The references with further metadata; what they have of the same name stays."""
    return [replace(reference, raw_extra={**metadata, **reference.raw_extra}) for reference in references]


def _read_texts(value: object, column: str) -> list[str]:
    if value is None or value == "":
        return []
    texts: list[Any] = value if isinstance(value, list) else [value]
    for text in texts:
        if not isinstance(text, str):
            raise FieldFault((column,), f"must be text or a list of texts, not {json_type_name(text)}", text, "type")
    return [text for text in texts if text.strip()]


def _read_segments(value: object, column: str) -> list[Any]:
    """Segment numbers and inclusive [a, b] from a list, or from a cell such as `0;2;4-6`. Raises FieldFault."""
    if value is None or value == "":
        return []
    if isinstance(value, list):
        entries: list[Any] = value
    elif isinstance(value, str) and value.lstrip().startswith("["):
        try:
            entries = json.loads(value)
        except ValueError:
            raise FieldFault((column,), "is no list of segment numbers", value) from None
    else:
        entries = [_read_number(part, column) for part in re.split(r"[;,]", str(value)) if part.strip()]
    for entry in entries:
        ends = entry if isinstance(entry, list) and len(entry) == 2 else [entry]
        if not all(isinstance(end, int) and not isinstance(end, bool) for end in ends):
            raise FieldFault((column,), "must hold segment numbers, such as 0, 2, 4-6", entry)
    return entries


def _read_number(part: str, column: str) -> int | list[int]:
    if range_match := _RANGE.fullmatch(part.strip()):
        return [int(range_match[1]), int(range_match[2])]
    if part.strip().isdecimal():
        return int(part)
    raise FieldFault((column,), "must hold segment numbers, such as 0, 2, 4-6", part)

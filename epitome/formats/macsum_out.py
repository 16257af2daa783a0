"""Writes records as MACSum JSON, streaming the list; imported data is written back without loss."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import IO, Any

from epitome.formats.macsum import EXTRA_KEY, LIST_KEYS, turn_line
from epitome.formats.records import ReferenceRecord, SourceRecord, json_text

MAX_ID = 100


def write_macsum(records: Iterable[SourceRecord], stream: IO[bytes]) -> int:
    """Writes the list to a binary stream; returns the number of sources written."""
    written = 0

    def counted() -> Iterator[SourceRecord]:
        nonlocal written
        for record in records:
            written += 1
            yield record

    for piece in dump_macsum(counted()):
        stream.write(piece)
    return written


def dump_macsum(records: Iterable[SourceRecord]) -> Iterator[bytes]:
    """Yields the list in pieces, one source each: `[`, entries, `]`. Formatted like the release, so that its files are
    reproduced byte for byte: two spaces per level, ASCII with escapes, no newline at the end."""
    lead = "[\n  "
    for record in records:
        text = json.dumps(build_entry(record), indent=2, allow_nan=False)
        yield (lead + text.replace("\n", "\n  ")).encode()
        lead = ",\n  "
    yield b"[]" if lead.startswith("[") else b"\n]"


def build_entry(record: SourceRecord) -> dict[str, Any]:
    """One entry: metadata, references, source, and the other keys of the imported entry."""
    metadata = json.loads(record.metadata_json)
    extra = metadata.pop(EXTRA_KEY, {})
    return {
        "metadata": metadata,
        "references": [build_reference_entry(reference) for reference in record.references],
        "source": [turn_line(segment) for segment in record.segments],
        **extra,
    }


def build_reference_entry(reference: ReferenceRecord) -> dict[str, Any]:
    """One sample. Imported attributes are written unchanged; others in the notation of the release (`fully`, ` , `)."""
    extra = dict(reference.raw_extra)
    absent = set(extra.pop("_absent", ()))
    entry = {
        "control_attribute": reference.raw_attributes or released_attributes(reference.attributes),
        "summary": reference.summary,
        "title": reference.title,
        "relevant_turns": reference.relevant_segments,
    }
    return {**{key: value for key, value in entry.items() if key not in absent}, **extra}


def keep_ids(metadata_json: str) -> str:
    """Of a source's metadata what finds the text again in MACSum's corpora and is no text itself, as JSON: dataset,
    split, file_id and the numbers of turns. The rest may hold parts of a text that may not be released."""
    metadata = json.loads(metadata_json)
    kept = {key: metadata[key] for key in ("dataset", "split", "file_id") if _is_id(metadata.get(key))}
    turns = metadata.get("turns")
    if isinstance(turns, list) and all(type(number) is int for number in turns):
        kept["turns"] = turns
    return json_text(kept)


def _is_id(value: object) -> bool:
    return type(value) is int or (isinstance(value, str) and len(value) <= MAX_ID and len(value.split()) == 1)


def released_attributes(attributes: dict[str, Any]) -> dict[str, Any]:
    """Schema values in the notation of the release: `full` -> `fully`, lists joined by ` , `, in its key order."""
    first = [key for key in ("length", "extractiveness", "specificity") if key in attributes]
    others = [key for key in attributes if key not in first and key not in LIST_KEYS]
    released: dict[str, Any] = {}
    for key in [*first, *[key for key in LIST_KEYS if key in attributes], *others]:
        value = attributes[key]
        if key == "extractiveness" and value == "full":
            value = "fully"
        released[key] = " , ".join(value) if key in LIST_KEYS and isinstance(value, list) else value
    return released

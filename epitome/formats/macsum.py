"""Reads the released MACSum JSON, with or without its references; macsum_out writes it back without loss."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, TypeVar

from epitome.formats.elements import read_entries
from epitome.formats.faults import FieldFault
from epitome.formats.notes import LEFT_NOTE
from epitome.formats.options import ImportOptions
from epitome.formats.reading import InputFile
from epitome.formats.records import (
    ReferenceRecord,
    Segment,
    SourceRecord,
    Unit,
    checked_name,
    count_segment_words,
    hash_segments,
    json_text,
    split_of_name,
)
from epitome.formats.request_values import fit_value
from epitome.formats.rows import Row, build_units
from epitome.schema import Schema

MACSUM_VALUES: Mapping[str, Collection[str]] = {
    "length": ("short", "normal", "long"),
    "extractiveness": ("normal", "high", "full"),
    "specificity": ("normal", "high"),
}
LIST_KEYS = ("topic", "speaker")
ENTRY_KEYS = frozenset({"metadata", "source", "references"})
REFERENCE_KEYS = ("control_attribute", "summary", "title", "relevant_turns")
EXTRA_KEY = "_entry"
"""Key in the stored metadata for the other keys of an entry (besides metadata, source and references)."""
_BORDER = re.compile(r"(?<!\d),|,(?!\d)|;")


def read_macsum(file: InputFile, options: ImportOptions) -> Iterator[Unit]:
    """Sources of a MACSum-shaped file in its order; exactly one item per entry.

    Without a split of its own the options leave it to the file name: `metadata.split` is the split of the original
    corpus and only becomes part of the id. Raises UnreadableFile.
    """
    split = split_of_name(file.data_name) if options.split is None else options.split

    def build_source(entry: Row) -> SourceRecord:
        if not options.with_references and entry.values.get("references"):
            file.notes.add(LEFT_NOTE, entry.place)
        return source_of_entry(entry.values, entry.place, split, options.with_references, options.schema)

    return build_units(read_entries(file), build_source)


def is_macsum(entry: Mapping[str, Any]) -> bool:
    """Whether an entry looks like MACSum's: it has the metadata that its id is made of, and its lines."""
    metadata = entry.get("metadata")
    return isinstance(metadata, dict) and "source" in entry and bool({"dataset", "file_id"} & metadata.keys())


def source_of_entry(
    entry: dict[str, Any], place: str, split: str, with_references: bool, schema: Schema | None = None
) -> SourceRecord:
    """The source of one entry, its lines `turn_line(segment)`. Raises FieldFault with the path inside the entry.

    schema: what the attributes are, instead of MACSum's own: its lists are cut as topics are, its values brought to
    their canonical form, and what does not fit it is left as it is.
    """
    metadata = _require_value(entry, ("metadata",), dict)
    origin_id, external_id = _read_ids(metadata)
    source = _require_value(entry, ("source",), list)
    for index, text in enumerate(source):
        if not isinstance(text, str):
            raise FieldFault(("source", index), "must be text", text, "type")
    references = entry.get("references", [])
    if not isinstance(references, list):
        raise FieldFault(("references",), "must be a list", references, "type")
    segments = (
        [parse_turn(text) for text in source]
        if _is_dialogue(metadata, references)
        else [parse_sentence(t) for t in source]
    )
    n_words = count_segment_words(segments)
    if not n_words:
        raise FieldFault(("source",), "holds no word", source, "empty")
    if EXTRA_KEY in metadata:
        raise FieldFault(
            ("metadata", EXTRA_KEY), "this key is kept for Epitome; rename it", metadata[EXTRA_KEY], "reserved"
        )
    extra = {key: value for key, value in entry.items() if key not in ENTRY_KEYS}
    reference_records = []
    if with_references:
        reference_records = [
            _parse_reference(raw, position, len(segments), schema) for position, raw in enumerate(references)
        ]
    return SourceRecord(
        external_id=external_id,
        origin_id=origin_id,
        title="",
        segments=segments,
        metadata_json=json_text({**metadata, EXTRA_KEY: extra} if extra else metadata),
        split=split,
        licence="",
        may_release_text=None,
        place=place,
        n_words=n_words,
        content_hash=hash_segments(segments),
        references=reference_records,
    )


def _read_ids(metadata: dict[str, Any]) -> tuple[str, str]:
    """(origin id, external id). file_id restarts in each split of the original corpus (qmsum train 2 and test 2 are two
    meetings), so the origin id includes the original split; pieces of one meeting share the origin id."""
    id_parts = []
    for key in ("dataset", "split", "file_id"):
        value = metadata.get(key)
        if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
            message = "must be text" if key != "file_id" else "must be a whole number or text"
            raise FieldFault(("metadata", key), message + " and cannot be missing", value, "type")
        id_parts.append(str(value))
    origin = checked_name("-".join(id_parts), ("metadata", "file_id"))
    if "turns" not in metadata:
        return origin, origin
    turns = metadata["turns"]
    if not isinstance(turns, list) or not turns or not all(_is_int(number) for number in turns):
        raise FieldFault(("metadata", "turns"), "must be a list of whole numbers", turns, "type")
    return origin, checked_name("-".join([origin, *map(str, turns)]), ("metadata", "turns"))


def _is_dialogue(metadata: dict[str, Any], references: list[Any]) -> bool:
    """Whether source lines are turns: meeting turns are numbered, or speakers are asked for."""
    if "turns" in metadata:
        return True
    controls = (raw.get("control_attribute") for raw in references if isinstance(raw, dict))
    return any(isinstance(c, dict) and not {"speaker", "Speaker"}.isdisjoint(c) for c in controls)


def parse_turn(line: str) -> Segment:
    """The segment of a dialogue line `Speaker : text`, split at the first colon; "raw" stores lines that turn_line
    could not restore."""
    speaker, colon, text = line.partition(":")
    if not colon:
        return {"speaker": "", "text": line}
    segment = {"speaker": speaker.strip(), "text": text.removeprefix(" ")}
    if turn_line(segment) != line:
        segment["raw"] = line
    return segment


def parse_sentence(line: str) -> Segment:
    """The segment of a document line."""
    return {"speaker": "", "text": line}


def turn_line(segment: Segment) -> str:
    """The line of a `source` list for a segment; inverse of parse_turn and parse_sentence."""
    if "raw" in segment:
        return str(segment["raw"])
    return f"{segment['speaker']} : {segment['text']}" if segment["speaker"] else str(segment["text"])


def _parse_reference(raw: object, number: int, n_segments: int, schema: Schema | None) -> ReferenceRecord:
    path: tuple[str | int, ...] = ("references", number)
    if not isinstance(raw, dict):
        raise FieldFault(path, "must be an object", raw, "type")
    control = _require_value(raw, (*path, "control_attribute"), dict)
    summary = _require_value(raw, (*path, "summary"), str)
    title = _require_value(raw, (*path, "title"), str) if "title" in raw else ""
    relevant = _require_value(raw, (*path, "relevant_turns"), list) if "relevant_turns" in raw else []
    extra = {key: value for key, value in raw.items() if key not in REFERENCE_KEYS}
    if absent := [key for key in REFERENCE_KEYS if key not in raw]:
        extra["_absent"] = absent
    return ReferenceRecord(
        position=number,
        attributes=_parse_attributes(control, (*path, "control_attribute"))
        if schema is None
        else fit_attributes(control, (*path, "control_attribute"), schema),
        raw_attributes=control,
        summary=summary,
        title=title,
        relevant_segments=relevant,
        out_of_range=_find_out_of_range(relevant, n_segments, (*path, "relevant_turns")),
        raw_extra=extra,
    )


def _parse_attributes(control: dict[str, Any], path: tuple[str | int, ...]) -> dict[str, Any]:
    """The requested values in MACSum's terms: `fully` -> `full`, names split into lists, `Speaker` -> `speaker`."""
    attributes: dict[str, Any] = {}
    for raw_key, raw in control.items():
        key = "speaker" if raw_key == "Speaker" else raw_key
        if key in attributes:
            raise FieldFault((*path, raw_key), "stands twice, as speaker and as Speaker", raw, "doubled_key")
        if key in LIST_KEYS:
            attributes[key] = _parse_names(raw, (*path, raw_key))
        elif key in MACSUM_VALUES:
            value = "full" if key == "extractiveness" and raw == "fully" else raw
            if not isinstance(value, str):
                raise FieldFault((*path, raw_key), "must be text", raw, "type")
            if value not in MACSUM_VALUES[key]:
                raise FieldFault((*path, raw_key), f"must be one of {', '.join(MACSUM_VALUES[key])}", raw)
            attributes[key] = value
        else:
            attributes[key] = raw
    return attributes


def fit_attributes(control: dict[str, Any], path: tuple[str | int, ...], schema: Schema) -> dict[str, Any]:
    """The requested values in the terms of a schema; a value or key that it does not know stays as it is.

    Raises FieldFault for a list that is neither text nor a list of texts, and for an attribute that occurs twice.
    """
    attributes: dict[str, Any] = {}
    for raw_key, raw in control.items():
        key = "speaker" if raw_key == "Speaker" and schema.find("Speaker") is None else raw_key
        if key in attributes:
            raise FieldFault((*path, raw_key), "stands twice, as speaker and as Speaker", raw, "doubled_key")
        attribute = schema.find(key)
        if attribute is None:
            attributes[key] = raw
        elif attribute.has_values:
            attributes[key] = fit_value(attribute, raw)
        else:
            attributes[key] = _parse_names(raw, (*path, raw_key))
    return attributes


def _parse_names(raw: object, path: tuple[str | int, ...]) -> list[str]:
    if isinstance(raw, str):
        return split_names(raw)
    if isinstance(raw, list) and all(isinstance(name, str) for name in raw):
        return list(raw)
    raise FieldFault(path, "must be text, names separated by commas", raw, "type")


def split_names(text: str) -> list[str]:
    """`a , b ; c ( d , e )` -> [a, b, c ( d , e )]: commas and semicolons separate names, except inside brackets and
    between digits."""
    borders = [match.start() for match in _BORDER.finditer(text)]
    outside = [at for at in borders if text.count("(", 0, at) <= text.count(")", 0, at)]
    if text.count("(") != text.count(")"):
        outside = borders
    names, start = [], 0
    for at in [*outside, len(text)]:
        names.append(text[start:at].strip())
        start = at + 1
    return [name for name in names if name]


def _find_out_of_range(relevant: list[Any], n_segments: int, path: tuple[str | int, ...]) -> list[Any]:
    """The spans outside the source (the release has 42) or reversed; raises FieldFault for other shapes."""
    flagged = []
    for index, span in enumerate(relevant):
        pair = [span, span] if _is_int(span) else span
        if not isinstance(pair, list) or len(pair) != 2 or not all(_is_int(end) for end in pair):
            raise FieldFault((*path, index), "must be a whole number or a pair [first, last]", span, "type")
        if not 0 <= pair[0] <= pair[1] < n_segments:
            flagged.append(span)
    return flagged


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


T = TypeVar("T")
_TYPE_NAMES: dict[type, str] = {dict: "an object", list: "a list", str: "text"}


def _require_value(holder: dict[str, Any], path: tuple[str | int, ...], kind: type[T]) -> T:
    """The value of the last key in the path; raises FieldFault when it is missing or of another type."""
    key = str(path[-1])
    if key not in holder:
        raise FieldFault(path, "is missing", "", "missing")
    value = holder[key]
    if not isinstance(value, kind):
        raise FieldFault(path, f"must be {_TYPE_NAMES[kind]}", value, "type")
    return value

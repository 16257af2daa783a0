"""Detects the format of a file by its content, and reads sources of any format."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from annotation.formats.csvfile import cell_starts, detect_delimiter, read_csv
from annotation.formats.elements import read_entries
from annotation.formats.epitome1 import FORMAT, EpitomeLine, read_epitome1, source_record
from annotation.formats.faults import Fault, FieldFault, LeftOut
from annotation.formats.fields import CNN_DAILYMAIL, RowReader
from annotation.formats.jsonl import read_jsonl
from annotation.formats.macsum import MACSUM_VALUES, read_macsum
from annotation.formats.qmsum import MAX_WORDS, read_qmsum
from annotation.formats.reading import InputFile, Progress, UnreadableFile, empty_file_fault, input_file
from annotation.formats.records import SourceRecord, split_of_name
from annotation.formats.row_table import join_references, line_of, read_table
from annotation.formats.rows import ROW_KINDS, stem_of
from annotation.formats.sniff import find_container, refuse_wrong_kind
from annotation.formats.stories import HIGHLIGHT_MARK, is_archive, read_stories
from annotation.formats.tool_exports import recognize_export
from annotation.schema import Schema

if TYPE_CHECKING:
    from annotation.formats.text_lookup import TextLookup

PLAIN_FORMATS = ("macsum", "qmsum", "epitome-1", "story")
FORMATS = (*PLAIN_FORMATS, *ROW_KINDS)
HEAD = 1 << 20
MAX_EXAMINED = 20
Item = SourceRecord | Fault | LeftOut


def detect_format(path: str | Path, name: str | None = None, mapping: Mapping[str, str] | None = None) -> str:
    """One of FORMATS, by content. Raises UnreadableFile with a fault that quotes what was found instead."""
    file = input_file(path, name)
    magic = file.magic()
    if container := find_container(file, magic):
        return container
    if is_archive(magic):
        return "story"
    refuse_wrong_kind(file, magic)
    head = file.head(HEAD)
    if not head:
        raise UnreadableFile(empty_file_fault(file))
    if head[:1] in b"{[":
        return _json_format(file, head[:1] == b"[")
    text = head.decode("utf-8", "replace")
    if any(line.strip() == HIGHLIGHT_MARK for line in text.split("\n")):
        return "story"
    header = text.split("\n", 1)[0]
    ending = file.name.lower().rsplit(".", 1)[-1]
    if _is_header(header, mapping) or ending in ("csv", "tsv"):
        return "csv"
    if ending in ("txt", "md"):
        return "text"
    if b"\n{" in head:
        return "jsonl"
    if len(cell_starts(header, detect_delimiter(header))) > 1:
        return "csv"
    if ending in ("json", "jsonl") or "\ufffd" in text[:-4] or any(char < " " and not char.isspace() for char in text):
        message = "is in no known format: neither a text in UTF-8, nor JSON, nor a table with a header"
        raise UnreadableFile(file.fault(message, line=1, column=1, value=header[:80], code="format", fatal=True))
    return "text"


def _is_header(line: str, mapping: Mapping[str, str] | None) -> bool:
    """Whether a line is a table's header: one of its cells has a name that a source needs."""
    known_names = {"id", "text", *CNN_DAILYMAIL.values(), *(mapping or {}).values()}
    cells = line.strip("\r").split(detect_delimiter(line))
    return len(cells) > 1 and any(cell.strip('" ') in known_names for cell in cells)


def _json_format(file: InputFile, array: bool) -> str:
    """The format of a JSON file, by the keys of its first valid entries."""
    last_fault: Fault | None = None
    for item in islice(read_entries(file), MAX_EXAMINED):
        if isinstance(item, Fault):
            last_fault = item
            continue
        entry = item[1]
        if entry.get("format") == FORMAT:
            return "epitome-1"
        if tool := recognize_export(entry):
            return tool
        if "meeting_transcripts" in entry or "topic_list" in entry:
            return "qmsum"
        macsum_keys = {"metadata", "source", "references"} & entry.keys()
        if ("source" in macsum_keys and len(macsum_keys) > 1) or (array and macsum_keys):
            return "macsum"
        return "json" if array else "jsonl"
    if array and last_fault is None:
        raise UnreadableFile(empty_file_fault(file))
    return "macsum" if array else "jsonl"


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How a file is read.

    format: one of FORMATS or auto. split: of all sources; None leaves it to the rows and the file's name. mapping:
    {our field: their key} for JSON lines and tables. max_words: longer units are LeftOut; "default" is 5,000 for QMSum
    and none for the others. values: allowed values per attribute of MACSum references. schema: what their attributes
    are instead, see read_macsum. cut: False leaves the texts of JSON lines in one piece (SourceRecord.text). skipped:
    columns that are not stored. row_ids: ids are made from the file's name and the row numbers. exact_mapping: fields
    that the mapping does not name are not read. texts: texts of another file, for rows without one.
    """

    format: str = "auto"
    split: str | None = None
    with_references: bool = False
    mapping: Mapping[str, str] | None = None
    max_words: int | Literal["default"] | None = "default"
    values: Mapping[str, Collection[str]] | None = field(default_factory=lambda: MACSUM_VALUES)
    schema: Schema | None = None
    cut: bool = True
    skipped: Collection[str] = ()
    row_ids: bool = False
    exact_mapping: bool = False
    texts: TextLookup | None = None


def read_sources(
    path: str | Path, options: ReadOptions | None = None, *, name: str | None = None, progress: Progress | None = None
) -> Iterator[Item]:
    """Yields every unit of a file in order: exactly one record, fault or left-out unit for each unit read, so that
    `read` is the number of items.

    name: the file name shown to users. An id met twice is a Fault; so is a file that cannot be read. Raises ValueError
    only for an unknown format or an unusable mapping.
    """
    options = options or ReadOptions()
    file = input_file(path, name, progress)
    if options.format != "auto" and options.format not in FORMATS:
        raise ValueError(f"format {options.format!r} is not known; use auto or one of {', '.join(FORMATS)}")
    places: dict[str, str] = {}
    any_read = False
    try:
        is_auto = options.format == "auto"
        chosen_format = detect_format(path, name, options.mapping) if is_auto else options.format
        default_limit = MAX_WORDS if chosen_format == "qmsum" else None
        limit = default_limit if options.max_words == "default" else options.max_words
        for item in _read_items(file, chosen_format, limit, options):
            any_read = True
            if isinstance(item, SourceRecord):
                if item.external_id in places:
                    yield _doubled_id_fault(file, item, places[item.external_id])
                    continue
                places[item.external_id] = item.place
                if limit is not None and item.n_words > limit:
                    reason = f"{item.n_words:,} words, more than {limit:,}"
                    yield LeftOut(f"{file.name}, {item.place}", reason, item.external_id, item.n_words)
                    continue
            yield item
        if not any_read:
            yield empty_file_fault(file)
    except UnreadableFile as error:
        yield error.fault


def read_rows_alone(path: str | Path, options: ReadOptions, *, name: str | None = None) -> Iterator[Item]:
    """The sources of a file with columns, each row by itself: rows of one id are not joined. options.format: one of
    ROW_KINDS. Raises UnreadableFile, and ValueError for an unusable mapping."""
    return _read_rows(input_file(path, name), options.format, options)


def _read_items(file: InputFile, chosen_format: str, max_words: int | None, options: ReadOptions) -> Iterator[Item]:
    split = options.split
    if chosen_format == "macsum":
        return read_macsum(file, split, options.with_references, options.values, options.schema)
    if chosen_format == "qmsum":
        return read_qmsum(file, split, max_words)
    if chosen_format == "story":
        return read_stories(file, split)
    if chosen_format == "epitome-1":
        return _epitome_sources(file, split)
    if "summary" in (options.mapping or {}):
        return join_references(file, lambda: _read_rows(file, chosen_format, options))
    return _read_rows(file, chosen_format, options)


def _read_rows(file: InputFile, chosen_format: str, options: ReadOptions) -> Iterator[Item]:
    """The sources of a file with columns."""
    stem = stem_of(file.name) if options.row_ids else ""
    row_reader = RowReader(
        options.mapping,
        options.split,
        split_of_name(file.name),
        options.cut if chosen_format != "csv" else True,
        skipped=options.skipped,
        row_ids=stem,
        exact_mapping=options.exact_mapping,
        texts=options.texts,
    )
    if chosen_format == "csv":
        return read_csv(file, row_reader=row_reader)
    if chosen_format == "jsonl":
        return read_jsonl(file, row_reader=row_reader)
    return read_table(file, chosen_format, row_reader)


def _epitome_sources(file: InputFile, split: str | None) -> Iterator[Item]:
    """The sources of an Epitome export; annotation lines are skipped (another importer reads them)."""
    for item in read_epitome1(file):
        if isinstance(item, EpitomeLine):
            if item.data["task"] != "source":
                continue
            try:
                yield source_record(item, split)
            except FieldFault as error:
                yield item.spot.fault(error)
        else:
            yield item


def _doubled_id_fault(file: InputFile, item: SourceRecord, first: str) -> Fault:
    message = f"the id stands twice in the file, first at {first}"
    return file.fault(message, line=line_of(item.place), field="id", value=item.external_id, code="doubled_id")


__all__ = ["FORMATS", "Item", "ReadOptions", "detect_format", "read_sources"]

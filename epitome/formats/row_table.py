"""Sources of files that are read as rows, and the joining of rows of one id to one source."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from epitome.formats.answers import REPEATED
from epitome.formats.cell_markup import decode_cells
from epitome.formats.computed import Computed, describe_computed
from epitome.formats.faults import FieldFault
from epitome.formats.fields import RowReader
from epitome.formats.notes import Notes
from epitome.formats.options import ImportOptions
from epitome.formats.reading import InputFile
from epitome.formats.records import ReferenceRecord, SourceRecord, Unit, json_text
from epitome.formats.row_references import AUTHOR, add_metadata
from epitome.formats.rows import MISSING_WORDS, Rows, build_units

_TEXT_FIELDS = ("id", "text", "title", "origin_id", "split", "licence")
_TYPED_FIELDS = ("text", "title", "summary", "summary_title")
"""What a person wrote; no formula gives it but as a text."""
_ABSENT = object()


def read_row_sources(
    file: InputFile, rows: Rows, options: ImportOptions, *, is_typed: bool, has_markup: bool = True
) -> Iterator[Unit]:
    """The sources of rows; exactly one item per row. is_typed: cells have types, so that a number in a column of texts
    counts as text, and an empty cell as none. has_markup: columns of texts may hold entities and tags. Raises
    UnreadableFile, and ValueError for an unusable mapping."""
    reader = RowReader(file.data_name, options, file.notes)
    if has_markup:
        rows = decode_cells(rows, reader.list_text_columns(), file.notes)
    if not is_typed:
        return build_units(rows, reader.build_record)
    return build_units(rows, lambda row: reader.build_record(replace(row, values=_numbers_as_text(row.values, reader))))


def _numbers_as_text(values: dict[str, Any], reader: RowReader) -> dict[str, Any]:
    """The row with numbers as texts where texts belong. Raises FieldFault for the result of a formula."""
    row = dict(values)
    for name in _TYPED_FIELDS:
        column = reader.names.get(name) or reader.reference_names.get(name)
        if column in row and isinstance(row[column], Computed):
            raise FieldFault((column,), describe_computed(row[column]), code="formula")
    text_columns = [reader.names[name] for name in _TEXT_FIELDS if name in reader.names]
    for column in [*text_columns, *reader.reference_names.values()]:
        if column in row and isinstance(row[column], int | float) and not isinstance(row[column], bool):
            row[column] = str(row[column])
        value = row.get(column)
        if isinstance(value, str) and (value == "" or value in MISSING_WORDS) and column != reader.id_key:
            row[column] = None
    return row


class RowsRepeat(Exception):
    """Several rows of a file are about one source, so that it must be read by join_rows."""


def join_rows(file: InputFile, read: Callable[[InputFile], Iterator[Unit]], *, by_text: bool) -> Iterator[Unit]:
    """The sources of a file in which rows of one id and text are one source with the references of all.

    by_text: ids are made up, so that rows of one text are one source. Metadata in which rows of a source differ is
    that of their references, in the whole file; the source keeps it as lists where its rows have no references or
    all the same. A reference that further rows repeat is one. Reads the file twice, so that only the references are
    in memory. A row of the same id with another text is a fault that names both places.
    """
    joined = _JoinedRows(by_text)
    for item in read(replace(file, progress=None, notes=Notes())):
        if isinstance(item, SourceRecord):
            joined.add(item)
    given: set[str] = set()
    for item in read(file):
        if not isinstance(item, SourceRecord):
            yield item
            continue
        key = joined.key_of(item)
        content_hash, first_place = joined.first_seen[key]
        if content_hash != item.content_hash:
            message = f"has the id of {first_place} with another text; give it another id, or the same text"
            if is_rounded(item.external_id):
                message = f"has the id of {first_place}: a spreadsheet rounded both; format the column as text there"
            yield file.fault(message, line=line_of(item.place), field="id", value=item.external_id, code="doubled_id")
        elif key not in given:
            given.add(key)
            yield joined.build_source(item)
        elif not item.references and not item.left_out:
            file.notes.add("is about the source of an earlier row and read with it", item.place)


@dataclass(slots=True)
class _JoinedRow:
    """What a row adds to its source."""

    metadata_json: str
    split: str
    references: list[ReferenceRecord]
    left_out: Mapping[str, int]


@dataclass(slots=True)
class _JoinedRows:
    """The rows of each source. varying: names of metadata in which rows of one source differ."""

    by_text: bool
    first_seen: dict[str, tuple[str, str]] = field(default_factory=dict)
    rows: dict[str, list[_JoinedRow]] = field(default_factory=dict)
    varying: set[str] = field(default_factory=set)

    def key_of(self, item: SourceRecord) -> str:
        """What rows of one source have in common."""
        return item.content_hash if self.by_text else item.external_id

    def add(self, item: SourceRecord) -> None:
        key = self.key_of(item)
        content_hash, _place = self.first_seen.setdefault(key, (item.content_hash, item.place))
        if content_hash != item.content_hash:
            return
        rows = self.rows.setdefault(key, [])
        if rows and rows[0].metadata_json != item.metadata_json:
            first, other = json.loads(rows[0].metadata_json), json.loads(item.metadata_json)
            names = first.keys() | other.keys()
            self.varying |= {name for name in names if first.get(name, _ABSENT) != other.get(name, _ABSENT)}
        rows.append(_JoinedRow(item.metadata_json, item.split, item.references, item.left_out))

    def build_source(self, item: SourceRecord) -> SourceRecord:
        """The source of a first row with the references of all its rows."""
        rows = self.rows[self.key_of(item)]
        if len(rows) == 1 and not self.varying:
            return item
        if _bring_the_same(rows):  # what differs in them is not about their references
            metadata_json = self._join_metadata(rows, with_varying=True)
            left_out = sum(
                (Counter(row.left_out) for row in rows), Counter({REPEATED: len(rows[0].references) * (len(rows) - 1)})
            )
            return replace(item, metadata_json=metadata_json, left_out=left_out)
        references = [reference for row in rows for reference in self._read_references(row, item.split)]
        left_out = sum((Counter(row.left_out) for row in rows), Counter[str]())
        distinct = _join_repeated(references)
        if len(distinct) < len(references):
            left_out[REPEATED] += len(references) - len(distinct)
        metadata_json = self._join_metadata(rows, with_varying=not references)
        return replace(item, references=distinct, metadata_json=metadata_json, left_out=left_out)

    def _read_references(self, row: _JoinedRow, split: str) -> list[ReferenceRecord]:
        metadata: dict[str, Any] = {"split": row.split} if row.split != split else {}
        if self.varying and row.references:
            values = json.loads(row.metadata_json)
            metadata |= {name: values[name] for name in values if name in self.varying}
        return add_metadata(row.references, metadata) if metadata else row.references

    def _join_metadata(self, rows: list[_JoinedRow], *, with_varying: bool) -> str:
        """The metadata that all rows share, and on request what varies, as lists in the order of the rows."""
        first = json.loads(rows[0].metadata_json)
        if not self.varying:
            return rows[0].metadata_json
        shared = {name: value for name, value in first.items() if name not in self.varying}
        if with_varying:
            values = [json.loads(row.metadata_json) for row in rows]
            for name in dict.fromkeys(name for row in values for name in row if name in self.varying):
                entries = [row.get(name) for row in values]
                is_same = all(entry == entries[0] for entry in entries)
                shared[name] = entries[0] if is_same else entries
        return json_text(shared) if shared else "{}"


def _bring_the_same(rows: list[_JoinedRow]) -> bool:
    """Whether several rows have the same references, such as those of a text beside the outputs of each system."""
    first = rows[0]
    return (
        len(rows) > 1
        and bool(first.references)
        and all(row.references == first.references and row.split == first.split for row in rows[1:])
    )


def _join_repeated(references: list[ReferenceRecord]) -> list[ReferenceRecord]:
    """References of rows, one for each text, title, request and author; metadata in which repetitions differ becomes
    lists. Positions count anew."""
    groups: dict[str, list[ReferenceRecord]] = {}
    for reference in references:
        author = reference.raw_extra.get(AUTHOR, "")
        key = json_text([reference.summary, reference.title, reference.raw_attributes, author])
        groups.setdefault(key, []).append(reference)
    return [replace(_join_group(group), position=index) for index, group in enumerate(groups.values())]


def _join_group(group: list[ReferenceRecord]) -> ReferenceRecord:
    if len(group) == 1:
        return group[0]
    metadata: dict[str, Any] = {}
    for name in dict.fromkeys(name for reference in group for name in reference.raw_extra):
        entries = [reference.raw_extra.get(name) for reference in group]
        metadata[name] = entries[0] if all(entry == entries[0] for entry in entries) else entries
    return replace(group[0], raw_extra=metadata)


_ROUNDED = re.compile(r"\d([.,]\d+)?E\+\d+")


def is_rounded(external_id: str) -> bool:
    """Whether an id looks like a long number that a spreadsheet rounded, such as 1.23457E+12."""
    return "E+" in external_id and _ROUNDED.fullmatch(external_id) is not None


def line_of(place: str) -> int | None:
    """The line or row number that a place begins with."""
    words = place.split(",", 1)[0].split()
    is_numbered = len(words) == 2 and words[0] in ("line", "row") and words[1].isdigit()
    return int(words[1]) if is_numbered else None

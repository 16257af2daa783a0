"""Sources of files that are read as rows (rows.py), and the joining of rows of one id to one source."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from annotation.formats.faults import Fault, FieldFault, LeftOut, path_text
from annotation.formats.fields import RowReader
from annotation.formats.reading import InputFile
from annotation.formats.records import ReferenceRecord, SourceRecord, json_text
from annotation.formats.row_references import add_metadata
from annotation.formats.rows import TableRow, read_rows

Item = SourceRecord | Fault | LeftOut
_TEXT_FIELDS = ("id", "text", "title", "origin_id", "split", "licence")
_ABSENT = object()
LOOSE_KINDS = ("parquet", "arrow", "excel", "zip", "json", "label-studio", "doccano", "argilla", "potato")
"""Kinds whose numbers in text columns count as texts."""


def read_table(file: InputFile, kind: str, row_reader: RowReader) -> Iterator[Item]:
    """Sources of a file of one of ROW_KINDS; exactly one item per row. Raises UnreadableFile."""
    for item in read_rows(file, kind):
        if isinstance(item, Fault):
            yield item
            continue
        try:
            row = _numbers_as_text(item, row_reader) if kind in LOOSE_KINDS else dict(item.values)
            yield row_reader.record(row, item.place)
        except FieldFault as error:
            yield file.fault(
                error.message, line=item.line, field=path_text(error.path), value=error.value, code=error.code
            )


def _numbers_as_text(item: TableRow, row_reader: RowReader) -> dict[str, object]:
    row = dict(item.values)
    text_columns = [row_reader.names.get(name) for name in _TEXT_FIELDS]
    for column in [*text_columns, *row_reader.reference_names.values()]:
        if column in row and isinstance(row[column], int | float) and not isinstance(row[column], bool):
            row[column] = str(row[column])
        if column in row and row[column] == "" and column != row_reader.id_key:
            row[column] = None
    return row


def join_references(file: InputFile, read: Callable[[], Iterator[Item]]) -> Iterator[Item]:
    """The sources of a file in which rows of one id and text are one source with several references.

    Metadata in which rows of a source differ is that of their references, in the whole file. Reads the file twice, so
    that only the references are in memory. A row of the same id with another text is a fault that names both places.
    """
    joined = _JoinedRows()
    for item in read():
        if isinstance(item, SourceRecord):
            joined.add(item)
    given: set[str] = set()
    for item in read():
        if not isinstance(item, SourceRecord):
            yield item
            continue
        content_hash, first_place = joined.first_seen[item.external_id]
        if content_hash != item.content_hash:
            message = f"has the id of {first_place} with another text; give it another id, or the same text"
            yield file.fault(message, line=line_of(item.place), field="id", value=item.external_id, code="doubled_id")
        elif item.external_id not in given:
            given.add(item.external_id)
            yield joined.build_source(item)


@dataclass
class _JoinedRows:
    """The references of each source, with the metadata and split of their rows. varying: names of metadata in which
    rows of one source differ."""

    first_seen: dict[str, tuple[str, str]] = field(default_factory=dict)
    rows: dict[str, list[tuple[str, str, list[ReferenceRecord]]]] = field(default_factory=dict)
    varying: set[str] = field(default_factory=set)

    def add(self, item: SourceRecord) -> None:
        content_hash, _place = self.first_seen.setdefault(item.external_id, (item.content_hash, item.place))
        if content_hash != item.content_hash:
            return
        rows = self.rows.setdefault(item.external_id, [])
        if rows and rows[0][0] != item.metadata_json:
            first, other = json.loads(rows[0][0]), json.loads(item.metadata_json)
            names = first.keys() | other.keys()
            self.varying |= {name for name in names if first.get(name, _ABSENT) != other.get(name, _ABSENT)}
        rows.append((item.metadata_json, item.split, item.references))

    def build_source(self, item: SourceRecord) -> SourceRecord:
        """The source of a first row with the references of all its rows."""
        references: list[ReferenceRecord] = []
        for metadata_json, split, row_references in self.rows[item.external_id]:
            row_metadata = {"split": split} if split != item.split else {}
            if self.varying:
                metadata = json.loads(metadata_json)
                row_metadata |= {name: metadata[name] for name in metadata if name in self.varying}
            references += add_metadata(row_references, row_metadata)
        references = [replace(reference, position=number) for number, reference in enumerate(references)]
        if not self.varying:
            return replace(item, references=references)
        shared = {name: value for name, value in json.loads(item.metadata_json).items() if name not in self.varying}
        return replace(item, references=references, metadata_json=json_text(shared) if shared else "{}")


def line_of(place: str) -> int | None:
    """The line or row number that a place begins with."""
    words = place.split(",", 1)[0].split()
    is_numbered = len(words) == 2 and words[0] in ("line", "row") and words[1].isdigit()
    return int(words[1]) if is_numbered else None

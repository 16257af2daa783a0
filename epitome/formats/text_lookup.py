"""Texts of another file, joined to rows by id: for tables of summaries that do not hold the documents themselves."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from typing import Any

from epitome.formats.cell_values import parse_cell
from epitome.formats.columns import read_table_head
from epitome.formats.faults import Fault, FieldFault
from epitome.formats.guess import guess_mapping
from epitome.formats.reading import InputFile, UnreadableFile
from epitome.formats.registry import FORMATS, detect_format, has_columns
from epitome.formats.transcripts import join_turns

FIELDS = ("text", "segments", "title", "origin_id")
"""What is taken of a row of the other file."""


class TextLookup:
    """The rows of a file by their id; texts are in a temporary file, so that memory holds ids alone."""

    def __init__(self, file: InputFile) -> None:
        """Read the file. Raises UnreadableFile: no rows, no id or no text in them, an id twice with another text."""
        self.name = file.name
        self._places: dict[str, tuple[int, int]] = {}
        self._stream = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the lookup
        kind = detect_format(file)
        if not has_columns(kind):
            message = f"is {kind}, not a table; the texts must be in JSON lines or CSV with the columns id and text"
            raise file.unreadable(message, code="format")
        head = read_table_head(file, kind)
        columns = guess_mapping(head.rows, head.columns)
        if "id" not in columns or not {"text", "segments"} & columns.keys():
            column_names = ", ".join(head.columns[:12]) or "none"
            message = f"must have a column of ids and one of texts, such as id and text; its columns are {column_names}"
            raise file.unreadable(message, line=1, code="header")
        for row in FORMATS[kind].read_rows(file):
            if isinstance(row, Fault):
                raise UnreadableFile(row)
            try:
                self._add(file, row.values, row.spot.line, columns)
            except FieldFault as error:
                raise UnreadableFile(row.spot.fault(error)) from error

    def _add(self, file: InputFile, row: Mapping[str, Any], line: int | None, columns: Mapping[str, str]) -> None:
        name = row.get(columns["id"])
        if isinstance(name, bool) or not isinstance(name, str | int) or name == "":
            raise UnreadableFile(file.fault("has no id", line=line, field=columns["id"], value=name, code="missing"))
        values = {field: row[columns[field]] for field in FIELDS if field in columns and row.get(columns[field])}
        if "segments" in values and "speakers" in columns:
            names = columns["segments"], columns["speakers"]
            values["segments"] = join_turns(parse_cell(row[names[0]]), parse_cell(row.get(names[1])), *names)
        data = json.dumps(values, ensure_ascii=False, sort_keys=True).encode("utf-8", "surrogatepass")
        key = str(name)
        if key in self._places:
            if self._read(key) != data:
                message = "the id stands twice with different texts"
                raise UnreadableFile(file.fault(message, line=line, field=columns["id"], value=key, code="doubled_id"))
            return
        self._places[key] = (self._stream.seek(0, 2), len(data))
        self._stream.write(data)

    def _read(self, key: str) -> bytes:
        start, size = self._places[key]
        self._stream.seek(start)
        return self._stream.read(size)

    def find(self, name: str) -> dict[str, Any] | None:
        """{"text" or "segments", maybe "title" and "origin_id"} of an id; None where the file does not have it."""
        if name not in self._places:
            return None
        values: dict[str, Any] = json.loads(self._read(name))
        return values

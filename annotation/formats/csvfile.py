"""Reads tables: a header, then one source per row, delimited by comma, semicolon or tab; cells may hold line breaks."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from annotation.formats.faults import Fault, FieldFault, LeftOut
from annotation.formats.fields import CNN_DAILYMAIL, RowReader
from annotation.formats.reading import LINE_LIMIT, InputFile, read_lines
from annotation.formats.records import SourceRecord, split_of_name

CELL_LIMIT = 131_072
"""Characters. An unclosed quote would consume the rest of the file; this limit stops early and gives the position."""
DELIMITERS = (",", ";", "\t")
_YES, _NO = ("true", "yes", "1"), ("false", "no", "0")
_OPTIONAL = ("title", "origin_id", "split", "licence", "may_release_text")


def read_csv(
    file: InputFile,
    split: str | None = None,
    mapping: Mapping[str, str] | None = None,
    line_limit: int = LINE_LIMIT,
    row_reader: RowReader | None = None,
) -> Iterator[SourceRecord | Fault | LeftOut]:
    """Sources of a table; exactly one item per row. All cells are text; empty ones of optional fields count as absent.

    Raises UnreadableFile, and ValueError for an unusable mapping.
    """
    row_reader = row_reader or RowReader(mapping, split, split_of_name(file.name))
    table = _Table(file, line_limit)
    header: list[str] | None = None
    for item in table.rows():
        if isinstance(item, Fault):
            yield item
            if item.fatal or header is None:
                return
        elif header is None:
            header = item
            if fault := _find_header_fault(table, header, row_reader):
                yield fault
                return
        else:
            yield _parse_row(table, header, item, row_reader)


def read_table_rows(file: InputFile) -> Iterator[tuple[int, dict[str, object]] | Fault]:
    """(line number, row) of a table, for its preview; a row with missing cells lacks their columns."""
    table = _Table(file, LINE_LIMIT)
    header: list[str] = []
    for item in table.rows():
        if isinstance(item, Fault):
            yield item
        elif not header:
            header = item
        else:
            yield table.line, dict(zip(header, item, strict=False))


def read_header(file: InputFile) -> list[str]:
    """The column names of a table; none where its first row cannot be read. Raises UnreadableFile."""
    first = next(_Table(file, LINE_LIMIT).rows(), None)
    return first if isinstance(first, list) else []


def _parse_row(table: _Table, header: list[str], cells: list[str], row_reader: RowReader) -> SourceRecord | Fault:
    if len(cells) != len(header):
        message = f"the row has {len(cells)} cells, the header has {len(header)}"
        return table.fault(message, min(len(header), len(cells)), "", "", "ragged")
    for number, cell in enumerate(cells):
        if len(cell) > CELL_LIMIT:
            return table.fault(_CELL_TOO_LONG, number, header[number], cell, "cell_too_long")
    row: dict[str, object] = dict(zip(header, cells, strict=True))
    try:
        for field in _OPTIONAL:
            key = row_reader.names.get(field)
            if key in row and row[key] == "":
                row[key] = None
        _convert_permission(row, row_reader.names.get("may_release_text", ""))
        return row_reader.record(row, f"line {table.line}")
    except FieldFault as error:
        name = str(error.path[0])
        number = header.index(name) if name in header else 0
        return table.fault(error.message, number, name, error.value, error.code)


def _convert_permission(row: dict[str, object], key: str) -> None:
    """Converts the text of a yes/no cell to a bool, in place."""
    word = row.get(key)
    if isinstance(word, str):
        if word.lower() not in (*_YES, *_NO):
            raise FieldFault((key,), "must be true or false", word)
        row[key] = word.lower() in _YES


def _find_header_fault(table: _Table, header: list[str], row_reader: RowReader) -> Fault | None:
    for number, name in enumerate(header):
        if not name.strip():
            return table.fault("a column of the header has no name", number, "", "", "header", fatal=True)
        if name in header[:number]:
            return table.fault("two columns have this name", number, name, name, "header", fatal=True)
    first = [] if row_reader.row_ids else [row_reader.id_key]
    text_column = row_reader.text_key
    if "text" not in row_reader.mapped and text_column not in header and CNN_DAILYMAIL["text"] in header:
        text_column = CNN_DAILYMAIL["text"]
    needed = [*first, *([] if row_reader.texts is not None else [text_column]), *row_reader.mapped_columns]
    for name in needed:
        if name not in header:
            message = f"the header has no column {name}; name the column in a mapping, or add a header line"
            return table.fault(message, 0, name, ", ".join(header), "header", fatal=True)
    return None


_CELL_TOO_LONG = (
    f"the cell that starts here is longer than {CELL_LIMIT:,} characters: close its quote, or use JSON lines"
)


class _Table:
    """Reads rows and keeps the lines of the current row, so that a fault can name the position of its cell."""

    def __init__(self, file: InputFile, line_limit: int) -> None:
        self.file = file
        self.line_limit = line_limit
        self.delimiter = ","
        self.pending: list[tuple[int, str]] = []
        self.size = 0
        self.faults: list[Fault] = []
        self.flaw: Fault | None = None

    @property
    def line(self) -> int:
        """The line on which the current row starts."""
        return self.pending[0][0] if self.pending else 1

    def rows(self) -> Iterator[list[str] | Fault]:
        """The cells of each row that is not blank; one fault for each that cannot be read."""
        source = self._feed_lines()
        first = next(source, None)
        if first is None:
            yield from self.faults
            return
        self.delimiter = detect_delimiter(first)
        reader = csv.reader(_with_first(first, source), delimiter=self.delimiter, strict=True)
        while True:
            try:
                cells = next(reader, None)
            except csv.Error as error:
                yield from self._told()
                fault = self._broken(error)
                yield fault
                if fault.fatal:
                    return
                self._forget()
                continue
            yield from self._told()
            if cells is None:
                return
            if self.flaw is not None:
                yield self.flaw
            elif cells:
                yield cells
            self._forget()

    def fault(self, message: str, number: int, field: str, value: object, code: str, fatal: bool = False) -> Fault:
        """A fault at the start of a cell (counted from 0) of the current row; past the last one: at the row's end."""
        text = "\n".join(line for _, line in self.pending)
        starts = cell_starts(text, self.delimiter)
        offset = starts[number] if number < len(starts) else len(text)
        line = self.line + text.count("\n", 0, offset)
        column = offset - text.rfind("\n", 0, offset)
        return self.file.fault(message, line=line, column=column, field=field, value=value, code=code, fatal=fatal)

    def _told(self) -> Iterator[Fault]:
        yield from self.faults
        self.faults = []

    def _forget(self) -> None:
        self.pending, self.size, self.flaw = [], 0, None

    def _feed_lines(self) -> Iterator[str]:
        """Yields the lines as text for the csv module; encoding faults are recorded for the row they occur in."""
        for item in read_lines(self.file, self.line_limit, blank=True):
            if isinstance(item, Fault):
                self.faults.append(item)
                continue
            number, raw = item
            if not self.pending and raw in (b"", b"\r"):
                continue  # blank line between rows; skipping it here is faster than in the csv module
            try:
                text = raw.decode()
            except UnicodeDecodeError as error:
                text = raw.decode("utf-8", "replace")
                hex_bytes = "bytes " + raw[error.start : error.start + 4].hex(" ")
                self._note("is not UTF-8; save the file as UTF-8", number, error.start, hex_bytes, "encoding")
            if (at := text.find("\0")) >= 0:
                self._note("holds a NUL character, which cannot be stored", number, at, "\0", "character")
            self.pending.append((number, text.removesuffix("\r")))
            self.size += len(raw)
            if self.size > self.line_limit:
                raise csv.Error("a row is too long")
            yield text + "\n"

    def _note(self, message: str, line: int, offset: int, value: str, code: str) -> None:
        if self.flaw is None:
            self.flaw = self.file.fault(message, line=line, column=offset + 1, value=value, code=code)

    def _broken(self, error: csv.Error) -> Fault:
        """The fault for a csv.Error; fatal when a quote is open, since every later row would be misread."""
        error_text = str(error)
        text = "\n".join(line for _, line in self.pending)
        starts = cell_starts(text, self.delimiter)
        if "end of data" in error_text:
            message = "the quote that opens here is never closed"
            return self.fault(message, len(starts) - 1, "", "", "quote", fatal=True)
        if "field larger" in error_text or "too long" in error_text:
            sizes = [end - start for start, end in pairwise([*starts, len(text)])]
            number = next((number for number, size in enumerate(sizes) if size > CELL_LIMIT), len(sizes) - 1)
            is_open = text.count('"') % 2 == 1 or "too long" in error_text
            return self.fault(_CELL_TOO_LONG, number, "", "", "cell_too_long", fatal=is_open)
        message = "a quote inside a cell must be doubled, and a line break must stand in quotes"
        stray_match = _STRAY[self.delimiter].search(text)
        at = 0 if stray_match is None else stray_match.start("mark")
        line, column = self.line + text.count("\n", 0, at), at - text.rfind("\n", 0, at)
        return self.file.fault(message, line=line, column=column, value=error_text, code="quote")


def _with_first(first: str, source: Iterator[str]) -> Iterator[str]:
    yield first
    yield from source


_SPECIAL = {mark: re.compile(f'["{mark}]') for mark in DELIMITERS}
# A quoted cell that is followed by something else than the next cell, or a carriage return outside of quotes.
_STRAY = {
    mark: re.compile(
        f'(?:(?:(?<=[{mark}\\n])|\\A)"[^"]*+(?:""[^"]*+)*+"(?=[^"{mark}\\n])|(?=\\r))(?P<mark>.)', re.DOTALL
    )
    for mark in DELIMITERS
}


def cell_starts(text: str, delimiter: str) -> list[int]:
    """Offset of each cell of one row; delimiters inside quotes do not count."""
    starts, quoted = [0], False
    for match in _SPECIAL[delimiter].finditer(text):
        if match.group() == '"':
            quoted = not quoted
        elif not quoted:
            starts.append(match.end())
    return starts


def detect_delimiter(header: str) -> str:
    """The delimiter that splits the header line into the most cells; a comma when there is none."""
    return max(DELIMITERS, key=lambda mark: (len(cell_starts(header, mark)), mark == ","))

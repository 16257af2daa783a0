"""The cells of delimited tables, row by row, with their places."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from epitome.formats.faults import Fault, FieldFault, TextFault, decode_utf8
from epitome.formats.reading import LINE_LIMIT, InputFile, Spot, read_lines
from epitome.formats.table_dialect import DELIMITERS, Dialect, SwallowedRows, cell_starts, find_dialect


@dataclass(frozen=True, slots=True)
class TableRow:
    """The cells of one row and its lines, from which the position of a cell is counted."""

    file: InputFile
    dialect: Dialect
    numbered: list[tuple[int, str]]
    cells: list[str]

    @property
    def line(self) -> int:
        """The line on which the row starts."""
        return self.numbered[0][0] if self.numbered else 1

    @property
    def text(self) -> str:
        return "\n".join(line for _number, line in self.numbered)

    def starts(self) -> list[int]:
        """Offset of each cell in the row's text."""
        if self.dialect.has_quotes:
            return cell_starts(self.text, self.dialect.delimiter)
        return [0, *(match.end() for match in re.finditer(re.escape(self.dialect.delimiter), self.text))]

    def fault(
        self, message: str, index: int, *, code: str, field: str = "", value: object = "", fatal: bool = False
    ) -> Fault:
        """A fault at the start of a cell (counted from 0); past the last one: at the row's end."""
        starts = self.starts()
        offset = starts[index] if index < len(starts) else len(self.text)
        return self.fault_at(offset, message, code=code, field=field, value=value, fatal=fatal)

    def fault_at(
        self, offset: int, message: str, *, code: str, field: str = "", value: object = "", fatal: bool = False
    ) -> Fault:
        """A fault at a character of the row."""
        line = self.line + self.text.count("\n", 0, offset)
        column = offset - self.text.rfind("\n", 0, offset)
        return self.file.fault(message, line=line, column=column, field=field, value=value, code=code, fatal=fatal)


@dataclass(frozen=True, slots=True)
class CellSpot:
    """The positions of the cells of a row; converts errors to faults."""

    row: TableRow
    header: list[str]

    @property
    def file(self) -> InputFile:
        return self.row.file

    @property
    def line(self) -> int:
        return self.row.line

    def fault(self, error: FieldFault) -> Fault:
        """The fault at the start of the cell of the error's column."""
        name = str(error.path[0])
        index = self.header.index(name) if name in self.header else 0
        return self.row.fault(error.message, index, field=name, value=error.value, code=error.code)


def read_cells(file: InputFile) -> Iterator[TableRow | Fault]:
    """Each row of a table that is not blank, the header first; one fault for each that cannot be read.

    Raises UnreadableFile.
    """
    dialect = find_dialect(file)
    file.remark_encoding()
    csv.field_size_limit(max(csv.field_size_limit(), LINE_LIMIT))
    if dialect.n_skipped and not dialect.is_declared:
        file.notes.add("lines above the header of the table are passed over")
    feed = _LineFeed(file, dialect)
    lines = iter(feed)
    first = next(lines, None)
    if first is None:
        yield from feed.faults
        return
    reader = csv.reader(
        chain([first], lines),
        delimiter=dialect.delimiter,
        quoting=csv.QUOTE_MINIMAL if dialect.has_quotes else csv.QUOTE_NONE,
        skipinitialspace=dialect.skips_blanks,
        strict=True,
    )
    swallowed = SwallowedRows(file, dialect)
    n_cells = 0
    while True:
        flaw: Fault | None = None
        cells: list[str] | None = []
        try:
            cells = next(reader, None)
        except csv.Error as error:
            flaw = _describe_csv_error(TableRow(file, dialect, feed.numbered, []), str(error))
        faults, numbered, bad_line = feed.take_row()
        yield from faults
        if cells is None:
            return
        if flaw is None and n_cells and len(numbered) > 1:
            flaw = _find_swallowed(TableRow(file, dialect, numbered, cells), swallowed, n_cells)
        if fault := flaw or bad_line:
            yield fault
            if flaw is not None and flaw.fatal:
                return
        elif cells:
            n_cells = n_cells or len(cells)
            yield TableRow(file, dialect, numbered, cells)


def _find_swallowed(row: TableRow, swallowed: SwallowedRows, n_cells: int) -> Fault | None:
    """The fault of a row of several lines that are rows of their own."""
    if not swallowed.has_swallowed([line for _number, line in row.numbered], n_cells):
        return None
    line_end = row.text.find("\n")
    offset = max(start for start in row.starts() if start < line_end)
    last_line = row.numbered[-1][0]
    message = (
        f"the quote that opens here ends only in line {last_line}, and the lines up to there look like rows: "
        "double the quotes of a text, or write the table with quotes around all texts"
    )
    return row.fault_at(offset, message, code="quote")


class _LineFeed:
    """The lines of a table for the csv module, which takes as many as a row has.

    numbered: those of the current row. faults: of lines that are left out. flaw: the first fault inside the row.
    """

    def __init__(self, file: InputFile, dialect: Dialect) -> None:
        self.file = file
        self.n_skipped = dialect.n_skipped
        self.numbered: list[tuple[int, str]] = []
        self.size = 0
        self.faults: list[Fault] = []
        self.flaw: Fault | None = None

    def take_row(self) -> tuple[list[Fault], list[tuple[int, str]], Fault | None]:
        """(faults, numbered, flaw) of the current row; the next line starts another."""
        row = (self.faults, self.numbered, self.flaw)
        self.faults, self.numbered, self.size, self.flaw = [], [], 0, None
        return row

    def __iter__(self) -> Iterator[str]:
        for item in read_lines(self.file, LINE_LIMIT, blank=True):
            if isinstance(item, Fault):
                self.faults.append(item)
                continue
            number, raw = item
            if not self.numbered and raw in (b"", b"\r"):
                continue  # a blank line between rows
            if self.n_skipped:
                self.n_skipped -= 1
                continue
            text = self._decode(number, raw)
            self.numbered.append((number, text.removesuffix("\r")))
            self.size += len(raw)
            if self.size > LINE_LIMIT:
                raise csv.Error("a row is too long")
            yield text + "\n"

    def _decode(self, number: int, raw: bytes) -> str:
        """The text of a line; what cannot be stored of it is the flaw of its row."""
        try:
            text = decode_utf8(raw)
            if (offset := text.find("\0")) >= 0:
                raise TextFault("holds a NUL character, which cannot be stored", offset, "character", "\0")
        except TextFault as error:
            self.flaw = self.flaw or Spot(self.file, number, 1, raw).fault(error)
            return raw.decode("utf-8", "replace")
        return text


_TOO_LONG = f"the row is longer than {LINE_LIMIT:,} bytes: close the quote that opens here, or use JSON lines"
_STRAY_QUOTE = "a quote inside a cell must be doubled, and a line break must stand in quotes"


def _describe_csv_error(row: TableRow, error_text: str) -> Fault:
    """The fault for a csv.Error; fatal when a quote is open, since every later row would be misread."""
    text = row.text
    starts = row.starts()
    if "end of data" in error_text:
        message = "the quote that opens here is never closed"
        return row.fault(message, len(starts) - 1, code="quote", fatal=True)
    if "field larger" in error_text or "too long" in error_text:
        return row.fault(_TOO_LONG, len(starts) - 1, code="cell_too_long", fatal=text.count('"') % 2 == 1)
    stray_match = _STRAY[row.dialect.delimiter].search(text)
    if stray_match is None:
        return row.fault_at(0, _STRAY_QUOTE, value=error_text, code="quote")
    offset = stray_match.start("mark")
    n_passed = text.count("\n", stray_match.start(), offset)
    opened = f"; the quote that ends here opens in line {row.line + text.count(chr(10), 0, stray_match.start())}"
    return row.fault_at(offset, _STRAY_QUOTE + (opened if n_passed else ""), value=error_text, code="quote")


# A quoted cell that is followed by something else than the next cell, or a carriage return outside of quotes.
_STRAY = {
    mark: re.compile(
        f'(?:(?:(?<=[{mark}\\n])|\\A)"[^"]*+(?:""[^"]*+)*+"(?=[^"{mark}\\n])|(?=\\r))(?P<mark>.)', re.DOTALL
    )
    for mark in DELIMITERS
}

"""How a delimited table is written: its delimiter, whether quotation marks quote, and rows that a quote swallowed."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from epitome.formats.faults import Fault
from epitome.formats.reading import LINE_LIMIT, InputFile, read_lines
from epitome.formats.translated_names import fold_word, list_names
from epitome.formats.wrapped_json import TEXT_NAMES

DELIMITERS = (",", ";", "\t", "|")
HEAD = 1 << 16
_DECLARED = re.compile(r'"?sep=(.)"?\r?', re.IGNORECASE)
_TEXT_NAMES = {*map(fold_word, TEXT_NAMES)}.union(*map(list_names, ("text", "title", "summary")))
_SPECIAL = {mark: re.compile(f'["{mark}]') for mark in DELIMITERS}
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_PROFILED = 2000
MOST_TITLE_LINES = 8
MOST_NAME = 60
"""Characters of a column's name."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """n_skipped: lines before the header. has_quotes: quotation marks around a cell quote it; else they are characters
    of the text and a row is a line. skips_blanks: a blank behind a delimiter is no part of the cell. is_declared: the
    line before the header says it (Excel's sep=;)."""

    delimiter: str
    n_skipped: int = 0
    has_quotes: bool = True
    skips_blanks: bool = False
    is_declared: bool = False


def find_dialect(file: InputFile) -> Dialect:
    """The dialect of a table; a file with tabs is read to its end. Raises UnreadableFile."""
    lines = file.head(HEAD).decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    declared = _DECLARED.fullmatch(lines[0])
    if declared and declared[1] in DELIMITERS:
        return Dialect(declared[1], 1, is_declared=True)
    filled = [line for line in lines if line.strip()]
    n_skipped = _count_title_lines(filled[:MOST_TITLE_LINES])
    header = filled[n_skipped] if filled else ""
    delimiter = detect_delimiter(header)
    if delimiter == "\t":
        return Dialect(delimiter, n_skipped, has_quotes=_quotes_cells(file, header, n_skipped))
    starts = cell_starts(header, delimiter)[1:]
    skips_blanks = bool(starts) and all(header[start : start + 1] == " " for start in starts)
    return Dialect(delimiter, n_skipped, skips_blanks=skips_blanks)


def _count_title_lines(lines: Sequence[str]) -> int:
    """How many lines of prose stand above the header: it and two lines below it have the same number of cells, and none
    above it has more than one."""
    for number in range(1, len(lines) - 2):
        delimiter = detect_delimiter(lines[number])
        if len(cell_starts(lines[number - 1].rstrip(delimiter), delimiter)) > 1 or " " not in lines[number - 1].strip():
            return 0
        names = [name.strip('" ') for name in lines[number].split(delimiter)]
        sizes = {len(cell_starts(line, delimiter)) for line in lines[number : number + 3]}
        is_header = all(name and len(name) <= MOST_NAME and not name.isdecimal() for name in names)
        if len(names) > 1 and len({*names}) == len(names) and sizes == {len(names)} and is_header:
            return number if _TEXT_NAMES & {fold_word(name) for name in names} else 0
    return 0


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


def _quotes_cells(file: InputFile, header: str, n_skipped: int) -> bool:
    """Whether the quotation marks of a table with tabs quote its cells.

    They do not where a cell begins with one that does not end it, and each line has a row's number of tabs or the rows
    that quoting makes of the lines are of unequal sizes.
    """
    n_cells = len(cell_starts(header, "\t"))
    if all(_QUOTED.fullmatch(cell) for cell in header.split("\t")):
        return True
    is_even, is_sound = True, True
    for line in islice(_decoded_lines(file), n_skipped, None):
        if line.count("\t") + 1 != n_cells:
            is_even = False
        elif '"' in line:
            cells = line.split("\t")
            is_sound = is_sound and all(_QUOTED.fullmatch(cell) for cell in cells if cell.startswith('"'))
        if not is_even and not is_sound:
            break
    return is_sound or (not is_even and _has_even_rows(file, n_cells, n_skipped))


def _has_even_rows(file: InputFile, n_cells: int, n_skipped: int) -> bool:
    lines = (line + "\n" for line in islice(_decoded_lines(file), n_skipped, None))
    try:
        return all(len(cells) == n_cells for cells in csv.reader(lines, delimiter="\t", strict=True))
    except csv.Error:
        return False


def _decoded_lines(file: InputFile) -> Iterator[str]:
    """The lines that are not blank; progress is not shown."""
    for item in read_lines(InputFile(file.path, file.name, encoding=file.encoding), LINE_LIMIT):
        if not isinstance(item, Fault):
            yield item[1].decode("utf-8", "replace").removesuffix("\r")


@dataclass(slots=True)
class _Column:
    """What the cells of a column have in common in rows of one line."""

    shortest: int = 1 << 30
    longest: int = 0
    has_blank: bool = False
    is_number: bool = True

    def add(self, cell: str) -> None:
        self.shortest, self.longest = min(self.shortest, len(cell)), max(self.longest, len(cell))
        self.has_blank = self.has_blank or " " in cell
        self.is_number = self.is_number and cell.isdecimal()

    def fits(self, cell: str) -> bool:
        """Whether a cell may be one of the column."""
        if (self.is_number and not cell.isdecimal()) or (" " in cell and not self.has_blank):
            return False
        return self.shortest / 3 <= len(cell) <= self.longest * 3


@dataclass(slots=True)
class SwallowedRows:
    """Finds quoted cells that hold rows of the table: a quotation mark of a text that begins a cell goes on to the next
    one, lines below. The columns are looked at only where a row has several lines with a row's number of cells."""

    file: InputFile
    dialect: Dialect
    columns: list[_Column] = field(default_factory=list)

    def has_swallowed(self, lines: Sequence[str], n_cells: int) -> bool:
        """Whether each line of a row is most likely a row of its own."""
        rows = [line.split(self.dialect.delimiter) for line in lines if line]
        if len(rows) < 2 or n_cells < 2 or any(len(cells) != n_cells for cells in rows):
            return False
        if not self.columns:
            self.columns = [_Column() for _ in range(n_cells)]
            for cells in self._single_lines(n_cells):
                self._add(cells)
        if not self.columns[0].longest:
            self.columns[0].add(rows[0][0])
        known = [column for column in self.columns if column.longest]
        return all(
            column.fits(cell.strip('"')) for cells in rows[1:] for column, cell in zip(known, cells, strict=False)
        )

    def _add(self, cells: Iterable[str]) -> None:
        for column, cell in zip(self.columns, cells, strict=False):
            column.add(cell)

    def _single_lines(self, n_cells: int) -> Iterator[list[str]]:
        """The cells of lines below the header that are a row for sure: they have no quotation mark, or only pairs."""
        lines = islice(_decoded_lines(self.file), self.dialect.n_skipped + 1, _PROFILED)
        open_quote = False
        for line in lines:
            was_open, open_quote = open_quote, open_quote ^ (line.count('"') % 2 == 1)
            if was_open or open_quote:
                continue
            cells = next(csv.reader([line], delimiter=self.dialect.delimiter))
            if len(cells) == n_cells:
                yield cells

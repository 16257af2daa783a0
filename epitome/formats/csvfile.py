"""Reads tables: a header, then one source per row, delimited by comma, semicolon, tab or bar.

The csv module reads the cells; table_dialect says how they are written.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from itertools import islice
from typing import Any

from epitome.formats.cell_markup import decode_cells
from epitome.formats.faults import Fault, FieldFault
from epitome.formats.fields import CNN_DAILYMAIL, RowReader
from epitome.formats.header_rows import count_question_rows
from epitome.formats.options import ImportOptions
from epitome.formats.reading import InputFile
from epitome.formats.records import SourceRecord, Unit
from epitome.formats.rows import MISSING_WORDS, Row, Rows, build_units
from epitome.formats.table_cells import CellSpot, TableRow, read_cells

_YES, _NO = ("true", "yes", "1"), ("false", "no", "0")
NAMELESS = "column "
"""Before the number of a column without a name."""
_OPTIONAL = ("title", "origin_id", "split", "licence", "may_release_text")


def read_csv(file: InputFile, options: ImportOptions) -> Iterator[Unit]:
    """Sources of a table; exactly one item per row. All cells are text; empty ones of optional fields count as absent,
    and so do those that say so (NaN, NULL).

    Raises UnreadableFile, and ValueError for an unusable mapping.
    """
    reader = RowReader(file.data_name, options, file.notes)

    optional = {reader.names[field] for field in _OPTIONAL if field in reader.names}
    optional |= set(reader.reference_names.values())
    needed = {reader.id_key, reader.text_key}

    def build_record(row: Row) -> SourceRecord:
        for key in optional & row.values.keys():
            if row.values[key] == "" or row.values[key] in MISSING_WORDS:
                row.values[key] = None
        for key in needed & row.values.keys():
            if row.values[key] in MISSING_WORDS:
                raise FieldFault((key,), "is empty", row.values[key], "empty")
        _convert_permission(row.values, reader.names.get("may_release_text", ""))
        return reader.build_record(row)

    rows = decode_cells(_read_checked_rows(file, reader), reader.list_text_columns(), file.notes)
    return build_units(rows, build_record)


def _read_checked_rows(file: InputFile, reader: RowReader) -> Rows:
    """The rows below a header that has all columns that are needed, each with a cell for each of them."""
    return _read_named_rows(file, lambda row, names: _find_header_fault(row, names, reader))


def read_table_rows(file: InputFile) -> Rows:
    """The rows of a table, for its preview and in archives. Raises UnreadableFile."""
    return _read_named_rows(file, lambda row, names: _find_doubled_name(row, names, ()))


def _read_named_rows(file: InputFile, check_header: Callable[[TableRow, list[str]], Fault | None]) -> Rows:
    rows = read_cells(file)
    header = next(rows, None)
    if header is None:
        return
    if isinstance(header, Fault):
        yield header
        return
    names = _name_columns(header.cells)
    if fault := check_header(header, names):
        yield fault
        return
    for row in _leave_out_questions(file, rows):
        if isinstance(row, Fault):
            yield row
            if row.fatal:
                return
        else:
            yield _name_cells(row, names)


def _leave_out_questions(file: InputFile, rows: Iterator[TableRow | Fault]) -> Iterator[TableRow | Fault]:
    """The rows without those of question texts and import ids below the header."""
    leading = list(islice(rows, 2))
    cells = [row.cells for row in leading if isinstance(row, TableRow)]
    n_questions = count_question_rows(cells) if len(cells) == len(leading) else 0
    if n_questions:
        file.notes.add("rows of question texts and import ids below the header are left out")
    yield from leading[n_questions:]
    yield from rows


def read_header(file: InputFile) -> list[str]:
    """The column names of a table; none where its first row cannot be read. Raises UnreadableFile."""
    first = next(read_cells(file), None)
    return _name_columns(first.cells) if isinstance(first, TableRow) else []


def _name_columns(cells: list[str]) -> list[str]:
    """The names of the header; a column without one, such as the index that pandas writes, is called by its number."""
    return [cell.strip() or f"{NAMELESS}{number}" for number, cell in enumerate(cells, 1)]


def _name_cells(row: TableRow, names: list[str]) -> Row | Fault:
    """The row's values by column; a fault where it has too few cells, or too many that are not empty."""
    cells = row.cells
    if len(cells) != len(names):
        n_needed = len(names)
        while n_needed and names[n_needed - 1].startswith(NAMELESS):
            n_needed -= 1
        if len(cells) < n_needed or any(cells[len(names) :]):
            message = f"the row has {len(cells)} cells, the header has {len(names)}"
            return row.fault(message, min(len(names), len(cells)), code="ragged")
    values = dict(zip(names, cells, strict=False))
    for name in names:
        if name.startswith(NAMELESS) and not values.get(name):
            values.pop(name, None)
    return Row(values, f"line {row.line}", CellSpot(row, names))


def _convert_permission(row: dict[str, Any], key: str) -> None:
    """Converts the text of a yes/no cell to a bool, in place."""
    word = row.get(key)
    if isinstance(word, str):
        if word.lower() not in (*_YES, *_NO):
            raise FieldFault((key,), "must be true or false", word)
        row[key] = word.lower() in _YES


def _find_doubled_name(row: TableRow, header: list[str], skipped: Collection[str]) -> Fault | None:
    for index, name in enumerate(header):
        if name in header[:index] and name not in skipped:
            message = "two columns have this name; rename one of them, or skip both"
            return row.fault(message, index, field=name, value=name, code="header", fatal=True)
    return None


def _find_header_fault(row: TableRow, header: list[str], reader: RowReader) -> Fault | None:
    if fault := _find_doubled_name(row, header, reader.options.skipped_columns):
        return fault
    text_column = reader.text_key
    if "text" not in reader.mapped and text_column not in header and CNN_DAILYMAIL["text"] in header:
        text_column = CNN_DAILYMAIL["text"]
    needed = [] if reader.options.row_ids else [reader.id_key]
    needed += [] if reader.options.texts is not None or "segments" in reader.mapped else [text_column]
    for name in [*needed, *reader.mapped_columns]:
        if name not in header:
            message = f"the header has no column {name}; name the column in a mapping, or add a header line"
            return row.fault(message, 0, field=name, value=", ".join(header), code="header", fatal=True)
    return None

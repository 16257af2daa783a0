"""Rows of Excel sheets. No formula is run, no link followed, no entity expanded."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from itertools import islice, zip_longest
from typing import Any

from epitome.formats.excel_sheets import BookSheet, keep_sheets, open_sheets
from epitome.formats.faults import to_printable
from epitome.formats.header_rows import MAX_LEADING, NoHeader, Sheet, count_filled, find_header
from epitome.formats.office import check_container, damaged, missing_package
from epitome.formats.reading import InputFile, LineSpot, UnreadableFile
from epitome.formats.rows import Rows, clean_row

MAX_SHEET_PART = 100_000_000
"""Bytes of one part of a file, unpacked: a sheet's shared strings are held in memory."""
MAX_EXACT = 10**15
"""Numbers from which on Excel may have rounded what was typed."""


def read_excel_rows(file: InputFile) -> Rows:
    """The rows below the header of the first visible sheet that has rows; a title above the header and rows of question
    texts below it are left out. Raises UnreadableFile."""
    check_container(file, MAX_SHEET_PART)
    try:
        from openpyxl import DEFUSEDXML
    except ImportError:
        raise missing_package(file, "openpyxl", "office", "save it as CSV") from None
    if not DEFUSEDXML:
        raise missing_package(file, "defusedxml", "office", "save it as CSV")
    try:
        with contextlib.ExitStack() as opened:
            yield from _read_book(file, keep_sheets(file) if file.part is not None else open_sheets(file, opened))
    except UnreadableFile:
        raise
    except Exception as error:  # a damaged workbook raises errors of many kinds
        raise damaged(file, error) from error


def _read_book(file: InputFile, sheets: Sequence[BookSheet]) -> Rows:
    hidden = []
    for place, sheet in enumerate(sheets):
        try:
            table = find_header(file.take_part(sheet.read_rows()))
        except NoHeader as error:
            if not sheet.is_visible:
                continue
            raise file.unreadable(f"the sheet {to_printable(sheet.title, 40)}: {error}", code="header") from error
        if table is None and file.part is not None and file.part.is_cut:
            message = f"its first {file.part.n_items:,} rows are empty; delete them and save the file again"
            raise file.unreadable(message, code="blank_rows")
        if table is None:
            continue
        if sheet.is_visible:
            name = to_printable(sheet.title, 40)
            _note_left_out(file, name, table)
            yield from _build_rows(file, table)
            further = [to_printable(other.title, 40) for other in sheets[place + 1 :] if _is_used(other)]
            if further:
                message = f"further sheets are not read ({', '.join(further[:5])}); save each as a file of its own"
                file.notes.add(message, f"sheet {name}")
            return
        hidden.append(to_printable(sheet.title, 40))
    if hidden:
        message = f"has rows in hidden sheets only ({', '.join(hidden[:3])}); show the sheet and save the file again"
        raise file.unreadable(message, code="hidden")


def _is_used(sheet: BookSheet) -> bool:
    return sheet.is_visible and any(map(count_filled, islice(sheet.read_rows(), MAX_LEADING)))


def _note_left_out(file: InputFile, name: str, table: Sheet) -> None:
    if table.n_titles:
        file.notes.add("rows above the header are taken for a title and left out", f"sheet {name}")
    if table.n_questions:
        file.notes.add("rows of question texts and import ids below the header are left out", f"sheet {name}")


def _build_rows(file: InputFile, table: Sheet) -> Rows:
    """The rows, counted from 1 below the header, without blank ones."""
    for number, (_row, cells) in enumerate(table.rows, 1):
        values = {name: cell for name, cell in zip(table.names, cells, strict=False) if name}
        if len(values) < len(cells) and _has_unnamed_values(table.names, cells, number):
            file.notes.add("cells in columns that have no name in the header are left out", f"row {number}")
        if any(type(cell) in (int, float) and abs(cell) >= MAX_EXACT for cell in values.values()):
            message = "a number has more than 15 digits, of which Excel keeps 15; ids must be stored as text"
            file.notes.add(message, f"row {number}")
        yield clean_row(values, f"row {number}", LineSpot(file, number))


def _has_unnamed_values(names: Sequence[str], cells: Sequence[Any], number: int) -> bool:
    """Whether cells have values in columns without a name; the count of rows that pandas writes is none."""
    unnamed = [cell for cell, name in zip_longest(cells, names, fillvalue="") if not name]
    return any(cell not in (None, "", number, number - 1) for cell in unnamed)

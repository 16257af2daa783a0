"""Rows of Excel sheets. No formula is run, no link followed, no entity expanded."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest
from typing import Any

from epitome.formats.computed import mark_computed
from epitome.formats.faults import to_printable
from epitome.formats.header_rows import MAX_LEADING, NoHeader, Sheet, count_filled, find_header
from epitome.formats.office import check_container, damaged, missing_package
from epitome.formats.reading import InputFile, LineSpot, UnreadableFile
from epitome.formats.rows import Rows, clean_row

MAX_SHEET_PART = 100_000_000
"""Bytes of one part of a file, unpacked: a sheet's shared strings are held in memory."""
MAX_EXACT = 10**15
"""Numbers from which on Excel may have rounded what was typed."""
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s/>]")
_ERRORS = frozenset(("#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A", "#GETTING_DATA"))


def read_excel_rows(file: InputFile) -> Rows:
    """The rows below the header of the first visible sheet that has rows; a title above the header and rows of question
    texts below it are left out. Raises UnreadableFile."""
    check_container(file, MAX_SHEET_PART)
    try:
        from openpyxl import DEFUSEDXML, load_workbook
    except ImportError:
        raise missing_package(file, "openpyxl", "office", "save it as CSV") from None
    if not DEFUSEDXML:
        raise missing_package(file, "defusedxml", "office", "save it as CSV")
    try:
        options: dict[str, Any] = {"read_only": True, "keep_links": False}
        # Open files: openpyxl refuses a path whose ending is not that of a workbook, as an upload's is.
        with file.path.open("rb") as first, file.path.open("rb") as second:
            results = load_workbook(first, data_only=True, **options)
            formulas = load_workbook(second, data_only=False, **options) if _has_formulas(file) else None
            yield from _read_book(file, results, formulas, _Cells(_find_literal_escapes(file)))
    except UnreadableFile:
        raise
    except Exception as error:  # a damaged workbook raises errors of many kinds
        raise damaged(file, error) from error


def _has_formulas(file: InputFile) -> bool:
    """Whether a sheet may hold a formula; read in pieces that overlap, so that none is missed at a border."""
    with zipfile.ZipFile(file.path) as archive:
        for name in archive.namelist():
            if not re.fullmatch(r"xl/worksheets/[^/]+\.xml", name):
                continue
            with archive.open(name) as stream:
                overlap = b""
                while piece := stream.read(1 << 20):
                    window = overlap + piece
                    if (b"<f" in window or b":f" in window) and _FORMULA.search(window):  # a plain search is quicker
                        return True
                    overlap = piece[-20:]
    return False


def _find_literal_escapes(file: InputFile) -> dict[str, str]:
    """Texts as openpyxl gives them -> as the sheet shows them, where they differ: it takes the mark of an escaped
    underscore (`_x005F_`) out of shared texts, so that a typed `_x0041_` looks like an escaped A."""
    from defusedxml.ElementTree import iterparse

    name = "xl/sharedStrings.xml"
    texts = {}
    with zipfile.ZipFile(file.path) as archive:
        if name not in archive.namelist() or b"x005F_" not in archive.read(name):
            return {}
        with archive.open(name) as stream:
            for _event, element in iterparse(stream):
                if element.tag.endswith("}t") and "x005F_" in (element.text or ""):
                    texts[element.text.replace("x005F_", "")] = _unescape(element.text)
    return texts


@dataclass(frozen=True, slots=True)
class _Cells:
    """Values of cells as the sheet shows them: _x000D_ and the like are characters that XML cannot hold, or that the
    writer escaped; an error is no value."""

    literal: Mapping[str, str]

    def read(self, cell: Any) -> Any:
        if not isinstance(cell, str):
            return cell
        if cell in _ERRORS:
            return None
        return self.literal.get(cell) or _unescape(cell) if "_x" in cell else cell

    def merge(self, results: Any, formulas: Any) -> Iterator[Sequence[Any]]:
        """The cells of a sheet; results of formulas are marked."""
        rows = results.iter_rows(values_only=True)
        if formulas is None:
            yield from (tuple(map(self.read, cells)) for cells in rows)
            return
        for cells, sources in zip(rows, formulas.iter_rows(values_only=True), strict=False):
            pairs = zip(cells, sources, strict=False)
            yield tuple(self.read(cell) if cell == source else mark_computed(self.read(cell)) for cell, source in pairs)


def _unescape(text: str) -> str:
    characters = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text).replace("\r\n", "\n").replace("\r", "\n")
    # Two escapes may be the halves of one character.
    return characters.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _read_book(file: InputFile, results: Any, formulas: Any, cells: _Cells) -> Rows:
    hidden = []
    for place, sheet in enumerate(results.worksheets):
        try:
            rows = cells.merge(sheet, formulas.worksheets[place] if formulas is not None else None)
            table = find_header(file.take_part(rows))
        except NoHeader as error:
            if sheet.sheet_state != "visible":
                continue
            raise file.unreadable(f"the sheet {to_printable(sheet.title, 40)}: {error}", code="header") from error
        if table is None and file.part is not None and file.part.is_cut:
            message = f"its first {file.part.n_items:,} rows are empty; delete them and save the file again"
            raise file.unreadable(message, code="blank_rows")
        if table is None:
            continue
        if sheet.sheet_state == "visible":
            name = to_printable(sheet.title, 40)
            _note_left_out(file, name, table)
            yield from _build_rows(file, table)
            further = [to_printable(other.title, 40) for other in results.worksheets[place + 1 :] if _is_used(other)]
            if further:
                message = f"further sheets are not read ({', '.join(further[:5])}); save each as a file of its own"
                file.notes.add(message, f"sheet {name}")
            return
        hidden.append(to_printable(sheet.title, 40))
    if hidden:
        message = f"has rows in hidden sheets only ({', '.join(hidden[:3])}); show the sheet and save the file again"
        raise file.unreadable(message, code="hidden")


def _is_used(sheet: Any) -> bool:
    rows = islice(sheet.iter_rows(values_only=True), MAX_LEADING)
    return sheet.sheet_state == "visible" and any(map(count_filled, rows))


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

"""The sheets of an Excel book and their cells, as the sheet shows them. No formula is run, no link followed, no entity
expanded."""

from __future__ import annotations

import contextlib
import io
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import IO, Any

from epitome.formats.computed import mark_computed
from epitome.formats.office_beginnings import begin_book
from epitome.formats.reading import InputFile

Cells = Sequence[Any]
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s/>]")
_ERRORS = frozenset(("#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A", "#GETTING_DATA"))


@dataclass(frozen=True, slots=True)
class BookSheet:
    """One sheet. read_rows: its rows from the first one, each time that it is called."""

    title: str
    is_visible: bool
    read_rows: Callable[[], Iterator[Cells]]


def open_sheets(file: InputFile, opened: contextlib.ExitStack) -> list[BookSheet]:
    """The sheets of a book, read from the file, which is closed with `opened`. Raises what openpyxl does."""
    # Open files: openpyxl refuses a path whose ending is not that of a workbook, as an upload's is.
    return _load(file.path, lambda: opened.enter_context(file.path.open("rb")))


def keep_sheets(file: InputFile) -> list[BookSheet]:
    """The beginnings of the sheets of a book, which are read once for all that is asked about one file. Raises what
    openpyxl does."""
    assert file.part is not None
    return _keep(file.path, file.path.stat().st_mtime_ns, file.part.n_items)


@lru_cache(maxsize=1)
def _keep(path: Path, _changed: int, n_rows: int) -> list[BookSheet]:
    book = begin_book(path, n_rows).stream
    sheets = _load(book, lambda: io.BytesIO(book.getvalue()))
    return [BookSheet(sheet.title, sheet.is_visible, _KeptRows(sheet.read_rows()).read) for sheet in sheets]


class _KeptRows:
    """Rows that are read several times, from their source once."""

    def __init__(self, rows: Iterator[Cells]) -> None:
        self.rows = rows
        self.kept: list[Cells] = []

    def read(self) -> Iterator[Cells]:
        place = 0
        while True:
            if place == len(self.kept):
                following = next(self.rows, None)
                if following is None:
                    return
                self.kept.append(following)
            yield self.kept[place]
            place += 1


def _load(book: Path | IO[bytes], open_book: Callable[[], IO[bytes]]) -> list[BookSheet]:
    from openpyxl import load_workbook

    options: dict[str, Any] = {"read_only": True, "keep_links": False}
    results = load_workbook(open_book(), data_only=True, **options).worksheets
    formulas = load_workbook(open_book(), data_only=False, **options).worksheets if _has_formulas(book) else None
    cells = _Cells(_find_literal_escapes(book))
    return [
        BookSheet(
            sheet.title,
            sheet.sheet_state == "visible",
            partial(cells.merge, sheet, formulas[place] if formulas is not None else None),
        )
        for place, sheet in enumerate(results)
    ]


def _has_formulas(book: Path | IO[bytes]) -> bool:
    """Whether a sheet may hold a formula; read in pieces that overlap, so that none is missed at a border."""
    with zipfile.ZipFile(book) as archive:
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


def _find_literal_escapes(book: Path | IO[bytes]) -> dict[str, str]:
    """Texts as openpyxl gives them -> as the sheet shows them, where they differ: it takes the mark of an escaped
    underscore (`_x005F_`) out of shared texts, so that a typed `_x0041_` looks like an escaped A."""
    from defusedxml.ElementTree import iterparse

    name = "xl/sharedStrings.xml"
    texts = {}
    with zipfile.ZipFile(book) as archive:
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

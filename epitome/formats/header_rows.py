"""Which row of a sheet is its header: below titles, above rows of question texts and import ids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count, islice
from typing import Any

from epitome.formats.column_names import SYNONYMS
from epitome.formats.translated_names import fold_word

Cells = Sequence[Any]
MAX_LEADING = 20
"""Rows in which the header is searched."""
MAX_NAME = 80
_KNOWN = frozenset(name for names in SYNONYMS.values() for name in names)
_IMPORT_ID = '{"ImportId"'
"""Begin of the cells of the row that Qualtrics writes below the header and the question texts."""


class NoHeader(ValueError):
    """No row names the columns; the message says which rows were compared."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """names: of the columns, "" for one without a name. rows: (number from 1, cells) below the header, without blank
    ones. n_titles: rows left out above the header; n_questions: rows of question texts and import ids below it."""

    names: list[str]
    rows: Iterator[tuple[int, Cells]]
    n_titles: int
    n_questions: int


def find_header(rows: Iterator[Cells]) -> Sheet | None:
    """The header and the rows below it; None for a sheet without a row. Raises NoHeader where the rows below have more
    cells than the row at the top has names."""
    filled = ((number, cells) for number, cells in zip(count(1), rows, strict=False) if count_filled(cells))
    leading = list(islice(filled, MAX_LEADING))
    if not leading:
        return None
    place = _find_place(leading)
    number, header = leading[place]
    below = leading[place + 1 :]
    n_questions = count_question_rows([cells for _number, cells in below[:2]])
    names = name_columns(header)
    _refuse_narrow_header(number, names, below)
    return Sheet(names, chain(below[n_questions:], filled), place, n_questions)


def count_question_rows(below: Sequence[Cells]) -> int:
    """How many of the first rows below a header hold question texts and import ids, as Qualtrics writes them."""
    n_questions = 0
    for index, cells in enumerate(below[:2]):
        filled = [cell for cell in cells if not _is_blank(cell)]
        if filled and all(str(cell).startswith(_IMPORT_ID) for cell in filled):
            n_questions = index + 1
    return n_questions


def _find_place(leading: list[tuple[int, Cells]]) -> int:
    """The index of the header: the first row, or one below titles. Titles fill fewer cells than the header, which has
    a name that sources have; without one a header stands below titles of a single cell, above at least three."""
    for place, (_number, cells) in enumerate(leading[: MAX_LEADING // 2]):
        wider = all(count_filled(title) < count_filled(cells) for _row, title in leading[:place])
        if wider and _looks_like_header(cells) and any(_is_known(cell) for cell in cells):
            return place
    n_titles = next((place for place, (_number, cells) in enumerate(leading) if not _is_title(cells)), 0)
    is_below_titles = n_titles < len(leading) and count_filled(leading[n_titles][1]) > 2
    return n_titles if is_below_titles and _looks_like_header(leading[n_titles][1]) else 0


def _is_title(cells: Cells) -> bool:
    return count_filled(cells) == 1 and not _is_blank(cells[0])


def _is_known(cell: object) -> bool:
    return isinstance(cell, str) and fold_word(cell) in _KNOWN


def _looks_like_header(cells: Cells) -> bool:
    names = [cell for cell in cells if not _is_blank(cell)]
    are_names = all(isinstance(cell, str) and len(cell) <= MAX_NAME for cell in names)
    return are_names and len(names) > 1 and len(set(names)) == len(names)


def _refuse_narrow_header(number: int, names: list[str], below: list[tuple[int, Cells]]) -> None:
    n_named = sum(map(bool, names))
    for row, cells in below:
        n_unnamed = sum(
            not _is_blank(cell) for cell, name in zip(cells, _pad(names, len(cells)), strict=False) if not name
        )
        if n_unnamed > max(1, n_named):
            raise NoHeader(
                f"row {number} names {n_named} column{'s' * (n_named != 1)}, but row {row} has cells in {n_unnamed} "
                "more; the header row must name every column: remove what stands above it, or name the columns"
            )


def _pad(names: list[str], length: int) -> list[str]:
    return names + [""] * (length - len(names))


def name_columns(cells: Cells) -> list[str]:
    """The header's names; "" for an empty one, a number after a name that is there already."""
    names: list[str] = []
    for cell in cells:
        name = "" if cell is None else str(cell).strip()
        names.append(f"{name} {len(names) + 1}" if name and name in names else name)
    return names


def count_filled(cells: Cells) -> int:
    """The cells that hold something."""
    return sum(not _is_blank(cell) for cell in cells)


def _is_blank(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())

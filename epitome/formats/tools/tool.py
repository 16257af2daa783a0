"""What the program knows of the exports of one annotation tool, and what its readers share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from epitome.formats.faults import Fault, FieldFault
from epitome.formats.reading import InputFile, LineSpot
from epitome.formats.rows import Row, Rows

Values = dict[str, Any]
"""One flat row {column: value}; a column of written answers holds lists of Answer."""
EXAMINED = 50
"""Rows by whose content columns are judged."""


def _never(_names: object) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. name: of its format. label: the name that people know.

    has_entry: whether an object of a JSON file is one of its exports. has_header: whether the columns of a table are.
    read: its rows, made of the entries or rows as they stand in the file; columns keep the names that the file has,
    cells of written answers are lists of Answer, and columns that say who worked are gone. example: a file of it in
    tests/formats/tools. versions: those of which real exports are read. cannot_know: what its files do not say.
    """

    name: str
    label: str
    read: Callable[[InputFile, Rows], Rows]
    has_entry: Callable[[Mapping[str, Any]], bool] = _never
    has_header: Callable[[Collection[str]], bool] = _never
    example: str = ""
    versions: str = ""
    cannot_know: str = ""


def read_each(file: InputFile, rows: Rows, label: str, flatten: Callable[[Row], Iterable[Values]]) -> Rows:
    """The flat rows of each entry; a fault for an entry of another shape. flatten: gives none or several."""
    for row in rows:
        if isinstance(row, Fault):
            yield row
            continue
        spot = LineSpot(file, row.spot.line)
        try:
            flat_rows = list(flatten(row))
        except (KeyError, AttributeError, TypeError, ValueError):
            yield spot.fault(FieldFault((), f"is no entry of a {label} export like the first one", code="entry"))
            continue
        for values in flat_rows:
            yield Row(values, row.place, spot)


def peek_rows(rows: Rows) -> tuple[list[Mapping[str, Any]], Rows]:
    """The values of the first rows, and all rows."""
    first = list(islice(rows, EXAMINED))
    return [row.values for row in first if isinstance(row, Row)], chain(first, rows)


def dicts_of(value: Any) -> list[dict[str, Any]]:
    """The objects in a list; none where it is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def free_name(row: Mapping[str, Any], taken: Collection[str], name: str) -> str:
    """The name of a column of answers; a data column of the same name keeps its own."""
    return f"{name} (answers)" if name in taken or name == "id" else name


def name_person(value: Any) -> str:
    """How a file names a person: a text or number, or an object with an address or id; "" for nobody."""
    if isinstance(value, dict):
        names = (value.get(key) for key in ("email", "username", "id", "user_id", "name"))
        return next((str(name) for name in names if name not in (None, "")), "")
    return "" if value is None or isinstance(value, bool | list) else str(value)


def texts_of(value: Any) -> Iterator[str]:
    """The texts in a text or a list of texts, without empty ones."""
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str) and item.strip():
            yield item


def note_left_out(file: InputFile, kind: str, place: str) -> None:
    """Count what a tool's file has and no import takes. kind: a plural, such as "choices"."""
    file.notes.add(f"{kind} are not imported", place)

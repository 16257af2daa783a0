"""Rows and entries of a file with their places, and the records or faults that are made of them."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from epitome.formats.faults import Fault, FieldFault
from epitome.formats.reading import InputFile, LineSpot, without_packing
from epitome.formats.records import Unit


class Place(Protocol):
    """The position of a row in its file."""

    @property
    def file(self) -> InputFile: ...

    @property
    def line(self) -> int | None: ...

    def fault(self, error: FieldFault, /) -> Fault: ...


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table or entry of a JSON file. place: in words, such as "line 3"; ids are made of its number."""

    values: dict[str, Any]
    place: str
    spot: Place


MISSING_WORDS = frozenset({"NaN", "nan", "NULL", "null", "None", "<NA>", "#N/A", "\\N"})
"""What programs write into a cell of a table that has no value."""
Rows = Iterator[Row | Fault]


class _Placed(Protocol):
    @property
    def spot(self) -> Place: ...


Item = TypeVar("Item", bound=_Placed)


def build_units(items: Iterable[Item | Fault], build: Callable[[Item], Unit]) -> Iterator[Unit]:
    """One unit per item: what is built of it, or the fault of the field that `build` refused by a FieldFault.

    Every reader ends here, so that a function that builds a record knows nothing of files and lines.
    """
    for item in items:
        if isinstance(item, Fault):
            yield item
            continue
        try:
            yield build(item)
        except FieldFault as error:
            yield item.spot.fault(error)


def number_rows(file: InputFile, rows: Iterable[dict[str, Any]]) -> Rows:
    """The rows of a binary table, counted from 1."""
    for number, values in enumerate(rows, 1):
        yield clean_row(values, f"row {number}", LineSpot(file, number))


def clean_row(values: dict[str, Any], place: str, spot: LineSpot) -> Row | Fault:
    """The row with values that JSON can hold; a fault for a character that cannot be stored."""
    cleaned = {name: _clean_value(value) for name, value in values.items()}
    for name, value in cleaned.items():
        if isinstance(value, str) and ("\0" in value or any("\ud800" <= char <= "\udfff" for char in value)):
            return spot.fault(FieldFault((name,), "holds a character that cannot be stored", code="character"))
    return Row(cleaned, place, spot)


def _clean_value(value: Any) -> Any:
    """A value of a binary table as JSON: dates as text, bytes and NaN as nothing."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    if isinstance(value, list | tuple):
        return [_clean_value(item) for item in value]
    if isinstance(value, dict):
        return {str(name): _clean_value(item) for name, item in value.items()}
    if isinstance(value, bytes):
        return None
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def name_texts(names: Iterable[str]) -> dict[str, str]:
    """{name of a text in an archive: its id}: the stem, below its folders where another text has it, too."""
    stems = {name: stem_of(name) for name in names}
    n_texts = Counter(stems.values())
    return {
        name: stem if n_texts[stem] < 2 or "/" not in name else f"{name.rpartition('/')[0]}/{stem}"
        for name, stem in stems.items()
    }


def stem_of(name: str) -> str:
    """The file name without folders and extension, as an id: without characters that nobody sees."""
    base = without_packing(name.replace("\\", "/").rsplit("/", 1)[-1])
    stem = unicodedata.normalize("NFC", base.rsplit(".", 1)[0] if "." in base.lstrip(".") else base)
    return stem if stem.isprintable() else "".join(char for char in stem if unicodedata.category(char)[0] != "C")

"""The pieces of a generated sentence, and how it writes differences and counts."""

from dataclasses import dataclass
from typing import Any

from epitome.figures.numbers import format_count, format_difference

Part = tuple[str, bool]
"""A piece of a sentence, and whether it is a name that stands out."""


@dataclass(frozen=True)
class Finding:
    """A sentence in pieces. detail: the numbers it rests on. table: key of the table that has them."""

    pieces: tuple[Part, ...]
    detail: str
    table: str

    @property
    def text(self) -> str:
        return "".join(words for words, _is_name in self.pieces)

    def as_json(self) -> dict[str, Any]:
        return {"parts": [list(part) for part in self.pieces], "detail": self.detail, "table": self.table}


def name_difference(difference: float, unit: str) -> str:
    if unit == "points":
        return f"{format_difference(100 * difference, 0)} points"
    return format_difference(difference, 2)


def name_counts(n: int, sources: int) -> str:
    if not sources:
        return f"n = {format_count(n)}"
    noun = "source" if sources == 1 else "sources"
    return (
        f"n = {format_count(n)} samples of {format_count(sources)} {noun}"
        if n != sources
        else (f"n = {format_count(n)} {noun}")
    )

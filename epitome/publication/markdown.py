"""Markdown from texts that people wrote: nothing in them is read as markup."""

import re
from collections.abc import Sequence

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~])")


def escape_inline(text: str) -> str:
    """One line of plain text."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def escape_cell(text: str) -> str:
    """A cell of a table; backticks stay, so that it can hold code."""
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


def write_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table without blank lines around it."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(escape_cell(cell) for cell in line) + " |" for line in lines)


def count_of(number: int, noun: str) -> str:
    """`1 source`, `1,200 sources`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"

"""Requested names and keywords of a summary: one string as in the released files, or a list."""

from __future__ import annotations

import re
from collections.abc import Sequence

_BORDER = re.compile(r"(?<!\d)[,;]|[,;](?!\d)|[，；、،؛]")


def parse_names(requested: Sequence[str] | str | None) -> list[str]:
    """`"a , b"` or `["a", "b"]` -> ["a", "b"], blanks and empty names left out; None -> [].

    In a string, commas and semicolons of any script separate names, but not inside round brackets nor between digits.
    """
    if requested is None:
        return []
    names = _split_names(requested) if isinstance(requested, str) else list(requested)
    return [name.strip() for name in names if name.strip()]


def _split_names(text: str) -> list[str]:
    names, start, balanced = [], 0, text.count("(") == text.count(")")
    for border in _BORDER.finditer(text):
        at = border.start()
        if balanced and text.count("(", 0, at) > text.count(")", 0, at):
            continue
        names.append(text[start:at])
        start = at + 1
    return [*names, text[start:]]

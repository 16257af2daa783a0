"""Makes model output storable: invalid characters are removed, long texts cut, and every change is flagged."""

import math
import re
from collections.abc import Mapping
from typing import Any

NUL, SURROGATE, CUT = "nul", "surrogate", "cut"
"""Flags: NUL characters were removed; unpaired surrogates were replaced; the text was cut at the limit."""
_SURROGATES = re.compile("[\ud800-\udfff]")


def clean_text(text: str, limit: int) -> tuple[str, list[str]]:
    """(the storable text, flags of the changes made). limit: in code points."""
    flags = []
    if "\0" in text:
        text = text.replace("\0", "")
        flags.append(NUL)
    if _SURROGATES.search(text):
        text = _SURROGATES.sub("\N{REPLACEMENT CHARACTER}", text)
        flags.append(SURROGATE)
    if len(text) > limit:
        text = text[:limit]
        flags.append(CUT)
    return text, flags


def clean_value(value: Any, limit: int = 10_000) -> Any:
    """A value storable as JSON: texts cleaned, tuples as lists, NaN and infinities as strings."""
    if isinstance(value, str):
        return clean_text(value, limit)[0]
    if isinstance(value, bool) or value is None or isinstance(value, int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {clean_text(str(key), 200)[0]: clean_value(item, limit) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean_value(item, limit) for item in value]
    if isinstance(value, set | frozenset):
        return sorted((clean_value(item, limit) for item in value), key=str)
    if callable(getattr(value, "item", None)):  # a number of numpy or torch
        return clean_value(value.item(), limit)
    return clean_text(str(value), limit)[0]

"""Checks of single values, shared by several kinds; errors name the field."""

import unicodedata
from typing import Any

from annotation.kinds.protocol import PayloadRefused


def check_fields(payload: Any, allowed: frozenset[str], place: str = "payload") -> dict[str, Any]:
    if not isinstance(payload, dict):
        raise PayloadRefused(place, f"must be an object, not {_describe_value(payload)}")
    for key in payload:
        if key not in allowed:
            raise PayloadRefused(str(key)[:60], f"is not a field of this task; known are {', '.join(sorted(allowed))}")
    return payload


def check_storable(value: Any, place: str, limit: int) -> str:
    """The text, unchanged. Refuses what a database cannot store: NUL and half surrogate pairs."""
    if not isinstance(value, str):
        raise PayloadRefused(place, f"must be a text, not {_describe_value(value)}")
    if len(value) > limit:
        raise PayloadRefused(place, f"is {len(value)} characters long; at most {limit} fit")
    if "\x00" in value:
        raise PayloadRefused(place, f"contains a NUL character at {value.index(chr(0))}; remove it")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise PayloadRefused(place, f"contains half a surrogate pair at {error.start}; remove it") from None
    return value


def normalize_text(value: Any, place: str, limit: int) -> str:
    """Text written by a person: CRLF becomes LF, nothing else changes."""
    return check_storable(value, place, limit).replace("\r\n", "\n")


def is_blank(text: str) -> bool:
    """Whether a text holds only spaces and invisible format or control characters."""
    return all(char.isspace() or unicodedata.category(char) in ("Cf", "Cc") for char in text)


def check_integer(value: Any, place: str, low: int, high: int) -> int:
    """An integer from low to high; a bool is refused."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise PayloadRefused(place, f"must be a whole number, not {_describe_value(value)}")
    if not low <= value <= high:
        raise PayloadRefused(place, f"is {_describe_value(value)}; it must be {low} to {high}")
    return value


def check_boolean(value: Any, place: str) -> bool:
    if not isinstance(value, bool):
        raise PayloadRefused(place, f"must be true or false, not {_describe_value(value)}")
    return value


def check_list(value: Any, place: str, limit: int) -> list[Any]:
    if not isinstance(value, list):
        raise PayloadRefused(place, f"must be a list, not {_describe_value(value)}")
    if len(value) > limit:
        raise PayloadRefused(place, f"has {len(value)} entries; at most {limit} fit")
    return value


def _describe_value(value: Any) -> str:
    if isinstance(value, int) and not -(10**18) < value < 10**18:
        return "a number of more than 18 digits"
    text = ascii(value)
    return text if len(text) <= 40 else text[:37] + "..."

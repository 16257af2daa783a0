"""Checks of single values that several kinds make, and that name the field."""

import unicodedata
from typing import Any

from annotation.kinds.protocol import Refused


def known_fields(payload: Any, allowed: frozenset[str], place: str = "payload") -> dict[str, Any]:
    if not isinstance(payload, dict):
        raise Refused(place, f"must be an object, not {_shown(payload)}")
    for key in payload:
        if key not in allowed:
            raise Refused(str(key)[:60], f"is not a field of this task; known are {', '.join(sorted(allowed))}")
    return payload


def storable(value: Any, place: str, limit: int) -> str:
    """The text as it came. Refuses what no database can hold: NUL and half surrogate pairs."""
    if not isinstance(value, str):
        raise Refused(place, f"must be a text, not {_shown(value)}")
    if len(value) > limit:
        raise Refused(place, f"is {len(value)} characters long; at most {limit} fit")
    if "\x00" in value:
        raise Refused(place, f"contains a NUL character at {value.index(chr(0))}; remove it")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise Refused(place, f"contains half a surrogate pair at {error.start}; remove it") from None
    return value


def human_text(value: Any, place: str, limit: int) -> str:
    """What a person wrote: CRLF becomes LF, nothing else changes."""
    return storable(value, place, limit).replace("\r\n", "\n")


def is_blank(text: str) -> bool:
    """Nothing to read: only spaces and invisible format or control characters."""
    return all(char.isspace() or unicodedata.category(char) in ("Cf", "Cc") for char in text)


def whole(value: Any, place: str, low: int, high: int) -> int:
    """A whole number of low..high; True is none."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise Refused(place, f"must be a whole number, not {_shown(value)}")
    if not low <= value <= high:
        raise Refused(place, f"is {_shown(value)}; it must be {low} to {high}")
    return value


def switch(value: Any, place: str) -> bool:
    if not isinstance(value, bool):
        raise Refused(place, f"must be true or false, not {_shown(value)}")
    return value


def rows(value: Any, place: str, limit: int) -> list[Any]:
    if not isinstance(value, list):
        raise Refused(place, f"must be a list, not {_shown(value)}")
    if len(value) > limit:
        raise Refused(place, f"has {len(value)} entries; at most {limit} fit")
    return value


def _shown(value: Any) -> str:
    if isinstance(value, int) and not -(10**18) < value < 10**18:
        return "a number of more than 18 digits"
    shown = ascii(value)
    return shown if len(shown) <= 40 else shown[:37] + "..."

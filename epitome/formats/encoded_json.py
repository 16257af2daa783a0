"""JSON text of exports and of stored values: orjson's bytes with sorted keys, no white space, characters unescaped."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import orjson

PLAIN_TYPES = frozenset((str, int, bool, type(None)))
_decode_start = json.JSONDecoder().raw_decode


class EncodedJSON(str):
    """Marks text that is already JSON, so that a table cell is not encoded twice."""

    __slots__ = ()


def encode_json(value: Any) -> str:
    """Raises ValueError for a number that is not finite, TypeError for what is no JSON.

    A value with an integer of more than 64 bits, which orjson refuses, is written by the standard library: the same
    but for floats below 0.0001 (1e-07 instead of 1e-7).
    """
    try:
        return _encode(value, value).decode()
    except orjson.JSONEncodeError:
        return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def encode_object(data: Mapping[str, Any], encoded_values: Mapping[str, str]) -> bytes:
    """JSON of an object, as encode_json writes each value. Raises ValueError for half a surrogate pair too.

    encoded_values: values that are JSON text already, by key; they replace those of `data`.
    """
    values = {key: value for key, value in data.items() if key not in encoded_values}
    fragments = {key: orjson.Fragment(text.encode()) for key, text in encoded_values.items()}
    try:
        return _encode(values | fragments, values)
    except orjson.JSONEncodeError:
        fragments |= {key: orjson.Fragment(encode_json(value).encode()) for key, value in values.items()}
        return orjson.dumps(fragments, option=orjson.OPT_SORT_KEYS)


def _encode(value: Any, own_values: Any) -> bytes:
    """own_values: the value without what is encoded already."""
    encoded = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    if b"null" in encoded:  # what orjson writes for numbers that are not finite
        _refuse_not_finite(own_values)
    return encoded


def _refuse_not_finite(value: Any) -> None:
    pending = [value]
    for item in pending:  # grows while it is read
        if type(item) in PLAIN_TYPES:
            continue
        if isinstance(item, dict):
            pending.extend(item.values())
        elif isinstance(item, list | tuple):
            pending.extend(item)
        elif isinstance(item, float) and not math.isfinite(item):
            raise ValueError(f"JSON has no float {item}")


def parse_stored_segments(text: str | None) -> Any:
    """The segments of a source, stored by ourselves: strings and small integers, which orjson reads three times as
    fast. None for None."""
    return None if text is None else orjson.loads(text)


def parse_stored_json(text: str | None) -> Any:
    """The value of JSON text stored in the database; None for None. Long integers stay exact, which orjson's do not."""
    if text is None:
        return None
    value, end = _decode_start(text)
    if end != len(text):
        raise ValueError(f"JSON text goes on after its value at {end}")
    return value

"""Fast JSON encoding for exports: by orjson, and always the same text as `epitome1.dump_line` writes.

orjson writes floats below 0.0001 differently (1e-7 for 1e-07), NaN as null, and no integer of more than 64 bits. Values
with any of these are encoded by the standard library, which refuses NaN and infinities.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import orjson

PLAIN_TYPES = frozenset((str, int, bool, type(None)))
SMALLEST_FLOAT = 0.0001
"""From here on, up to the largest float, orjson and the standard library write the same digits."""

_encode_exactly = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False).encode
_decode_start = json.JSONDecoder().raw_decode


class EncodedJSON(str):
    """Marks text that is already JSON, so that a table cell is not encoded twice."""

    __slots__ = ()


def encode_json(value: Any) -> str:
    """Sorted keys, no white space, non-ASCII characters unescaped. Raises ValueError for NaN."""
    if _has_only_plain_values(value):
        try:
            return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
        except orjson.JSONEncodeError:
            pass
    return _encode_exactly(value)


def encode_object(data: Mapping[str, Any], encoded_values: Mapping[str, str]) -> bytes:
    """JSON of an object. encoded_values: values that are JSON text already, by key; they replace those of `data`."""
    values = {key: value for key, value in data.items() if key not in encoded_values}
    fragments = {key: orjson.Fragment(text.encode()) for key, text in encoded_values.items()}
    if _has_only_plain_values(values):
        try:
            return orjson.dumps({**values, **fragments}, option=orjson.OPT_SORT_KEYS)
        except orjson.JSONEncodeError:
            pass
    fragments |= {key: orjson.Fragment(encode_json(value).encode()) for key, value in values.items()}
    return orjson.dumps(fragments, option=orjson.OPT_SORT_KEYS)


def _has_only_plain_values(value: Any) -> bool:
    """Whether orjson writes every value as the standard library does; integers and keys are not looked at."""
    pending = [value]
    for item in pending:  # grows while it is read
        kind = type(item)
        if kind in PLAIN_TYPES:
            continue
        if kind is dict:
            pending.extend(item.values())
        elif kind is list:
            pending.extend(item)
        elif kind is not float or not (SMALLEST_FLOAT <= abs(item) < float("inf") or item == 0):
            return False
    return True


def parse_stored_json(text: str | None) -> Any:
    """The value of JSON text stored in the database; None for None."""
    if text is None:
        return None
    value, end = _decode_start(text)
    if end != len(text):
        raise ValueError(f"JSON text goes on after its value at {end}")
    return value

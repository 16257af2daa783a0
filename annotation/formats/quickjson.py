"""Fast JSON encoding for exports: by orjson, and always the same text as `epitome1.dump_line` writes.

orjson writes floats below 0.0001 differently (1e-7 for 1e-07), NaN as null, and no integer of more than 64 bits. Values
with any of these are encoded by the standard library, which refuses NaN and infinities.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import orjson

OPTIONS = orjson.OPT_SORT_KEYS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_DATACLASS
NEGATIVE_POWER = re.compile(rb"e-[0-9]")
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
    encoded = _encode_if_equal(value, value)
    return _encode_exactly(value) if encoded is None else encoded.decode()


def encode_object(data: Mapping[str, Any], encoded_values: Mapping[str, str]) -> bytes:
    """JSON of an object. encoded_values: values that are JSON text already, by key; they replace those of `data`."""
    values = {key: value for key, value in data.items() if key not in encoded_values}
    fragments = {key: orjson.Fragment(text.encode()) for key, text in encoded_values.items()}
    encoded = _encode_if_equal({**values, **fragments}, values)
    if encoded is not None:
        return encoded
    fragments |= {key: orjson.Fragment(encode_json(value).encode()) for key, value in values.items()}
    return orjson.dumps(fragments, option=orjson.OPT_SORT_KEYS)


def _encode_if_equal(value: Any, own_values: Any) -> bytes | None:
    """By orjson, which also takes a UUID; None if the standard library would write something else.

    own_values: the value without what is encoded already. Only where the text leaves a doubt, each value is looked at:
    a null may have been a NaN, and 0.0000 or e-7 may stand in a float below 0.0001, or in a string.
    """
    try:
        encoded = orjson.dumps(value, option=OPTIONS)
    except orjson.JSONEncodeError:
        return None
    in_doubt = b"null" in encoded or b"0.0000" in encoded or NEGATIVE_POWER.search(encoded)
    return None if in_doubt and not _has_only_plain_values(own_values) else encoded


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


def parse_stored_segments(text: str | None) -> Any:
    """The segments of a source, stored by ourselves: strings and small integers, which orjson reads three times as
    fast. None for None."""
    return None if text is None else orjson.loads(text)


def parse_stored_json(text: str | None) -> Any:
    """The value of JSON text stored in the database; None for None."""
    if text is None:
        return None
    value, end = _decode_start(text)
    if end != len(text):
        raise ValueError(f"JSON text goes on after its value at {end}")
    return value

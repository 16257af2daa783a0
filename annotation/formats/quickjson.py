"""JSON for the shapes an export is full of: the same text as `dump_line`, in a third of its time.

The standard encoder takes a quarter of a microsecond per value, whatever its type. Rows with known keys are put
together as text instead; a row of another shape goes the usual way.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from json.encoder import c_make_encoder, encode_basestring  # type: ignore[attr-defined]
from json.scanner import c_make_scanner  # type: ignore[attr-defined]
from typing import Any

# Made once; JSONEncoder.encode makes one per call. No marks against circles: what comes from JSON has none.
_pieces = c_make_encoder(None, None, encode_basestring, None, ":", ",", True, False, False)
_quoted: Callable[[str], str] = encode_basestring
_scan = c_make_scanner(json.JSONDecoder())


class JSONText(str):
    """Text that is JSON already, so that a table's cell is not encoded twice."""

    __slots__ = ()


def encode(value: Any) -> str:
    """Sorted keys, no white space, characters as they are. Raises ValueError for NaN."""
    return "".join(_pieces(value, 0))


def parse(text: str | None) -> Any:
    """The value of JSON text that a database gave; None for None."""
    if text is None:
        return None
    value, end = _scan(text, 0)
    if end != len(text):
        raise ValueError(f"JSON text goes on after its value at {end}")
    return value


def _segment(row: dict[str, Any]) -> str:
    return f'{{"speaker":{_quoted(row["speaker"])},"text":{_quoted(row["text"])}}}'


def _candidate(row: dict[str, Any]) -> str:
    score = row["score"]
    if not (type(row["mentions"]) is type(row["rank"]) is type(row["words"]) is int):
        raise TypeError
    if score is not None and not (type(score) is float and math.isfinite(score)):
        raise TypeError
    return (
        f'{{"extractor":{_quoted(row["extractor"])},"mentions":{row["mentions"]},"rank":{row["rank"]},'
        f'"score":{"null" if score is None else repr(score)},"text":{_quoted(row["text"])},"words":{row["words"]}}}'
    )


def _decision(row: dict[str, Any]) -> str:
    candidate, rank, shown, text = row["candidate"], row["rank"], row["shown"], row["text"]
    if not (rank is None or type(rank) is int) or not (shown is None or type(shown) is int):
        raise TypeError
    return (
        f'{{"action":{_quoted(row["action"])},"candidate":{"null" if candidate is None else _quoted(candidate)},'
        f'"key":{_quoted(row["key"])},"rank":{"null" if rank is None else rank},'
        f'"shown":{"null" if shown is None else shown},"text":{"null" if text is None else _quoted(text)}}}'
    )


def _rows(rows: Sequence[Any], size: int, write: Callable[[dict[str, Any]], str]) -> str:
    """A list of rows with exactly the keys that `write` knows; of anything else, the usual text."""
    try:
        if set(map(len, rows)) <= {size}:
            return f"[{','.join([write(row) for row in rows])}]"
    except (KeyError, TypeError, AttributeError):
        return encode(rows)
    return encode(rows)


def segments_text(rows: Sequence[Any]) -> str:
    """Rows of speaker and text."""
    return _rows(rows, 2, _segment)


def candidates_text(rows: Sequence[Any]) -> str:
    """Rows of text, rank, score, mentions, words and extractor."""
    return _rows(rows, 6, _candidate)


def decisions_text(rows: Sequence[Any]) -> str:
    """Rows of key, text, action, candidate, rank and shown."""
    return _rows(rows, 6, _decision)


def filled(data: dict[str, Any], parts: dict[str, str]) -> str:
    """The text of an object with long parts (key -> their text) put in.

    Their places are marked by a text with NUL, which no stored text holds.
    """
    text = encode({**data, **{key: f"\0{number}" for number, key in enumerate(parts)}})
    for number, part in enumerate(parts.values()):
        text = text.replace(f'"\\u0000{number}"', part, 1)
    return text

"""Strict JSON parsing for datasets: refuses values that the standard reader accepts but databases cannot store.

Refused beside plain syntax errors: NaN and Infinity, numbers that overflow, integers of thousands of digits, a key
twice in an object, NUL characters, lone surrogates, nesting past 64 levels, broken UTF-8. The fast path is the
standard C scanner with hooks; only refused text is parsed again, slowly, to find the position of the error.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, NoReturn

from epitome.formats.faults import TextFault, decode_utf8

MAX_DEPTH = 64
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
_BRACKET = re.compile(_STRING.pattern + rb"|[\[{\]}]", re.DOTALL)
_BAD_ESCAPE = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")
_BAD_CHAR = re.compile("[\x00\ud800-\udfff]")
_TOKEN = re.compile(
    r'[ \t\r\n]*+(?:(?P<string>"[^"\\]*+(?:\\.[^"\\]*+)*+")|(?P<number>-?[0-9]++(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?)'
    r"|(?P<constant>NaN|-?Infinity)|(?P<mark>[\[\]{},:])|(?P<word>true|false|null))",
    re.DOTALL,
)


class BadJson(TextFault):
    """JSON that is refused."""


class _Flaw(ValueError):
    """Raised by the hooks of the fast path; the position is found afterwards."""


def _build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise _Flaw
    return result


def _parse_float(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise _Flaw
    return number


def _refuse_constant(name: str) -> NoReturn:
    raise _Flaw


_decode_lenient = json.JSONDecoder(strict=False).raw_decode
_DECODE = json.JSONDecoder(
    object_pairs_hook=_build_object, parse_float=_parse_float, parse_constant=_refuse_constant
).decode


def parse_strict_json(raw: bytes) -> Any:
    """The value of one piece of JSON. Raises BadJson with the position inside the piece."""
    if raw.count(b"[") + raw.count(b"{") > MAX_DEPTH:
        _refuse_depth(raw)
    text = decode_utf8(raw, BadJson)
    try:
        value = _DECODE(text)
        if _BAD_ESCAPE.search(raw) and (flaw := find_flaw(text)):
            raise flaw
        return value
    except json.JSONDecodeError as error:
        # A NUL, for example, is also a syntax error: report the more specific fault.
        raise find_flaw(text, error.pos) or _syntax_error(text, error) from error
    except RecursionError as error:
        raise BadJson(f"is nested deeper than {MAX_DEPTH} levels", 0, "depth") from error
    except (_Flaw, ValueError) as error:
        if isinstance(error, BadJson):
            raise
        raise find_flaw(text) or BadJson(f"cannot be read as JSON: {error}", 0, "json") from error


def _syntax_error(text: str, error: json.JSONDecodeError) -> BadJson:
    snippet = text[error.pos : error.pos + 20]
    at_end = error.pos >= len(text.rstrip())
    return BadJson(f"is not JSON: {error.msg}", error.pos, "json", "the end" if at_end else snippet)


def _refuse_depth(raw: bytes) -> None:
    """Raises BadJson for the first bracket outside of strings that is nested deeper than MAX_DEPTH."""
    depth = 0
    for match in _BRACKET.finditer(raw):
        mark = match.group()
        if mark in (b"[", b"{"):
            depth += 1
        elif mark in (b"]", b"}"):
            depth -= 1
        if depth > MAX_DEPTH:
            raise BadJson(f"is nested deeper than {MAX_DEPTH} levels", match.start(), "depth", in_bytes=True)


def count_unclosed(raw: bytes) -> int:
    """How many brackets outside of strings are open at the end (negative: too many are closed)."""
    marks = _STRING.sub(b"", raw)
    return marks.count(b"[") + marks.count(b"{") - marks.count(b"]") - marks.count(b"}")


def walk_tokens(text: str) -> Iterator[tuple[tuple[str | int, ...], int, str, str, bool]]:
    """Tokens that are keys or values: (path, offset, kind, piece, doubled); kind is key, string, number, constant,
    word, [ or {. Stops at the first invalid token; a repeated key of an object has doubled True."""
    stack: list[tuple[set[str] | None, str | int]] = []
    offset, as_key = 0, False
    while match := _TOKEN.match(text, offset):
        kind, piece, start = str(match.lastgroup), match.group(str(match.lastgroup)), match.start(str(match.lastgroup))
        offset = match.end()
        path = tuple(step for _, step in stack)
        if kind == "mark" and piece in "[{":
            yield path, start, piece, piece, False
            stack.append((None, 0) if piece == "[" else (set(), ""))
            as_key = piece == "{"
        elif kind == "mark" and piece in "]}":
            if stack:
                stack.pop()
            as_key = False
        elif piece == "," and stack:
            keys, step = stack[-1]
            as_key = keys is not None
            stack[-1] = (keys, step + 1 if isinstance(step, int) else "")
        elif kind == "string" and as_key and stack:
            keys, _ = stack[-1]
            key = _decode_string(piece)
            stack[-1] = (keys, key)
            yield (*path[:-1], key), start, "key", piece, keys is not None and key in keys
            if keys is not None:
                keys.add(key)
            as_key = False
        elif kind != "mark":
            yield path, start, kind, piece, False


def _decode_string(piece: str) -> str:
    """The text of a JSON string piece (control characters allowed, so that a NUL is detected)."""
    try:
        return str(_decode_lenient(piece)[0])
    except ValueError:
        return piece


def find_flaw(text: str, max_offset: int | None = None) -> BadJson | None:
    """The first fault (up to offset `max_offset`) in text that strict JSON refuses; None when it is valid."""
    for path, offset, kind, piece, doubled in walk_tokens(text):
        if max_offset is not None and offset > max_offset:
            break
        field = ".".join(map(str, path))
        if doubled:
            return BadJson("the key stands twice in one object", offset, "doubled_key", _decode_string(piece), field)
        if kind in ("key", "string") and (bad := _BAD_CHAR.search(_decode_string(piece))):
            name = "a NUL character" if bad.group() == "\0" else "half of a surrogate pair"
            return BadJson(f"holds {name}, which cannot be stored", offset, "character", _decode_string(piece), field)
        if kind == "constant":
            return BadJson(
                "is not a number that JSON has; write null where a value is missing", offset, "number", piece, field
            )
        if kind == "number" and not piece.lstrip("-").isdigit() and math.isinf(float(piece)):
            return BadJson("is too large a number", offset, "number", piece, field)
        if kind == "number" and piece.lstrip("-").isdigit() and len(piece) > 4000:
            return BadJson(f"is a number of {len(piece):,} digits", offset, "number", piece, field)
    return None


def locate_value(raw: bytes, path: tuple[str | int, ...]) -> int:
    """Character offset of the value at `path` in valid JSON, or of its nearest existing parent."""
    best, depth = 0, -1
    for token_path, offset, kind, _, _ in walk_tokens(raw.decode("utf-8", "replace")):
        if kind == "key":
            continue
        if token_path == path:
            return offset
        if len(token_path) > depth and token_path == path[: len(token_path)]:
            best, depth = offset, len(token_path)
    return best

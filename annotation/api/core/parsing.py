"""Strict JSON parsing: refuses NaN, duplicate keys, NUL, lone surrogates and too deep nesting."""

import json
import math
from collections.abc import Mapping
from typing import Any, NoReturn

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.utils.translation import gettext as _
from rest_framework.exceptions import ParseError, ValidationError
from rest_framework.parsers import JSONParser

MAX_DEPTH = 60


def _refuse_constant(name: str) -> NoReturn:
    raise ParseError(_("%(name)s is not JSON; leave the value out.") % {"name": name})


def _parse_finite_float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ParseError(_("%(text)s is too large a number.") % {"text": text[:30]})
    return value


def _refuse_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        seen_keys: set[str] = set()
        for key, _value in pairs:
            if key in seen_keys:
                raise ParseError(_("The key %(key)r occurs twice.") % {"key": key[:60]})
            seen_keys.add(key)
    return mapping


def _refuse_unstorable_text(value: Any, place: str) -> None:
    """Refuse texts that the database or an encoder cannot store, naming the place in the body."""
    if isinstance(value, str):
        if "\x00" in value:
            raise ValidationError({place[:200] or "body": [_("contains a NUL character; remove it")]})
        if not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError as error:
                raise ValidationError(
                    {place[:200] or "body": [_("contains half a surrogate pair at %(at)d") % {"at": error.start}]}
                ) from None
    elif isinstance(value, dict):
        for key, inner in value.items():
            _refuse_unstorable_text(key, place)
            _refuse_unstorable_text(inner, f"{place}.{key}" if place else key)
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            _refuse_unstorable_text(inner, f"{place}[{i}]")


def parse_json(text: str) -> Any:
    """Parse a JSON text. Raises ParseError, or ValidationError naming the place of a text that cannot be stored."""
    if text.count("[") + text.count("{") > MAX_DEPTH and _nesting_depth(text) > MAX_DEPTH:
        raise ParseError(_("The body nests deeper than %(n)d levels.") % {"n": MAX_DEPTH})
    try:
        value = json.loads(
            text,
            parse_constant=_refuse_constant,
            parse_float=_parse_finite_float,
            object_pairs_hook=_refuse_duplicate_keys,
        )
    except (ValueError, RecursionError) as error:
        raise ParseError(_("The body is not JSON: %(why)s") % {"why": str(error)[:200]}) from None
    _refuse_unstorable_text(value, "")
    return value


class StrictJSONParser(JSONParser):
    """Like DRF's parser, but refuses what Python's json lets through, and reads no more than the limit of a form."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> Any:
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        raw = stream.read(limit + 1) if limit else stream.read()
        if limit and len(raw) > limit:
            raise RequestDataTooBig(f"The body is over {limit} bytes.")
        if not raw:
            return {}
        try:
            text = raw.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise ParseError(_("The body is not UTF-8 at byte %(at)d.") % {"at": error.start}) from None
        return parse_json(text)


def _nesting_depth(text: str) -> int:
    """Greatest nesting of brackets outside strings."""
    deepest = depth = 0
    inside = escaped = False
    for char in text:
        if inside:
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char == '"':
                inside = False
        elif char == '"':
            inside = True
        elif char in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif char in "]}":
            depth -= 1
    return deepest

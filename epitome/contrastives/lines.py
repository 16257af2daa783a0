"""Reads files of contrastive examples: one JSON line for each, with faults that name the line and the field."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from epitome.contrastives.edits import MOST_EDITS, Edit
from epitome.contrastives.quotas import RULES
from epitome.formats.faults import Fault, FieldFault, json_type_name
from epitome.formats.line_fields import require_field, require_int
from epitome.formats.reading import InputFile, Spot, read_lines
from epitome.formats.strictjson import BadJson, parse_strict_json

MOST_CHARACTERS = 100_000
"""Of a text: as long as a summary may be."""
STATES = ("active", "excluded")


@dataclass(frozen=True, slots=True)
class ContrastiveLine:
    """One line. tuple_key, sample_id, source_id and gold find its gold summary; "" where not given. edits: None where
    they have to be derived."""

    spot: Spot
    rule: str
    text: str
    edits: tuple[Edit, ...] | None = None
    tuple_key: str = ""
    sample_id: str = ""
    source_id: str = ""
    gold: str = ""
    state: str = STATES[0]
    from_source: dict[str, int] | None = None


def read_contrastive_lines(file: InputFile) -> Iterator[ContrastiveLine | Fault]:
    """One item per non-blank line. Raises UnreadableFile."""
    for item in read_lines(file):
        if isinstance(item, Fault):
            yield item
            continue
        spot = Spot(file, item[0], 1, item[1])
        try:
            yield _parse_line(spot, parse_strict_json(spot.raw))
        except (BadJson, FieldFault) as error:
            yield spot.fault(error)


def _parse_line(spot: Spot, line: object) -> ContrastiveLine:
    if not isinstance(line, dict):
        raise FieldFault((), f"must be an object, not {json_type_name(line)}", line, "type")
    if line.get("task", "contrastive") != "contrastive":
        raise FieldFault(("task",), 'is not "contrastive"', line["task"], "task")
    rule = require_field(line, "rule", str)
    if rule not in RULES:
        raise FieldFault(("rule",), f"is none of {', '.join(RULES)}", rule, "rule")
    text = _read_text(line, "text", is_needed=True)
    keys = {key: _read_text(line, key) for key in ("tuple", "sample_id", "source_id", "gold")}
    if not any((keys["tuple"], keys["sample_id"], keys["source_id"])):
        raise FieldFault(("tuple",), "is missing: give tuple, sample_id or source_id", code="missing")
    state = line.get("state") or STATES[0]
    if state not in STATES:
        raise FieldFault(("state",), f"is none of {', '.join(STATES)}", state, "state")
    edits = line.get("edits")
    return ContrastiveLine(
        spot=spot,
        rule=rule,
        text=text,
        edits=None if edits is None else _parse_edits(edits),
        tuple_key=keys["tuple"],
        sample_id=keys["sample_id"],
        source_id=keys["source_id"],
        gold=keys["gold"],
        state=state,
        from_source=_parse_origin(line.get("from_source")),
    )


def _read_text(line: Mapping[str, Any], key: str, *, is_needed: bool = False) -> str:
    if not is_needed and line.get(key) is None:
        return ""
    text: str = require_field(line, key, str)
    if is_needed and not text.strip():
        raise FieldFault((key,), "is empty", text, "empty")
    if len(text) > MOST_CHARACTERS:
        raise FieldFault((key,), f"has {len(text):,} characters; {MOST_CHARACTERS:,} are possible", code="long")
    return text


def _parse_edits(edits: object) -> tuple[Edit, ...]:
    if not isinstance(edits, list) or not 1 <= len(edits) <= MOST_EDITS:
        raise FieldFault(("edits",), "must be a list of one or two", edits, "type")
    parsed = []
    for index, edit in enumerate(edits):
        path: tuple[str | int, ...] = ("edits", index)
        if not isinstance(edit, dict):
            raise FieldFault(path, f"must be an object, not {json_type_name(edit)}", edit, "type")
        start, end = require_int(edit, "start", path=path), require_int(edit, "end", path=path)
        was, now = require_field(edit, "was", str, path=path), require_field(edit, "now", str, path=path)
        parsed.append(Edit(start, end, was, now))
    return tuple(parsed)


def _parse_origin(origin: object) -> dict[str, int] | None:
    if origin is None:
        return None
    if not isinstance(origin, dict):
        raise FieldFault(("from_source",), f"must be an object, not {json_type_name(origin)}", origin, "type")
    return {key: require_int(origin, key, path=("from_source",)) for key in ("segment", "start", "end")}

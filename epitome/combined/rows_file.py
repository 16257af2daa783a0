"""Rows of combined estimates as JSON lines, so that others can check every number: pi, H and G of each item."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from epitome.combined.rows import CombinedRow
from epitome.formats.faults import Fault, FieldFault, json_type_name
from epitome.formats.reading import InputFile, Spot, empty_file_fault, read_lines
from epitome.formats.strictjson import BadJson, parse_strict_json

MAX_NAME = 1000
Known = tuple[Mapping[str, object], int]
"""Fields with the line where they were first seen."""


class BadRows(ValueError):
    """A file of rows that cannot be used; holds the first fault."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault


def row_line(row: CombinedRow) -> dict[str, Any]:
    """One row as JSON values; `parse_row` reads it back."""
    return {
        "item_id": row.item,
        "source_id": row.source,
        "sample_id": row.sample,
        "system": row.system,
        **({"other": row.other} if row.other else {}),
        "question": row.question,
        "scale": row.scale,
        "pi": row.chance,
        "drawn": row.drawn,
        "H": row.human,
        "raters": row.raters,
        "judge": row.judge,
        "G": row.judged,
        **({"look": row.look} if row.look else {}),
    }


def write_rows(rows: Iterable[CombinedRow]) -> Iterator[bytes]:
    """The rows as encoded JSON lines."""
    for row in rows:
        yield (json.dumps(row_line(row), ensure_ascii=False) + "\n").encode()


def read_combined_rows(file: InputFile) -> list[CombinedRow]:
    """All rows of a file. Raises BadRows at the first fault: broken JSON, a field missing, of a wrong kind or outside
    of its range, two rows of one item, question and judge, rows of one item that contradict each other; and
    UnreadableFile."""
    rows: list[CombinedRow] = []
    checks = _Checks()
    for line in read_lines(file):
        if isinstance(line, Fault):
            raise BadRows(line)
        number, raw = line
        try:
            row = parse_row(parse_strict_json(raw))
            checks.add(number, row)
        except (BadJson, FieldFault) as error:
            raise BadRows(Spot(file, number, 1, raw).fault(error)) from error
        rows.append(row)
    if not rows:
        raise BadRows(empty_file_fault(file))
    return rows


class _Checks:
    """What rows of one file must have in common."""

    def __init__(self) -> None:
        self._line_of: dict[tuple[str, str, str], int] = {}
        self._places: dict[str, Known] = {}
        self._draws: dict[tuple[str, str], Known] = {}
        self._scales: dict[str, Known] = {}

    def add(self, line: int, row: CombinedRow) -> None:
        """Raises FieldFault."""
        key = (row.item, row.question, row.judge)
        if (earlier := self._line_of.setdefault(key, line)) != line:
            message = f"this item has a row for this question and judge on line {earlier}; keep one"
            raise FieldFault(("item_id",), message, row.item, "doubled")
        place = dict(zip(("source_id", "sample_id", "system", "other"), _place_of(row), strict=True))
        draw = {"pi": row.chance, "drawn": row.drawn, "H": row.human}
        compare_fields(place, *self._places.setdefault(row.item, (place, line)), "item")
        compare_fields(draw, *self._draws.setdefault((row.item, row.question), (draw, line)), "item and question")
        scale = {"scale": row.scale}
        compare_fields(scale, *self._scales.setdefault(row.question, (scale, line)), "question")


def _place_of(row: CombinedRow) -> tuple[str, str, str, str]:
    return row.source, row.sample, row.system, row.other


def compare_fields(values: Mapping[str, object], known: Mapping[str, object], line: int, same: str) -> None:
    """Raises FieldFault for the first field that differs from an earlier line with the same item or question."""
    for name, value in values.items():
        if value != known[name]:
            raise FieldFault((name,), f"differs from that of the same {same} on line {line}", value, "differs")


def parse_row(values: object) -> CombinedRow:
    """One line. Raises FieldFault."""
    if not isinstance(values, dict):
        raise FieldFault((), f"is {json_type_name(values)}, not a row {{...}}", values)
    human = _parse_value(values, "H")
    drawn = values.get("drawn", human is not None)
    if not isinstance(drawn, bool):
        raise FieldFault(("drawn",), f"is {json_type_name(drawn)}, not true/false", drawn, "kind")
    if human is not None and not drawn:
        raise FieldFault(("H",), "is given, but the item was not drawn for people", human, "drawn")
    source = parse_name(values, "source_id")
    return CombinedRow(
        item=parse_name(values, "item_id"),
        source=source,
        sample=parse_name(values, "sample_id", source),
        system=parse_name(values, "system"),
        other=parse_name(values, "other", ""),
        question=parse_name(values, "question"),
        judge=parse_name(values, "judge"),
        chance=_parse_chance(values),
        drawn=drawn,
        human=human,
        judged=_parse_value(values, "G"),
        raters=_parse_count(values, "raters"),
        scale=parse_name(values, "scale", ""),
        look=_parse_count(values, "look"),
    )


def parse_name(values: Mapping[str, Any], key: str, default: str | None = None) -> str:
    """A text of a line. default: where there is none; None: it must be there. Raises FieldFault."""
    text = values.get(key)
    if text is None or (text == "" and default is not None):
        if default is not None:
            return default
        raise FieldFault((key,), "is missing", code="missing")
    if not isinstance(text, str):
        raise FieldFault((key,), f"is {json_type_name(text)}, not text", text, "kind")
    if not text.strip():
        raise FieldFault((key,), "is empty", text, "empty")
    if len(text) > MAX_NAME:
        raise FieldFault((key,), f"is longer than {MAX_NAME:,} characters", text, "long")
    return text


def _parse_value(values: Mapping[str, Any], key: str) -> float | None:
    number = values.get(key)
    if number is None:
        return None
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise FieldFault((key,), f"is {json_type_name(number)}, not a number from 0 to 1", number, "kind")
    if not 0 <= number <= 1:
        raise FieldFault((key,), "is not from 0 to 1", number, "range")
    return float(number)


def _parse_chance(values: Mapping[str, Any]) -> float:
    if values.get("pi") is None:
        message = "is missing: the chance with which the item was drawn for people, n / N where n of N were drawn"
        raise FieldFault(("pi",), message, code="missing")
    chance = _parse_value(values, "pi")
    if not chance:
        raise FieldFault(("pi",), "is 0: items that people could not be asked about cannot be counted", 0, "range")
    return chance


def _parse_count(values: Mapping[str, Any], key: str) -> int:
    number = values.get(key, 0)
    if type(number) is not int or number < 0:
        raise FieldFault((key,), "is not a whole number from 0", number, "kind")
    return number

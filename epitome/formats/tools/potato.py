"""Potato 1 and 2: what its server writes for each person, and what its export command makes of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from epitome.formats.answers import Answer
from epitome.formats.reading import InputFile
from epitome.formats.rows import Row, Rows
from epitome.formats.tools.tool import Tool, Values, name_person, note_left_out, peek_rows, read_each

_STATE = "instance_id_to_label_to_value"
_PEOPLE = ("user_id", "user", "annotator", "username")
_JOINTS = (":::", ".")
"""Between scheme and name of a column: of Potato 1 and of the export command of Potato 2."""
_SPANS = "_spans"
_MIN_WORDS = 3
_NO_TEXTS = (
    "holds answers without the texts that they are about; choose the project's data file as the file with the texts as "
    "well (--text-from)"
)


def is_potato(entry: Mapping[str, Any]) -> bool:
    """Whether an entry is the state of a person, a line of an export, or a row of a table."""
    if isinstance(entry.get(_STATE), dict):
        return True
    if "displayed_text" in entry and bool({"label_annotations", "annotations"} & entry.keys()):
        return True
    return "instance_id" in entry and isinstance(entry.get("labels"), dict)


def has_columns(names: Collection[str]) -> bool:
    """Whether columns are those of a table of answers."""
    known = set(names)
    is_table = "instance_id" in known and bool({"user", "user_id"} & known)
    return is_table and any(joint in name for name in known for joint in _JOINTS)


def read_potato(file: InputFile, rows: Rows) -> Rows:
    """One row per text and person. Raises UnreadableFile where texts are neither there nor in another file."""
    first, rows = peek_rows(rows)
    if first and file.texts is None and not any("displayed_text" in values or "text" in values for values in first):
        raise file.unreadable(_NO_TEXTS, code="no_text")
    written = _find_written(first)

    def flatten(row: Row) -> list[Values]:
        if isinstance(row.values.get(_STATE), dict):
            return _flatten_state(file, row)
        if {"labels", "label_annotations", "annotations"} & row.values.keys():
            return [_flatten_line(file, row)]
        return [_flatten_cells(file, row, written)]

    return read_each(file, rows, "Potato", flatten)


def _flatten_state(file: InputFile, row: Row) -> list[Values]:
    """The texts that one person worked on: {text id: [[{"schema", "name"}, value]]}."""
    flat_rows = []
    person = _find_person(row.values)
    for name, labels in row.values[_STATE].items():
        schemes: dict[str, dict[str, Any]] = {}
        for label, value in labels:
            schemes.setdefault(str(label["schema"]), {})[str(label["name"])] = value
        flat_rows.append({"instance_id": name, **_read_schemes(file, row, schemes, person)})
    if any((row.values.get("instance_id_to_span_to_value") or {}).values()):
        note_left_out(file, "marks in texts", row.place)
    return flat_rows


def _flatten_line(file: InputFile, row: Row) -> Values:
    """A line of the export command, or of the files that Potato 1 writes."""
    entry = row.values
    values: Values = {name: entry[name] for name in ("id", "instance_id", "displayed_text") if name in entry}
    if "displayed_text" in values:
        values["text"] = values.pop("displayed_text")
    labels = entry.get("labels", entry.get("label_annotations", entry.get("annotations")))
    if entry.get("spans") or entry.get("span_annotations"):
        note_left_out(file, "marks in texts", row.place)
    return values | _read_schemes(file, row, labels if isinstance(labels, dict) else {}, _find_person(entry))


def _read_schemes(file: InputFile, row: Row, schemes: Mapping[str, Any], person: str) -> Values:
    """{scheme: answers} of {scheme: {name: value}}: a text box holds what was typed, a choice its own name."""
    values: Values = {}
    for scheme, labels in schemes.items():
        boxes = (
            {name: value for name, value in labels.items() if _is_box(name, value)} if isinstance(labels, dict) else {}
        )
        answers = [Answer(value, author=person) for value in boxes.values() if value.strip()]
        if answers:
            values[f"{scheme} (answers)" if scheme in ("id", "text", "instance_id") else scheme] = answers
        elif labels and not boxes:
            note_left_out(file, "choices and ratings", row.place)
    return values


def _is_box(name: str, value: Any) -> bool:
    return isinstance(value, str) and ("text" in name.lower() or len(value.split()) >= _MIN_WORDS) and value != name


def _find_written(first: list[Mapping[str, Any]]) -> set[str]:
    """The columns of a table that hold texts which people wrote."""
    names = {name for values in first for name in values if any(joint in name for joint in _JOINTS)}
    columns = set()
    for name in names:
        cells = [str(values[name]) for values in first if values.get(name)]
        is_long = bool(cells) and sum(len(cell.split()) for cell in cells) >= _MIN_WORDS * len(cells)
        if not name.endswith(_SPANS) and (is_long or name.endswith("text_box")):
            columns.add(name)
    return columns


def _flatten_cells(file: InputFile, row: Row, written: set[str]) -> Values:
    """A row of a table: a column for each scheme and name."""
    entry = row.values
    person = _find_person(entry)
    values: Values = {}
    for name, cell in entry.items():
        if name in _PEOPLE:
            continue
        if name.endswith(_SPANS):
            if cell:
                note_left_out(file, "marks in texts", row.place)
        elif name in written:
            values[name] = [Answer(str(cell), author=person)] if cell and str(cell).strip() else []
        elif cell not in (None, ""):
            values[name] = cell
    return values


def _find_person(entry: Mapping[str, Any]) -> str:
    return next((name_person(entry[key]) for key in _PEOPLE if entry.get(key) not in (None, "")), "")


POTATO = Tool(
    "potato",
    "Potato",
    read_potato,
    has_entry=lambda entry: is_potato(entry) or has_columns(entry.keys()),
    has_header=has_columns,
    example="potato.jsonl",
    versions="2.12.1, and the layout of 1",
    cannot_know="the texts, which stand in the project's data file; the file that its server writes itself may be old",
)

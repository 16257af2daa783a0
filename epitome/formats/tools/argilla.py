"""Argilla 1 and 2: records with responses as JSON, and flat rows with columns of responses."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from epitome.formats.answers import SUBMITTED, UNKNOWN, Answer, find_state
from epitome.formats.cell_values import parse_cell
from epitome.formats.reading import InputFile
from epitome.formats.rows import Row, Rows
from epitome.formats.tools.tool import (
    Tool,
    Values,
    dicts_of,
    free_name,
    name_person,
    note_left_out,
    read_each,
)

_RESPONSES = ".responses"
_USERS, _STATES = ".responses.users", ".responses.status"
_SUGGESTION = re.compile(r"(?:\.suggestion(?:\.\w+)?|-suggestion(?:-metadata)?)$")
_BOOKKEEPING = ("status", "_server_id", "inserted_at", "updated_at", "vectors")
"""Keys of a record that say nothing of its answers: its status is whether enough people answered."""
_NO_STATE = (
    "an answer has no status, so that drafts and discarded texts cannot be told from submitted ones; export with "
    "to_datasets or to_list(flatten=True)"
)
_SUGGESTIONS = "suggestions of models"


def is_argilla(entry: Mapping[str, Any]) -> bool:
    """Whether an entry is a record, or a flat row."""
    if isinstance(entry.get("fields"), dict) and bool({"responses", "suggestions"} & entry.keys()):
        return True
    return has_columns(entry.keys()) or _is_hub_row(entry)


def has_columns(names: Collection[str]) -> bool:
    """Whether columns are those of flat rows; of Argilla 1 on the hub, by the suggestion beside each question."""
    known = set(names)
    return any(name.endswith(_USERS) and name.removesuffix(".users") in known for name in known) or (
        any(name.endswith("-suggestion") and name.removesuffix("-suggestion") in known for name in known)
        and bool({"external_id", "metadata"} & known)
    )


def _is_hub_row(entry: Mapping[str, Any]) -> bool:
    has_answers = any(map(_is_given_list, entry.values()))
    return has_answers and bool({"external_id", "metadata"} & entry.keys()) and "fields" not in entry


def _is_given_list(value: Any) -> bool:
    items = dicts_of(value)
    return bool(items) and all({"user_id", "value", "status"} <= item.keys() for item in items)


def read_argilla(file: InputFile, rows: Rows) -> Rows:
    """One row per record; for each question the answers that are texts."""
    return read_each(file, rows, "Argilla", lambda row: [_flatten(file, row)])


def _flatten(file: InputFile, row: Row) -> Values:
    if isinstance(row.values.get("fields"), dict):
        return _flatten_record(file, row)
    return _flatten_columns(file, row)


def _flatten_record(file: InputFile, row: Row) -> Values:
    entry = row.values
    name = entry.get("external_id") or entry.get("id")
    values: Values = {"id": name} if name else {}
    values |= {name: value for name, value in entry["fields"].items() if name != "id"}
    if isinstance(entry.get("metadata"), dict) and entry["metadata"]:
        values["metadata"] = entry["metadata"]
    if entry.get("suggestions"):
        note_left_out(file, _SUGGESTIONS, row.place)
    for question, answer in _pair_answers(entry.get("responses")):
        _add_answer(file, row, values, free_name(values, entry["fields"], question), answer)
    return values


def _pair_answers(responses: Any) -> list[tuple[str, dict[str, Any]]]:
    """(question, {"value", "user_id", "status"}) of {question: [{"value"}]}, as version 2 has it, or of
    [{"values": {question: {"value"}}}], as version 1 has it."""
    if isinstance(responses, dict):
        return [(name, answer) for name, items in responses.items() for answer in dicts_of(items)]
    pairs = []
    for response in dicts_of(responses):
        shared = {name: response[name] for name in ("user_id", "status") if name in response}
        for name, answer in (response.get("values") or {}).items():
            pairs.append((name, {**shared, **(answer if isinstance(answer, dict) else {"value": answer})}))
    return pairs


def _add_answer(file: InputFile, row: Row, values: Values, name: str, answer: Mapping[str, Any]) -> None:
    """Add a text that a person wrote to the answers of a question; count what is no text."""
    value = answer.get("value")
    if not isinstance(value, str):
        note_left_out(file, _name_kind(value), row.place)
        return
    if "status" not in answer:
        file.notes.add(_NO_STATE, row.place)
    state = find_state(answer.get("status", SUBMITTED)) or UNKNOWN
    if value.strip():
        values.setdefault(name, []).append(Answer(value, state=state, author=name_person(answer.get("user_id"))))


def _name_kind(value: Any) -> str:
    if isinstance(value, list):
        is_marks = any(isinstance(item, dict) and "start" in item for item in value)
        return "marks in texts" if is_marks else "choices and rankings"
    return "ratings"


def _flatten_columns(file: InputFile, row: Row) -> Values:
    """A flat row: columns of responses, of their users and states stand side by side."""
    entry = row.values
    values: Values = {}
    for name, cell in entry.items():
        if name.endswith((_USERS, _STATES)) or name in _BOOKKEEPING:
            continue
        if _SUGGESTION.search(name):
            if cell not in (None, "", []):
                note_left_out(file, _SUGGESTIONS, row.place)
            continue
        value = parse_cell(cell)
        if name.endswith(_RESPONSES):
            for answer in _join_columns(entry, name, value):
                _add_answer(file, row, values, name, answer)
        elif _is_given_list(value):
            for answer in value:
                _add_answer(file, row, values, name, answer)
        elif name == "metadata":
            values |= {name: value} if isinstance(value, dict) and value else {}
        else:
            values[name] = cell
    if "external_id" in values and "id" in values:
        del values["id" if values["external_id"] else "external_id"]
    return values


def _join_columns(entry: Mapping[str, Any], name: str, answers: Any) -> list[dict[str, Any]]:
    users, states = (_as_list(parse_cell(entry.get(f"{name}.{further}"))) for further in ("users", "status"))
    joined = []
    for index, value in enumerate(_as_list(answers)):
        answer = {"value": value, "user_id": users[index] if index < len(users) else ""}
        joined.append(answer | ({"status": states[index]} if index < len(states) else {}))
    return joined


def _as_list(cell: Any) -> list[Any]:
    """A cell of one answer, of its user or its state, as a list like that of several."""
    return cell if isinstance(cell, list) else [] if cell in (None, "") else [cell]


ARGILLA = Tool(
    "argilla",
    "Argilla",
    read_argilla,
    has_entry=is_argilla,
    has_header=has_columns,
    example="argilla.json",
    versions="2.8.0, and the layouts of 1",
    cannot_know="to_json of version 2 has no states: drafts and discarded texts look like submitted ones",
)

"""Prodigy: JSON lines of tasks with what a person typed and decided."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from epitome.formats.answers import UNKNOWN, Answer, find_state
from epitome.formats.reading import InputFile
from epitome.formats.rows import Row, Rows
from epitome.formats.tools.tool import Tool, Values, name_person, note_left_out, read_each, texts_of

_INPUT = "user_input"
"""The key of what was typed into a box of Prodigy's own name."""
_HASHES = ("_input_hash", "_task_hash")
_PEOPLE = ("_annotator_id", "_session_id")
_ANSWER = "answer"
_CHOICES = ("accept", "accepts", "options", "label", "tokens")
_NOT_IMPORTED = {"spans": "marks in texts", "relations": "relations", "accept": "choices", "versions": "versions"}
_KEPT = ("text", "html", "title", "meta", "id", "source")


def is_prodigy(entry: Mapping[str, Any]) -> bool:
    """Whether an entry is a task of Prodigy."""
    return has_columns(entry.keys())


def has_columns(names: Collection[str]) -> bool:
    known = set(names)
    return _HASHES[0] in known and bool({_HASHES[1], _ANSWER, *_PEOPLE} & known)


def read_prodigy(file: InputFile, rows: Rows) -> Rows:
    """One row per task and person. What the person accepted is submitted; what is rejected or ignored has its state."""
    return read_each(file, rows, "Prodigy", lambda row: [_flatten(file, row)])


def _flatten(file: InputFile, row: Row) -> Values:
    entry = row.values
    state = find_state(entry.get(_ANSWER)) or UNKNOWN
    author = next((name_person(entry[key]) for key in _PEOPLE if entry.get(key)), "")
    names = list(entry)
    typed = {name for name in names[names.index(_HASHES[0]) :] if _is_typed(name, entry[name])} | {
        _INPUT
    } & entry.keys()
    values: Values = {}
    for name, value in entry.items():
        if name in typed:
            values[name] = [Answer(text, state=state, author=author) for text in texts_of(value)]
        elif kind := _NOT_IMPORTED.get(name):
            if value:
                note_left_out(file, kind, row.place)
        elif name == "meta" and isinstance(value, dict):
            values |= {f"meta.{key}": item for key, item in value.items() if item not in (None, "")}
        elif name == _HASHES[0] or not (name.startswith("_") or name in (_ANSWER, "sessions", "tokens", "options")):
            values[name] = value
    return values


def _is_typed(name: str, value: Any) -> bool:
    """Whether a key behind the hashes holds text: what a task brings along stands before them."""
    return isinstance(value, str) and not name.startswith("_") and name not in (*_KEPT, *_CHOICES, _ANSWER, "key")


PRODIGY = Tool(
    "prodigy",
    "Prodigy",
    read_prodigy,
    has_entry=is_prodigy,
    has_header=has_columns,
    example="prodigy.jsonl",
    versions="by its documentation",
    cannot_know="which box a text was typed into, where several boxes have names of their own",
)

"""Rows inside one JSON object: a list under a key, lists or objects per column, an object per id, a list per split.

These are what pandas, dataset servers and search engines write instead of a list of entries.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard, TypeVar

from epitome.formats.faults import Fault, FieldFault, path_text
from epitome.formats.reading import InputFile
from epitome.formats.records import is_split_name
from epitome.formats.rows import Row, Rows

T = TypeVar("T")
Path = tuple[str | int, ...]
Values = Mapping[str, Any]
LIST_NAMES = frozenset(
    {"data", "rows", "items", "examples", "records", "instances", "entries", "samples", "documents", "docs", "articles"}
    | {"dialogues", "results", "tasks", "hits", "dataset", "corpus"}
)
"""Keys under which files hold their list of entries."""
TEXT_NAMES = frozenset(
    {"id", "text", "article", "document", "dialogue", "dialog", "transcript", "body", "content", "source", "summary"}
    | {"highlights", "title", "segments", "input", "story", "article_text", "full_text", "document_text", "source_text"}
)
"""Names of columns: a key among them is no id of a row."""
_ANSWERED = frozenset({"annotations", "completions", "predictions"})
LIFTED = frozenset({"row", "_source", "data", "task"})
"""Keys of entries that may hold the row."""
_OWN_TEXTS = TEXT_NAMES - {"id", "title", "source", "input"}
_MAX_DEPTH = 2
_WORDY = 5


@dataclass(frozen=True, slots=True)
class InnerSpot:
    """A row inside an object: faults name the path to it, since its line is not known."""

    file: InputFile
    path: Path
    line: int | None = None

    def fault(self, error: FieldFault) -> Fault:
        """The fault of one field of the row."""
        field = path_text((*self.path, *error.path))
        return self.file.fault(error.message, field=field, value=error.value, code=error.code)


def find_rows(values: Values, is_line: bool) -> list[tuple[Path, dict[str, Any]]] | None:
    """(path, row) of all rows in the only object of a file; None where it is an entry itself. is_line: the file is one
    of JSON lines by its name, so that an object whose values are all lists is an entry."""
    if values and all(is_split_name(name) for name in values):
        return _find_split_rows(values)
    if rows := _find_framed(values):
        return rows
    has_text = any(values.get(name) and isinstance(values[name], str | list) for name in _OWN_TEXTS)
    lists = [] if has_text else list(_find_lists(values, (), _MAX_DEPTH))
    if len(lists) == 1:
        path, entries = lists[0]
        return [((*path, number), entry) for number, entry in enumerate(entries)]
    if values and all(isinstance(value, dict) and value for value in values.values()):
        return _find_keyed_rows(values)
    return None if is_line else _find_columns(values)


def read_rows(file: InputFile, rows: Sequence[tuple[Path, dict[str, Any]]]) -> Rows:
    """The rows that find_rows found, each with its number as place."""
    for number, (path, values) in enumerate(rows, 1):
        yield Row(values, f"entry {number}", InnerSpot(file, path))


def _find_split_rows(values: Values) -> list[tuple[Path, dict[str, Any]]] | None:
    """The rows of {"train": [...], "test": [...]}, each with its split."""
    numbered_rows: list[tuple[Path, dict[str, Any]]] = []
    for name, part in values.items():
        if _is_list_of_objects(part):
            rows: list[tuple[Path, dict[str, Any]]] | None = [((number,), row) for number, row in enumerate(part)]
        else:
            rows = find_rows(part, is_line=False) if isinstance(part, dict) else None
        if rows is None and part:
            return None
        numbered_rows += [((name, *path), {"split": name, **row}) for path, row in rows or []]
    return numbered_rows or None


def _find_framed(values: Values) -> list[tuple[Path, dict[str, Any]]] | None:
    """The rows of {"columns": [name, ...], "data": [[cell, ...], ...]}."""
    columns, data = values.get("columns"), values.get("data")
    if not _is_list_of(columns, str) or not _is_list_of(data, list):
        return None
    if any(len(cells) != len(columns) for cells in data) or len(set(columns)) < len(columns):
        return None
    return [(("data", number), dict(zip(columns, cells, strict=True))) for number, cells in enumerate(data)]


def _find_lists(values: Values, path: Path, depth: int) -> Iterator[tuple[Path, list[dict[str, Any]]]]:
    """The lists of objects that stand under a usual name, here or one level deeper."""
    for name, value in values.items():
        if name in LIST_NAMES and _is_list_of_objects(value):
            yield (*path, name), value
        elif depth > 1 and isinstance(value, dict):
            yield from _find_lists(value, (*path, name), depth - 1)


def _find_keyed_rows(values: Values) -> list[tuple[Path, dict[str, Any]]] | None:
    """The rows of {id: {column: value}} or {column: {number: value}}."""
    inner_names = list(dict.fromkeys(name for value in values.values() for name in value))
    if all(name.isdecimal() for name in inner_names) or (
        TEXT_NAMES & values.keys() and not TEXT_NAMES & {*inner_names}
    ):
        return [
            ((name,), {column: cells[name] for column, cells in values.items() if name in cells})
            for name in inner_names
        ]
    if not TEXT_NAMES & {*inner_names}:
        return None
    is_numbered = list(values) == [str(number) for number in range(len(values))]
    return [((key,), value if is_numbered else {"id": key, **value}) for key, value in values.items()]


def _find_columns(values: Values) -> list[tuple[Path, dict[str, Any]]] | None:
    """The rows of {column: [value, ...]}."""
    lengths = {len(value) if isinstance(value, list) else -1 for value in values.values()}
    if len(values) < 2 or len(lengths) != 1 or lengths & {-1, 0}:
        return None
    if not any(isinstance(cells[0], str) for cells in values.values()):
        return None
    return [((number,), {name: cells[number] for name, cells in values.items()}) for number in range(lengths.pop())]


def lift_row(values: dict[str, Any]) -> dict[str, Any]:
    """The row inside an entry of a dataset server ({row_idx, row, truncated_cells}), a search engine ({_id, _source})
    or a list of tasks ({id, data}, {task: {data}}). Raises FieldFault where the server cut cells short."""
    if "row_idx" in values and isinstance(values.get("row"), dict):
        if cut := values.get("truncated_cells"):
            message = "was cut short by the server that sent it (truncated_cells); import the dataset's files instead"
            raise FieldFault(("row", str(cut[0]) if isinstance(cut, list) else ""), message, code="truncated")
        return dict(values["row"])
    task = values.get("task")
    if isinstance(task, dict) and isinstance(task.get("data"), dict):
        return {**task, "annotations": [values]} if "result" in values else lift_row(task)
    if isinstance(values.get("data"), dict) and not _ANSWERED & values.keys() and TEXT_NAMES & values["data"].keys():
        return {**{name: value for name, value in values.items() if name != "data"}, **values["data"]}
    if isinstance(values.get("_source"), dict):
        own_id = {"id": values["_id"]} if "_id" in values else {}
        return {**own_id, **values["_source"]}
    return values


def describe_object(values: Values) -> str:
    """Why the only object of a file is no entry; "" where it may be one: it holds a text or turns, or nothing else."""
    if not any(isinstance(value, list | dict) for value in values.values()):
        return ""
    for name, value in values.items():
        is_wordy = isinstance(value, str) and len(value.split()) >= _WORDY
        if is_wordy or (name.lower() in TEXT_NAMES and name.lower() != "id" and isinstance(value, str | list)):
            return ""
    keys = ", ".join(list(values)[:8]) or "none"
    lists = [name for name, value in values.items() if _is_list_of_objects(value)]
    mend = f"save the list under {' or '.join(lists[:3])} as the file" if lists else "save them as JSON lines or CSV"
    return (
        f"is one object with the keys {keys}; a list of entries is needed, one per source: {mend} "
        '(pandas: orient="records", lines=True)'
    )


def _is_list_of(value: Any, kind: type[T]) -> TypeGuard[list[T]]:
    return isinstance(value, list) and bool(value) and all(isinstance(item, kind) for item in value)


def _is_list_of_objects(value: Any) -> TypeGuard[list[dict[str, Any]]]:
    return _is_list_of(value, dict)

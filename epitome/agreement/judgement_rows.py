"""Reads judgements of lists and data frames: one mapping per judgement, or one row per item with a column per rater."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from epitome.agreement.table import Label, is_missing

NAMES = ("item", "rater", "answer", "question", "source")
ALIASES = {"item_id": "item", "source_id": "source", "label": "answer", "rating": "answer"}
# "id", "sample_id", "docId", "item id", a saved index; not "David".
ID_COLUMN = re.compile(
    r"(?i:item|index|unnamed: 0|id|(?:item|sample|source|doc|document|text|row|unit)s?id)|.*[\W_](?i:id)"
)
CAMEL_ID = re.compile(r".*[a-z0-9]I[dD]")
MAX_TITLE_NAMES = 6
# From here on texts that differ in every row, and whole numbers that count up, are no answers.
MANY_TEXTS, MANY_NUMBERS = 4, 6


def read_rows(data: Any) -> list[dict[str, Any]]:
    """One mapping per judgement with `item`, `rater`, `answer`; missing answers left out. Raises ValueError."""
    if hasattr(data, "columns") and hasattr(data, "to_dict"):
        rows = _rows_of_frame(data)
    elif all(isinstance(row, Mapping) for row in data):
        rows = [_rename_keys(row) for row in data]
    else:
        rows = list(_rows_of_table(data))
    for index, row in enumerate(rows):
        if missing := [name for name in NAMES[:3] if name not in row]:
            raise ValueError(f"row {index} has no {missing[0]}; it has {', '.join(map(str, row))}")
    judged = {index: row for index, row in enumerate(rows) if not is_missing(row["answer"])}
    if not judged:
        raise ValueError("no judgements: there is no row with an answer")
    _check_names(judged)
    return [{**row, "answer": read_label(row["answer"])} for row in judged.values()]


def _check_names(rows: Mapping[int, Mapping[str, Any]]) -> None:
    """A row whose item, rater or question is missing belongs to nobody. Raises ValueError."""
    asked = any(not is_missing(row.get("question")) for row in rows.values())
    for index, row in rows.items():
        for name in ("item", "rater", *(("question",) if asked else ())):
            if is_missing(row.get(name)):
                raise ValueError(
                    f"row {index} has an answer but no {name} ({row.get(name)!r}): fill it in, or leave it out"
                )


def read_label(answer: Any) -> Label:
    """The answer as text, true/false or a float; numbers of numpy become Python's. Raises ValueError."""
    value = answer.item() if isinstance(answer, np.generic) else answer
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int | float):
        return float(value)
    raise ValueError(f"the answer {answer!r:.60} is neither text nor a number nor true/false")


def list_raters(names: Sequence[str]) -> str:
    """The raters' names for a title: all of them, or the first and how many more."""
    shown = [name if len(name) <= 40 else f"{name[:39]}…" for name in names[:MAX_TITLE_NAMES]]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _rename_keys(row: Mapping[Any, Any]) -> dict[str, Any]:
    """Other names of a field become ours, unless the row has ours too."""
    names = {str(name) for name in row}
    return {_field_of(str(name), names): value for name, value in row.items()}


def _field_of(name: str, names: set[str]) -> str:
    field = ALIASES.get(name, name)
    return name if field in names else field


def _rows_of_frame(frame: Any) -> list[dict[str, Any]]:
    columns = [str(name) for name in frame.columns]
    if twice := [name for name in dict.fromkeys(columns) if columns.count(name) > 1]:
        raise ValueError(f"{columns.count(twice[0])} columns are named {twice[0]!r}: give each a name of its own")
    fields = {_field_of(name, set(columns)) for name in columns}
    if set(NAMES[:3]) <= fields:
        return [_rename_keys(row) for row in frame.to_dict("records")]
    items, answers = _split_ids(
        dict(zip(columns, (frame.iloc[:, at].tolist() for at in range(len(columns))), strict=True))
    )
    if items is None:
        items = _read_items("the index", frame.index.tolist())
    return list(_judgements_of(items, answers))


def _split_ids(table: Mapping[str, list[Any]]) -> tuple[list[str] | None, dict[str, list[Any]]]:
    """The items that an id column names, None without one, and the raters' columns. Raises ValueError."""
    ids = [name for name in table if ID_COLUMN.fullmatch(name.strip()) or CAMEL_ID.fullmatch(name.strip())]
    if len(ids) > 1:
        raise ValueError(f"the columns {', '.join(ids)} are all ids: keep one of them, and one column per rater")
    fields = [name for name in table if name in NAMES or name in ALIASES]
    if fields and fields != ids:
        name = next(name for name in fields if name not in ids)
        raise ValueError(
            f"there is a column {name!r}, but the columns are {', '.join(table)}: give one row per judgement with "
            f"item, rater and answer, or one column per rater and no other (rename {name!r} if it is a rater)"
        )
    answers = {name: column for name, column in table.items() if name not in ids}
    check_no_ids(answers)
    return (_read_items(f"the column {ids[0]!r}", table[ids[0]]) if ids else None), answers


def _read_items(place: str, values: Sequence[Any]) -> list[str]:
    """The names of the items. Raises ValueError: one is missing, or stands twice."""
    seen: dict[str, int] = {}
    for row, value in enumerate(values):
        if is_missing(value):
            raise ValueError(f"row {row}: {place} names no item ({value!r})")
        if (earlier := seen.setdefault(str(value), row)) != row:
            raise ValueError(
                f"rows {earlier} and {row}: {place} names the item {value!r:.60} twice; keep one row per item"
            )
    return list(seen)


def check_no_ids(answers: Mapping[str, Sequence[Any]]) -> None:
    """Refuses a rater whose answers are ids by their content: another one for every item. Raises ValueError.

    Text that no other rater gives, or whole numbers that count up, where the others' answers repeat.
    """
    given = {name: [value for value in column if not is_missing(value)] for name, column in answers.items()}
    for name, values in given.items():
        others = [other for key, column in given.items() if key != name for other in column]
        distinct = {repr(value) for value in values}
        if (
            len(values) < MANY_TEXTS
            or len(distinct) < len(values)
            or len({repr(value) for value in others}) >= len(distinct)
        ):
            continue
        apart = all(isinstance(value, str) for value in values) and not distinct & {repr(value) for value in others}
        if apart or _counts_up(values):
            raise ValueError(
                f"the answers of {name!r:.60} are {values[0]!r:.40}, {values[1]!r:.40}, ..., another one for every "
                "item, as ids are: leave that column out, or name it item"
            )


def _counts_up(values: Sequence[Any]) -> bool:
    if len(values) < MANY_NUMBERS or any(isinstance(value, bool | str) for value in values):
        return False
    return all(after == before + 1 for before, after in pairwise(values))


def _rows_of_table(table: Sequence[Sequence[Any]]) -> Iterator[dict[str, Any]]:
    for item, row in enumerate(table):
        if isinstance(row, str | Mapping) or not isinstance(row, Sequence):
            raise ValueError(f"row {item} is {row!r:.60}: give a mapping per judgement, or a list of answers per item")
        if len(row) != len(table[0]):
            raise ValueError(f"row {item} has {len(row)} answers, row 0 {len(table[0])}: give one per rater, or None")
    answers = {f"rater{at + 1}": [row[at] for row in table] for at in range(len(table[0]))}
    check_no_ids(answers)
    yield from _judgements_of([str(item) for item in range(len(table))], answers)


def _judgements_of(items: Sequence[str], answers: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    for place, item in enumerate(items):
        for rater, column in answers.items():
            yield {"item": item, "rater": rater, "answer": column[place]}

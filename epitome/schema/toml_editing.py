"""Edits a TOML text so that it holds given data, and keeps what else is in it: comments, order, spacing.

Forms write through this module: what nobody changed in a form stays as somebody wrote it.
"""

import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

Data = Mapping[str, Any]
Origins = Mapping[str, Sequence[int | None]]
INLINE_LENGTH = 80  # longer tables get a header of their own


def write_data(text: str, data: Data, origins: Origins | None = None) -> str:
    """The text with the data; the text itself where it holds the data already.

    origins: for lists of tables at the top, which table of the text each table of the data was (None: it is new).
    Without it equal tables are the same, then those with the same `key`. Raises ValueError for an unsound text.
    """
    pairs = dict(origins or {})
    current = tomllib.loads(text)
    for name, value in data.items():
        if _is_tables(value) and name not in pairs:
            pairs[name] = _pair_tables(current.get(name, []), value)
    in_order = all(list(pair) == list(range(len(current.get(name, [])))) for name, pair in pairs.items())
    if in_order and _is_same(current, data):
        return text
    written = _edit(text, data, pairs)
    return written if _is_same(_loads(written), data) else _dump(data)


def _edit(text: str, data: Data, pairs: Origins) -> str:
    """The text after the edit; "" where the library cannot do it."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
        for name, pair in pairs.items():
            _arrange(document, name, pair)
        _merge(document, data)
        return tomlkit.dumps(document)
    except (TOMLKitError, IndexError, KeyError, TypeError, ValueError):
        return ""


def _loads(text: str) -> Data:
    try:
        return tomllib.loads(text)
    except ValueError:
        return {}


def _dump(data: Data) -> str:
    """The data as a new text: values before tables, as TOML needs it."""
    import tomlkit

    document = tomlkit.document()
    for nested in (False, True):
        for key, value in data.items():
            if (isinstance(value, Mapping) or _is_tables(value)) is nested:
                document.add(key, _build_item(value))
    return tomlkit.dumps(document)


def _arrange(document: Any, name: str, pair: Sequence[int | None]) -> None:
    """Put the tables of a list into the order of `pair`, with an empty table where it says None."""
    import tomlkit

    tables = document.get(name)
    if not pair or tables is None or list(pair) == list(range(len(tables))):
        return
    if list(pair[: len(tables)]) == list(range(len(tables))):
        for _new in pair[len(tables) :]:
            tables.append(tomlkit.table())
        return
    arranged = tomlkit.aot()
    for index in pair:
        arranged.append(tomlkit.table() if index is None else tables[index])
    document[name] = arranged


def _merge(table: Any, data: Data) -> None:
    """Make a table of the document hold the data, and touch only what differs."""
    for key in [key for key in table if key not in data]:
        del table[key]
    for key, value in data.items():
        current = table.get(key)
        if current is not None and _is_same(_plain(current), value):
            continue
        if isinstance(current, Mapping) and isinstance(value, Mapping) and value:
            _merge(current, value)
        elif _is_tables(value) and _is_tables(current) and len(current) == len(value):
            for inner, entry in zip(current, value, strict=True):
                _merge(inner, entry)
        else:
            table[key] = _keep_comment(current, _build_item(value))


def _keep_comment(current: Any, item: Any) -> Any:
    """A new value with the comment behind the old one."""
    trivia, new_trivia = getattr(current, "trivia", None), getattr(item, "trivia", None)
    if trivia is not None and new_trivia is not None and not isinstance(current, Mapping):
        new_trivia.comment_ws, new_trivia.comment = trivia.comment_ws, trivia.comment
    return item


def _build_item(value: Any) -> Any:
    """A value as an item of the document: short tables inline, lists of tables with headers."""
    import tomlkit

    if isinstance(value, Mapping):
        flat = not any(isinstance(inner, Mapping) for inner in value.values())
        item: Any = tomlkit.inline_table() if flat and len(str(value)) <= INLINE_LENGTH else tomlkit.table()
        for key, inner in value.items():
            item.append(key, _build_item(inner))
        return item
    if _is_tables(value):
        tables = tomlkit.aot()
        for entry in value:
            table = tomlkit.table()
            for key in sorted(entry, key=lambda key: isinstance(entry[key], Mapping)):
                table.append(key, _build_item(entry[key]))
            tables.append(table)
        return tables
    return tomlkit.item(value)


def _plain(item: Any) -> Any:
    return item.unwrap() if hasattr(item, "unwrap") else item


def _is_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(entry, Mapping) for entry in value)


def _is_same(first: Any, second: Any) -> bool:
    """Equal values; true and 1 differ, 1 and 1.0 do not."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return first.keys() == second.keys() and all(_is_same(first[key], second[key]) for key in first)
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(_is_same, first, second))
    return isinstance(first, bool) == isinstance(second, bool) and bool(first == second)


def _pair_tables(current: Sequence[Data], wanted: Sequence[Data]) -> list[int | None]:
    """For each wanted table the place of the same table in the text, None for a new one."""
    free = list(range(len(current)))
    pair: list[int | None] = []
    for entry in wanted:
        equal = (position for position in free if current[position] == entry)
        named = (position for position in free if "key" in entry and current[position].get("key") == entry["key"])
        index = next(equal, next(named, None))
        pair.append(index)
        if index is not None:
            free.remove(index)
    return pair

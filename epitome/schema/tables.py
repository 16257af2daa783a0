"""Typed access to a TOML table: every error names the file, the line and the key."""

import difflib
import re
import string
import tomllib
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NoReturn

from epitome.schema.errors import SchemaError, describe_value, list_options
from epitome.schema.lines import KeyPath, find_lines, last_path, line_of

MAX_TEXT = 200_000
MAX_WORDS = 2_000
_AT = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)")
_TEMPLATE = re.compile(r"\{\{|\}\}|\{%|%\}|\{#|#\}")
# Tags of any kind, but <s> and </s>, which models use between turns.
_TAG = re.compile(r"<(?!/?s>)[A-Za-z/!?]|javascript:", re.IGNORECASE)
_TYPE_NAMES: Mapping[type, str] = {str: "text", bool: "true or false", int: "a whole number", float: "a number",
                              list: "a list", dict: "a table"}  # fmt: skip
_REQUIRED: Any = object()


class TomlFile:
    """A parsed TOML text with the line numbers of its keys. Raises SchemaError."""

    def __init__(self, text: str, name: str) -> None:
        self.name = name
        self.text = text
        self._lines: dict[KeyPath, int] | None = None
        if len(text) > MAX_TEXT:
            self._refuse_text(f"has {len(text)} characters; the most is {MAX_TEXT}", 1)
        for number, line in enumerate(text.split("\n"), 1):
            if "\0" in line or not _is_encodable(line):
                self._refuse_text("holds a character that cannot be stored (NUL or half of a pair); remove it", number)
        try:
            self.data: dict[str, Any] = tomllib.loads(text)
        except RecursionError as error:
            self._refuse_text("is nested too deeply", 1, error)
        except ValueError as error:  # TOMLDecodeError, and plain ValueError for a number of thousands of digits
            self._refuse_syntax(error)

    def _refuse_text(self, message: str, line: int, cause: Exception | None = None) -> NoReturn:
        raise SchemaError(message, name=self.name, key="", line=line) from cause

    def _refuse_syntax(self, error: ValueError) -> NoReturn:
        match = _AT.search(str(error))
        line = int(match[1]) if match and match[1] else self.text.count("\n") + 1 if match else 1
        message = _AT.sub("", str(error))
        path = last_path(self.lines, line) if match else ()
        if "verwrite" in message or "Duplicate" in message or "declare" in message:
            message = f"stands twice ({message})"
        raise SchemaError(f"is not sound TOML: {message}", name=self.name, key=self._key(path), line=line) from error

    @property
    def lines(self) -> dict[KeyPath, int]:
        if self._lines is None:
            self._lines = find_lines(self.text)
        return self._lines

    def fail(self, path: KeyPath, message: str) -> NoReturn:
        raise SchemaError(message, name=self.name, key=self._key(path), line=line_of(self.lines, path), path=path)

    def _key(self, path: KeyPath) -> str:
        """`attribute[length].values`: list entries are numbered from 1 unless they have a key."""
        text = ""
        node: Any = getattr(self, "data", {})
        for step in path:
            node = _get_child(node, step)
            if isinstance(step, int):
                known = node.get("key") if isinstance(node, dict) else None
                text += (
                    f"[{known if isinstance(known, str) and known.isidentifier() and len(known) <= 40 else step + 1}]"
                )
            else:
                word = describe_value(step, 40)[1:-1]
                text += f".{word}" if text else word
        return text


def _is_encodable(line: str) -> bool:
    try:
        line.encode()
    except UnicodeEncodeError:
        return False
    return True


def _get_child(node: Any, step: str | int) -> Any:
    if isinstance(node, dict):
        return node.get(step)
    if isinstance(node, list) and isinstance(step, int) and step < len(node):
        return node[step]
    return None


class Table:
    """One table of the file. Refuses keys that are not in `known`; with None, the caller calls `only` later."""

    def __init__(self, file: TomlFile, path: KeyPath, data: dict[str, Any], known: Iterable[str] | None) -> None:
        self.file = file
        self.path = path
        self.data = data
        if known is not None:
            self.only(known)

    def only(self, known: Iterable[str]) -> None:
        """Refuse keys that are not in `known`. Raises SchemaError."""
        known = list(known)
        for key in self.data:
            if key not in known:
                close = difflib.get_close_matches(key, known, n=1)
                hint = f'did you mean "{close[0]}"?' if close else f"known: {list_options(known, 30) or 'none'}"
                self.fail(key, f"unknown key; {hint}")

    def fail(self, key: str, message: str) -> NoReturn:
        """Refuse the value of a key; "" refers to the table itself. Raises SchemaError."""
        self.file.fail((*self.path, key) if key else self.path, message)

    def _take(self, key: str, kind: type, default: Any) -> Any:
        if key not in self.data:
            if default is _REQUIRED:
                self.file.fail(self.path, f'"{key}" is missing')
            return default
        value = self.data[key]
        accepted_types: tuple[type, ...] = (int, float) if kind is float else (kind,)
        if not isinstance(value, accepted_types) or (isinstance(value, bool) and kind is not bool):
            self.fail(key, f"must be {_TYPE_NAMES[kind]}, is {describe_value(value)}")
        return value

    def text(self, key: str, default: Any = _REQUIRED, *, most: int = MAX_WORDS, blank: bool = True) -> str:
        value: str = self._take(key, str, default)
        self.check_text(key, value, most)
        if not blank and not value.strip():
            self.fail(key, "must not be empty")
        return value

    def check_text(self, key: str, value: str, most: int) -> None:
        """Refuse text that is too long or holds control characters, tags or template syntax."""
        if len(value) > most:
            self.fail(key, f"has {len(value)} characters; the most is {most}")
        if any(ord(char) < 32 and char not in "\n\t" for char in value):
            self.fail(key, f"holds a control character: {describe_value(value)}")
        if match := _TEMPLATE.search(value):
            self.fail(key, f'holds template syntax "{match[0]}"; write plain text')
        if match := _TAG.search(value):
            self.fail(
                key, f'holds a tag or script "{describe_value(value[match.start() :], 20)[1:-1]}"; write plain text'
            )

    def template(self, key: str, fields: Collection[str], default: Any = _REQUIRED) -> str:
        """A text with {name} placeholders; only the names in `fields` are allowed."""
        value = self.text(key, default)
        try:
            pieces = list(string.Formatter().parse(value))
        except ValueError as error:
            self.fail(key, f"has a brace that does not close or open: {error}")
        for _text, name, spec, conversion in pieces:
            if name is not None and (name not in fields or spec or conversion):
                options = list_options([f"{{{field}}}" for field in fields])
                self.fail(key, f"has the place {describe_value(name)}; there are {options}")
        return value

    def word(self, key: str, pattern: str, what: str, default: Any = _REQUIRED) -> str:
        """A text that matches a pattern completely."""
        value = self.text(key, default)
        if value != default and not re.fullmatch(pattern, value):
            self.fail(key, f"must be {what}, is {describe_value(value)}")
        return value

    def choice(self, key: str, options: Collection[str], default: Any = _REQUIRED) -> str:
        value = self.text(key, default)
        if value not in options:
            close = difflib.get_close_matches(value, list(options), n=1)
            hint = f'; did you mean "{close[0]}"?' if close else ""
            self.fail(key, f"must be one of {list_options(options)}, is {describe_value(value)}{hint}")
        return value

    def flag(self, key: str, default: bool) -> bool:
        return bool(self._take(key, bool, default))

    def whole(self, key: str, default: int, *, least: int, most: int) -> int:
        value: int = self._take(key, int, default)
        if not least <= value <= most:
            self.fail(key, f"must be from {least} to {most}, is {describe_value(value)}")
        return value

    def number(self, key: str, default: Any = _REQUIRED, *, least: float = 0.0, most: float = 1e9) -> float:
        value: float = self._take(key, float, default)
        if not least <= value <= most:  # nan is in no range; an int may be too large for a float
            self.fail(key, f"must be a number from {least:g} to {most:g}, is {describe_value(value)}")
        return float(value)

    def items(self, key: str, default: Any = _REQUIRED, *, most: int) -> list[Any]:
        value: list[Any] = self._take(key, list, default)
        if len(value) > most:
            self.fail(key, f"has {len(value)} entries; the most is {most}")
        return value

    def table(self, key: str, known: Iterable[str] | None) -> "Table":
        """The table under a key; empty where it is absent."""
        return Table(self.file, (*self.path, key), self._take(key, dict, {}), known)

    def tables(self, key: str, known: Iterable[str], *, most: int) -> list["Table"]:
        known = list(known)
        inner_tables = []
        for index, entry in enumerate(self.items(key, [], most=most)):
            path = (*self.path, key, index)
            if not isinstance(entry, dict):
                self.file.fail(path, f"must be a table, is {describe_value(entry)}")
            inner_tables.append(Table(self.file, path, entry, known))
        return inner_tables

    def texts_by(self, key: str, known: Iterable[str], *, most: int = MAX_WORDS) -> dict[str, str]:
        """A table of texts, keyed by values of the attribute."""
        inner = self.table(key, known)
        return {name: inner.text(name, most=most) for name in inner.data}

    def numbers_by(self, key: str, known: Iterable[str]) -> dict[str, float]:
        """A table of weights, keyed by values; at least one above zero, values left out get 0."""
        known = list(known)
        inner = self.table(key, known)
        if key not in self.data:
            return {}
        numbers = {name: inner.number(name, 0.0) for name in known}
        if not any(numbers.values()):
            self.fail(key, "needs a weight above 0")
        return numbers

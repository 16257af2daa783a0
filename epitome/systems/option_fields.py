"""The options of a kind of system as fields of a form, learnt from how the kind reads its `[options]`.

A kind declares nothing for the form: its `parse_options` is called with a table that notes what is asked of it.
"""

import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, cast

from epitome.schema.tables import Table, TomlFile
from epitome.schema.toml_editing import write_data
from epitome.systems.kinds import KINDS

FieldType = Literal["text", "choice", "whole", "number", "flag", "list", "other"]
Path = tuple[str, ...]
_MISSING: Any = object()


@dataclass(frozen=True)
class OptionField:
    """One option. path: its tables and its key. default: None where there is none. least, most: of a number."""

    path: Path
    type: FieldType
    required: bool = False
    default: Any = None
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None

    @property
    def is_flag(self) -> bool:
        return self.type == "flag"

    @property
    def is_choice(self) -> bool:
        return self.type == "choice"

    @property
    def is_list(self) -> bool:
        return self.type == "list"

    @property
    def is_text(self) -> bool:
        return self.type == "text"

    @property
    def is_whole(self) -> bool:
        return self.type == "whole"

    @property
    def is_number(self) -> bool:
        return self.type in ("whole", "number")

    @property
    def is_other(self) -> bool:
        """Whether nothing is known of its values."""
        return self.type == "other"


class _Claims(dict[str, Any]):
    """An empty table that claims to have every key, so that what is read only where it is given is read too."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: set[str] = set()

    def __contains__(self, key: object) -> bool:
        self.asked.add(str(key))
        return True


class _NotingTable(Table):
    """A table without content that notes the fields it is asked for."""

    def __init__(self, fields: dict[Path, OptionField], path: Path, known: Iterable[str] | None = None) -> None:
        super().__init__(TomlFile("", "options"), path, _Claims(), None)
        self.fields = fields
        self.only(known or ())

    def only(self, known: Iterable[str]) -> None:
        for key in known:
            path = (*cast(Path, self.path), key)
            self.fields.setdefault(path, OptionField(path, "other"))

    def fail(self, key: str, message: str) -> Any:
        """What the empty table lacks is no fault here."""

    def _note(self, key: str, kind: FieldType, default: Any, **limits: Any) -> None:
        path = (*cast(Path, self.path), key)
        asked = cast(_Claims, self.data).asked
        required = default is _MISSING and key not in asked
        self.fields[path] = OptionField(path, kind, required, None if default is _MISSING else default, **limits)

    def text(self, key: str, default: Any = _MISSING, *, most: int = 0, blank: bool = True) -> str:
        self._note(key, "text", default)
        return "x" if default is _MISSING else default

    def word(self, key: str, pattern: str, what: str, default: Any = _MISSING) -> str:
        return self.text(key, default)

    def template(self, key: str, fields: Collection[str], default: Any = _MISSING) -> str:
        return self.text(key, default)

    def choice(self, key: str, options: Collection[str], default: Any = _MISSING) -> str:
        self._note(key, "choice", default, choices=tuple(options))
        return next(iter(options), "") if default is _MISSING else default

    def flag(self, key: str, default: bool) -> bool:
        self._note(key, "flag", default)
        return default

    def whole(self, key: str, default: int, *, least: int, most: int) -> int:
        self._note(key, "whole", default, least=least, most=most)
        return default

    def number(self, key: str, default: Any = _MISSING, *, least: float = 0.0, most: float = 1e9) -> float:
        self._note(key, "number", default, least=least, most=most)
        return least if default is _MISSING else default

    def items(self, key: str, default: Any = _MISSING, *, most: int) -> list[Any]:
        self._note(key, "list", default)
        return [] if default is _MISSING else list(default or [])

    def table(self, key: str, known: Iterable[str] | None) -> "_NotingTable":
        self.fields.pop((*cast(Path, self.path), key), None)
        return _NotingTable(self.fields, (*cast(Path, self.path), key), known)

    def tables(self, key: str, known: Iterable[str], *, most: int) -> list[Table]:
        return []

    def texts_by(self, key: str, known: Iterable[str], *, most: int = 0) -> dict[str, str]:
        return {}

    def numbers_by(self, key: str, known: Iterable[str]) -> dict[str, float]:
        return {}


def list_option_fields(kind: str) -> list[OptionField]:
    """The options of a kind, those that it needs first. A kind that cannot be read to its end gives what it read."""
    fields: dict[Path, OptionField] = {}
    try:
        import_module(KINDS[kind].module).parse_options(_NotingTable(fields, ()))
    except Exception:  # noqa: BLE001  the reader of options of any kind, given values that it never gets
        fields = dict(fields)
    return sorted(fields.values(), key=lambda field: (not field.required, len(field.path) > 1))


def read_options(text: str, fields: Sequence[OptionField]) -> dict[Path, str]:
    """The texts of the fields in a sound configuration; "" where it says nothing."""
    options = tomllib.loads(text).get("options", {})
    return {field.path: _show(_find_value(options, field.path)) for field in fields if is_editable(options, field)}


def is_editable(options: Mapping[str, Any], field: OptionField) -> bool:
    """Whether a field can show what the configuration has: not for tables, and lists of anything but texts."""
    value = _find_value(options, field.path)
    if isinstance(value, list):
        return all(isinstance(entry, str) and "\n" not in entry for entry in value)
    return not isinstance(value, Mapping)


def _find_value(options: Mapping[str, Any], path: Path) -> Any:
    node: Any = options
    for key in path:
        node = node.get(key) if isinstance(node, Mapping) else None
    return node


def _show(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "\n".join(value)
    return "" if value is None else str(value)


def write_system(text: str, head: Mapping[str, str], options: Mapping[Path, str], fields: Sequence[OptionField]) -> str:
    """The configuration with what was entered; what nobody changed stays as it is written. head: of `[system]`."""
    data = tomllib.loads(text)
    system = {**data.get("system", {})}
    for key, value in head.items():
        if value != system.get(key, ""):
            system[key] = value
            if not value and key != "key":
                del system[key]
    data["system"] = system
    before = read_options(text, fields)
    table = _copy(data.get("options", {}))
    for field in fields:
        if field.path in options and field.path in before and options[field.path] != before[field.path]:
            _put(table, field.path, _parse(field, options[field.path]))
    if table or "options" in data:
        data["options"] = table
    return write_data(text, data)


def _copy(table: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _copy(value) if isinstance(value, Mapping) else value for key, value in table.items()}


def _parse(field: OptionField, text: str) -> Any:
    """The value of a field's text; the text itself where it is of another type, so that the check names the fault."""
    if field.is_list:
        return [line.strip() for line in text.split("\n") if line.strip()] or None
    text = text if field.is_text else text.strip()
    if not text:
        return None
    if (field.is_flag or field.is_other) and text in ("true", "false"):
        return text == "true"
    if field.is_number or field.is_other:
        for number in (int, float):
            try:
                return number(text)
            except ValueError:
                continue
    return text


def _put(table: dict[str, Any], path: Path, value: Any) -> None:
    """Set or, for None, remove a value below its tables; tables that become empty go too."""
    head, rest = path[0], path[1:]
    if rest:
        inner = table.setdefault(head, {})
        _put(inner, rest, value)
        if not inner:
            del table[head]
    elif value is None:
        table.pop(head, None)
    else:
        table[head] = value

"""The attributes of a schema's text as the texts of form fields, and back into the text.

Reading never changes anything: a field that nobody changed leaves its key in the TOML text as it was written.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from epitome.schema.attribute_kinds import ATTRIBUTE_KINDS, AttributeKind
from epitome.schema.errors import SchemaError
from epitome.schema.toml_editing import write_data

_INTEGER = re.compile(r"[+-]?\d+")
_DECIMAL = re.compile(r"[+-]?(\d+\.\d*|\.\d+)")
_REQUIRED = ("key", "label", "kind", "guide")
_TEXTS = ("key", "label", "code", "kind", "measure", "guide", "question", "prompt")
_PICKS = ("min_picks", "max_picks")
_VALUE_TABLES = {
    "label": "value_labels",
    "guide": "value_guides",
    "example": "value_examples",
    "weight": "weights",
    "prompt": "prompt_values",
}
_VALUE_KEYS = ("values", *_VALUE_TABLES.values(), "aliases", "bands", "anchor", "edges")


@dataclass
class ValueFields:
    """One value. aliases: one per line. of, low, high: its band. edge: upper bound of a bin."""

    value: str = ""
    label: str = ""
    guide: str = ""
    example: str = ""
    of: str = ""
    low: str = ""
    high: str = ""
    edge: str = ""
    weight: str = ""
    prompt: str = ""
    aliases: str = ""


@dataclass
class AttributeFields:
    """One attribute. origin: its place in the text that the form began with, "" for a new one. anchor: the number of
    the value that is the baseline, from 0; "" where the text names none."""

    origin: str = ""
    key: str = ""
    label: str = ""
    code: str = ""
    kind: str = "ordinal"
    measure: str = ""
    guide: str = ""
    question: str = ""
    prompt: str = ""
    min_picks: str = ""
    max_picks: str = ""
    anchor: str = ""
    values: list[ValueFields] = field(default_factory=list)

    @property
    def traits(self) -> AttributeKind | None:
        """None for a kind that there is not."""
        return ATTRIBUTE_KINDS.get(self.kind)

    @property
    def has_values(self) -> bool:
        return self.traits is not None and self.traits.has_values

    @property
    def has_order(self) -> bool:
        return self.traits is not None and self.traits.has_order

    @property
    def has_edges(self) -> bool:
        return self.traits is not None and self.traits.has_edges


VALUE_FIELDS = tuple(entry.name for entry in fields(ValueFields))
ATTRIBUTE_FIELDS = tuple(entry.name for entry in fields(AttributeFields) if entry.name != "values")


def read_attributes(text: str) -> list[AttributeFields]:
    """The attributes of a sound schema text."""
    entries = tomllib.loads(text).get("attribute", [])
    return [_read_attribute(entry, str(index)) for index, entry in enumerate(entries)]


def _read_attribute(entry: Mapping[str, Any], origin: str) -> AttributeFields:
    edges = entry.get("edges", [])
    values = entry.get("values", [str(number) for number in range(len(edges))])
    anchor = entry.get("anchor", "")
    return AttributeFields(
        origin=origin,
        anchor=str(values.index(anchor)) if anchor in values else "",
        values=[_read_value(entry, value, index) for index, value in enumerate(values)],
        **{key: entry.get(key, "") for key in _TEXTS},
        **{key: _show(entry.get(key)) for key in _PICKS},
    )


def _read_value(entry: Mapping[str, Any], value: str, place: int) -> ValueFields:
    edges = entry.get("edges", [])
    band = entry.get("bands", {}).get(value, {})
    return ValueFields(
        value=value,
        edge=_show(edges[place]) if place < len(edges) else "",
        aliases="\n".join(alias for alias, named in entry.get("aliases", {}).items() if named == value),
        **{key: _show(band.get(key)) for key in ("of", "low", "high")},
        **{key: _show(entry.get(table, {}).get(value)) for key, table in _VALUE_TABLES.items()},
    )


def _show(value: Any) -> str:
    return "" if value is None else str(value)


def _parse(text: str) -> Any:
    """The number a field holds; its text where it is no number, so that the check of the schema names the fault."""
    text = text.strip()
    if _INTEGER.fullmatch(text) and len(text) < 30:
        return int(text)
    return float(text) if _DECIMAL.fullmatch(text) else text


@dataclass
class HeadFields:
    """What is declared beside the attributes. hp: the input of trained systems, which names attributes."""

    name: str = ""
    language: str = ""
    hp: str = ""


def read_head(text: str) -> HeadFields:
    """The head of a sound schema text."""
    data = tomllib.loads(text)
    return HeadFields(data.get("name", ""), data.get("language", ""), data.get("prompt", {}).get("hp", ""))


def _write_head(data: dict[str, Any], head: HeadFields) -> None:
    for key in ("name", "language"):
        if getattr(head, key) != data.get(key, ""):
            _set(data, key, getattr(head, key), keep_empty=key == "name")
    prompt = dict(data.get("prompt", {}))
    if head.hp != prompt.get("hp", ""):
        _set(prompt, "hp", head.hp)
        _set(data, "prompt", prompt)


def write_attributes(text: str, attributes: Sequence[AttributeFields], head: HeadFields | None = None) -> str:
    """The schema text with these attributes, for `text` as it was read. The result may break a rule of schemas."""
    data = tomllib.loads(text)
    if head is not None:
        _write_head(data, head)
    entries = data.pop("attribute", [])
    origins: list[int | None] = []
    written = []
    for attribute in attributes:
        index = int(attribute.origin) if attribute.origin.isdecimal() else len(entries)
        known = index < len(entries) and index not in origins
        origins.append(index if known else None)
        written.append(_write_attribute(entries[index] if known else {}, attribute))
    if written:
        data["attribute"] = written
    return write_data(text, data, {"attribute": origins})


def _write_attribute(entry: Mapping[str, Any], attribute: AttributeFields) -> dict[str, Any]:
    """The table of an attribute: the keys of `entry` with what the fields changed."""
    before = _read_attribute(entry, attribute.origin)
    table = dict(entry)
    for key in _TEXTS:
        new = getattr(attribute, key)
        if new != getattr(before, key) or key not in entry:
            _set(table, key, new, keep_empty=key in _REQUIRED)
    if attribute.traits is not None and not attribute.has_values:
        _remove(table, _VALUE_KEYS)
        _write_picks(table, before, attribute)
    else:
        _remove(table, _PICKS)
        _write_values(table, before, attribute)
    if attribute.kind != before.kind:
        table.pop("filled_by", None)  # follows from the kind
    return table


def _set(table: dict[str, Any], key: str, value: Any, *, keep_empty: bool = False) -> None:
    if value in ("", [], {}) and not keep_empty:
        table.pop(key, None)
    else:
        table[key] = value


def _remove(table: dict[str, Any], keys: Sequence[str]) -> None:
    for key in keys:
        table.pop(key, None)


def _write_picks(table: dict[str, Any], before: AttributeFields, attribute: AttributeFields) -> None:
    for key in _PICKS:
        if getattr(attribute, key) != getattr(before, key):
            _set(table, key, _parse(getattr(attribute, key)))


def _write_values(table: dict[str, Any], before: AttributeFields, attribute: AttributeFields) -> None:
    """The keys about values; each is written only where one of its fields changed."""
    rows = attribute.values
    names = [row.value for row in rows]
    renamed = names != [row.value for row in before.values]

    def is_changed(*keys: str) -> bool:
        return renamed or any(
            getattr(row, key) != getattr(old, key) for row, old in zip(rows, before.values, strict=True) for key in keys
        )

    if renamed:
        table["values"] = names
    for key, name in _VALUE_TABLES.items():
        if is_changed(key):
            parse = _parse if key == "weight" else str
            _set(table, name, {row.value: parse(getattr(row, key)) for row in rows if getattr(row, key)})
    if is_changed("aliases"):
        _set(table, "aliases", {alias: row.value for row in rows for alias in _split_lines(row.aliases)})
    if is_changed("of", "low", "high"):
        _set(table, "bands", {row.value: _build_band(row) for row in rows if row.of})
    if attribute.traits is not None and not attribute.has_order:
        table.pop("anchor", None)
    elif renamed or attribute.anchor != before.anchor:
        index = int(attribute.anchor) if attribute.anchor.isdecimal() else len(names)
        _set(table, "anchor", names[index] if index < len(names) else "")
    if not attribute.has_edges:
        table.pop("edges", None)
    elif is_changed("edge") or attribute.kind != before.kind:
        table["edges"] = [_parse(row.edge) for row in rows]


def _split_lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


def _build_band(row: ValueFields) -> dict[str, Any]:
    return {"of": row.of, **{key: _parse(getattr(row, key)) for key in ("low", "high") if getattr(row, key).strip()}}


@dataclass(frozen=True)
class Place:
    """Where a fault of a schema is in the form: attribute and value by number, None where it is not in one."""

    attribute: int | None
    value: int | None
    field: str


_FIELD_BY_KEY = {**{table: key for key, table in _VALUE_TABLES.items()}, "aliases": "aliases", "edges": "edge"}


def find_place(error: SchemaError, attributes: Sequence[AttributeFields]) -> Place:
    """The field of a fault in what `write_attributes` wrote."""
    match error.path:
        case ("attribute", int(number), str(key), *rest) if number < len(attributes):
            return _place_in_attribute(number, key, rest, attributes[number])
        case ("attribute", int(number)) if number < len(attributes):
            return Place(number, None, "key")
        case ("prompt", "hp", *_rest):
            return Place(None, None, "hp")
        case ("name" | "language" as key, *_rest):
            return Place(None, None, key)
    return Place(None, None, "")


def _place_in_attribute(number: int, key: str, rest: Sequence[Any], attribute: AttributeFields) -> Place:
    if key in _VALUE_KEYS:
        rows = attribute.values
        aliased = [index for index, row in enumerate(rows) if rest and rest[0] in _split_lines(row.aliases)]
        named = [index for index, row in enumerate(rows) if rest and row.value == rest[0]]
        place = next(iter(aliased if key == "aliases" else named), None)
        if place is None:
            return Place(number, None, "values")
        name = str(rest[1]) if key == "bands" and len(rest) > 1 else "of" if key == "bands" else _FIELD_BY_KEY[key]
        return Place(number, place, name)
    return Place(number, None, key if key in ATTRIBUTE_FIELDS else "kind")


def as_form_data(attributes: Sequence[AttributeFields]) -> dict[str, str]:
    """The fields by their names in the form: a0-label, a0-v1-guide; a, a0-v: how many."""
    data = {"a": str(len(attributes))}
    for number, attribute in enumerate(attributes):
        data |= {f"a{number}-{key}": getattr(attribute, key) for key in ATTRIBUTE_FIELDS}
        data[f"a{number}-v"] = str(len(attribute.values))
        for index, row in enumerate(attribute.values):
            data |= {f"a{number}-v{index}-{key}": value for key, value in asdict(row).items()}
    return data


def from_form_data(data: Mapping[str, str], *, most: int = 100) -> list[AttributeFields]:
    """The attributes of a sent form; browsers send line ends as CR LF. Numbers of rows above `most` are cut."""

    def read(name: str) -> str:
        return str(data.get(name, "")).replace("\r\n", "\n").replace("\r", "\n")

    def count(name: str) -> int:
        text = read(name)
        return min(int(text), most) if text.isdecimal() and len(text) < 5 else 0

    return [
        AttributeFields(
            **{key: read(f"a{number}-{key}") for key in ATTRIBUTE_FIELDS},
            values=[
                ValueFields(**{key: read(f"a{number}-v{index}-{key}") for key in VALUE_FIELDS})
                for index in range(count(f"a{number}-v"))
            ],
        )
        for number in range(count("a"))
    ]

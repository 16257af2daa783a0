"""Requested values as files write them, brought into the terms of a schema."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from epitome.formats.cell_values import parse_cell
from epitome.formats.records import ReferenceRecord
from epitome.schema import Attribute, InvalidValue, Schema

SEPARATORS = (";", ",")
"""What may part the entries of a list in a cell; the first one unless a file says otherwise."""
_WHOLE = re.compile(r"(-?\d+)\.0+")


def fit_value(attribute: Attribute, value: Any) -> Any:
    """The canonical form of a value or an alias, also in other letters and as 0.0 for 0, as tables write numbers; the
    value unchanged where it is none of the attribute's."""
    try:
        return attribute.canonical(value)
    except InvalidValue:
        pass
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return value
    text = str(value).strip()
    if whole_number := _WHOLE.fullmatch(text):
        text = whole_number[1]
    by_folded_name = {alias.casefold(): canonical for alias, canonical in attribute.aliases.items()}
    by_folded_name |= {name.casefold(): name for name in attribute.values}
    return by_folded_name.get(text.casefold(), value)


def fit_reference(reference: ReferenceRecord, schema: Schema, separator: str = SEPARATORS[0]) -> ReferenceRecord:
    """The reference of a table's row, its cells of topics and speakers as lists and its values in canonical form."""
    fitted: dict[str, Any] = {}
    for key, cell in reference.attributes.items():
        attribute = schema.find(key)
        if attribute is None:
            continue
        if attribute.has_values:
            fitted[key] = fit_value(attribute, cell)
        elif isinstance(cell, str):
            fitted[key] = split_list(cell, separator)
    if not fitted:
        return reference
    return ReferenceRecord(
        reference.position,
        {**reference.attributes, **fitted},
        reference.raw_attributes,
        reference.summary,
        reference.title,
        reference.relevant_segments,
        reference.out_of_range,
        reference.raw_extra,
        reference.author_name,
    )


def split_list(text: str, separator: str = SEPARATORS[0]) -> list[str]:
    """The entries of a list in a cell: a list as JSON, Python or NumPy write it, or separated by the separator."""
    entries = parse_cell(text)
    if isinstance(entries, list):
        return [str(entry).strip() for entry in entries]
    return [entry.strip() for entry in text.split(separator) if entry.strip()]


def read_request(attributes: Mapping[str, Any], schema: Schema) -> dict[str, str | tuple[str, ...]]:
    """The requested values by attribute, in the schema's order: a word, or a tuple of texts for lists. Keys that the
    schema does not have are left out. Raises InvalidValue naming the attribute."""
    request: dict[str, str | tuple[str, ...]] = {}
    for attribute in schema.attributes:
        if attribute.key not in attributes:
            continue
        value = attributes[attribute.key]
        if attribute.has_values:
            request[attribute.key] = attribute.canonical(value)
        elif value is None or value == "":
            request[attribute.key] = ()
        elif isinstance(value, list | tuple) and all(isinstance(entry, str) for entry in value):
            request[attribute.key] = tuple(value)
        else:
            raise InvalidValue("must be a list of texts", key=attribute.key, value=value)
    return request

"""Lengths in words in place of shares of the marked words, for texts that are too short for shares."""

import tomllib
from collections.abc import Mapping
from typing import Any

from epitome.schema.declaration import Attribute, Schema
from epitome.schema.presets import load_preset, preset_text
from epitome.schema.toml_editing import write_data

IN_WORDS = "short-articles"
"""The preset whose lengths are in words."""


def has_lengths_for_words(schema: Schema) -> bool:
    """Whether some length of the schema has shares of words, and the values of the preset's length."""
    return any(_takes_words(attribute) for attribute in schema.attributes)


def give_lengths_in_words(text: str, schema: Schema) -> str:
    """The TOML text of a schema with the preset's ranges and guides for such lengths; the text itself without any."""
    keys = {attribute.key for attribute in schema.attributes if _takes_words(attribute)}
    if not keys:
        return text
    length: Mapping[str, Any] = next(
        table for table in tomllib.loads(preset_text(IN_WORDS))["attribute"] if table.get("measure") == "length"
    )
    data = tomllib.loads(text)
    for table in data["attribute"]:
        if table["key"] in keys:
            table |= {name: length[name] for name in ("guide", "value_guides", "bands")}
    return write_data(text, data)


def _takes_words(attribute: Attribute) -> bool:
    ours = next(row for row in load_preset(IN_WORDS).attributes if row.measure == "length")
    is_same = attribute.measure == "length" and attribute.values == ours.values
    return is_same and any(band.of == "relevant_words" for band in attribute.bands.values())

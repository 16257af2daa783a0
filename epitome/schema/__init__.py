"""Control attributes as data: declaration, validation, presets. No Django here."""

from epitome.schema.attribute_kinds import ATTRIBUTE_KINDS, AttributeKind
from epitome.schema.declaration import (
    MOST_PER_SOURCE,
    Attribute,
    Band,
    Domain,
    FilledBy,
    Grouping,
    Limits,
    Prompts,
    Schema,
    check_shares,
    content_hash,
)
from epitome.schema.errors import InvalidValue, SchemaError
from epitome.schema.length_bands import give_lengths_in_words, has_lengths_for_words
from epitome.schema.load import ALGORITHMS, parse_schema
from epitome.schema.presets import PRESETS, guideline_text, load_preset, preset_text
from epitome.schema.weights import Variant, Weights, load_weights, parse_weights

__all__ = [
    "ALGORITHMS",
    "ATTRIBUTE_KINDS",
    "MOST_PER_SOURCE",
    "PRESETS",
    "Attribute",
    "AttributeKind",
    "Band",
    "Domain",
    "FilledBy",
    "Grouping",
    "InvalidValue",
    "Limits",
    "Prompts",
    "Schema",
    "SchemaError",
    "Variant",
    "Weights",
    "check_shares",
    "content_hash",
    "give_lengths_in_words",
    "guideline_text",
    "has_lengths_for_words",
    "load_preset",
    "load_weights",
    "parse_schema",
    "parse_weights",
    "preset_text",
]

"""Control attributes as data: declaration, validation, presets. No Django here."""

from annotation.schema.declaration import (
    Attribute,
    Band,
    Domain,
    FilledBy,
    Grouping,
    Kind,
    Limits,
    Prompts,
    Schema,
    check_shares,
    content_hash,
)
from annotation.schema.errors import InvalidValue, SchemaError
from annotation.schema.load import ALGORITHMS, parse_schema
from annotation.schema.presets import PRESETS, guideline_text, load_preset, preset_text
from annotation.schema.weights import Variant, Weights, load_weights, parse_weights

__all__ = [
    "ALGORITHMS",
    "PRESETS",
    "Attribute",
    "Band",
    "Domain",
    "FilledBy",
    "Grouping",
    "InvalidValue",
    "Kind",
    "Limits",
    "Prompts",
    "Schema",
    "SchemaError",
    "Variant",
    "Weights",
    "check_shares",
    "content_hash",
    "guideline_text",
    "load_preset",
    "load_weights",
    "parse_schema",
    "parse_weights",
    "preset_text",
]

"""Writes the table of a template as TOML, so that a template inside a round's file is complete."""

import json
from collections.abc import Mapping
from typing import Any


def build_template_toml(values: Mapping[str, Any]) -> str:
    """TOML text of a parsed table: plain keys first, then lists of tables. values: as tomllib gives them."""
    plain = {key: value for key, value in values.items() if not _is_table_list(value)}
    lines = [f"{_write_key(key)} = {_write_value(value)}" for key, value in plain.items()]
    for key, tables in values.items():
        if _is_table_list(tables):
            for table in tables:
                lines += ["", f"[[{_write_key(key)}]]"]
                lines += [f"{_write_key(name)} = {_write_value(value)}" for name, value in table.items()]
    return "\n".join(lines) + "\n"


def _is_table_list(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(entry, dict) for entry in value)


def _write_key(key: str) -> str:
    return _write_text(key)


def _write_value(value: object) -> str:
    """One value on one line; tables become inline tables."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_write_key(key)} = {_write_value(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_write_value(entry) for entry in value) + "]"
    if isinstance(value, str):
        return _write_text(value)
    return json.dumps(value)


def _write_text(text: str) -> str:
    """A JSON string is a TOML string, except for DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")

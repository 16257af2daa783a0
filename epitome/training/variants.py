"""A configuration with some settings changed: another seed, another learning rate, another base."""

import tomllib
from collections.abc import Mapping
from typing import Any

from epitome.training.systems import format_toml_value

Changes = Mapping[str, Any]
"""`table.setting` -> its value, such as {"optimisation.learning_rate": 1e-5}."""


def change_settings(text: str, changes: Changes) -> str:
    """The TOML text with these settings instead of its own; comments are left out. The text itself without changes.

    Raises ValueError for text that is no TOML and a name without its table.
    """
    if not changes:
        return text
    tables: dict[str, Any] = tomllib.loads(text)
    for name, setting in changes.items():
        table, dot, key = name.partition(".")
        if not dot:
            raise ValueError(f"{name!r}: write table.setting, such as optimisation.learning_rate")
        tables.setdefault(table, {})[key] = setting
    return "\n".join(line for name, table in tables.items() for line in _format_table(name, table)) + "\n"


def _format_table(name: str, table: Mapping[str, Any]) -> list[str]:
    return [f"[{name}]", *(f"{key} = {format_toml_value(setting)}" for key, setting in table.items()), ""]

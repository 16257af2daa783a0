"""A system's configuration: TOML text, read with errors that name the key and the line."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from epitome.schema.load import SLUG
from epitome.schema.tables import Table, TomlFile
from epitome.systems.kinds import KINDS


@dataclass(frozen=True)
class SystemConfig:
    """The parsed configuration of one system. block: the part of a table that it belongs to, such as "PEFT".

    options: the `[options]` table as plain values. settings: the same, checked, as the frozen dataclass that the
    kind's `parse_options` function gives. text: the TOML text, character for character.
    """

    key: str
    kind: str
    name: str
    options: Mapping[str, Any]
    text: str
    settings: Any = field(default=None, compare=False)
    block: str = ""

    @property
    def hash(self) -> str:
        """SHA-256 of the text, as 64 hexadecimal digits."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def parse_config(toml_text: str, name: str = "system.toml") -> SystemConfig:
    """The configuration a TOML text declares. name: what errors call the text. Raises SchemaError."""
    file = TomlFile(toml_text, name)
    top = Table(file, (), file.data, ("system", "options"))
    if "system" not in top.data:
        top.fail("", "has no [system] table")
    system = top.table("system", ("key", "kind", "name", "block"))
    key = system.word("key", SLUG, "lower-case letters, digits and hyphens, beginning with a letter")
    kind = system.choice(
        "kind", [*(known_kind.name for known_kind in KINDS.values() if known_kind.listed), *_hidden_kinds(system)]
    )
    options = top.table("options", None)
    return SystemConfig(
        key=key,
        kind=kind,
        name=system.text("name", key, most=200, blank=False),
        options=options.data,
        text=toml_text,
        block=system.text("block", "", most=60),
        settings=import_module(KINDS[kind].module).parse_options(options),
    )


def _hidden_kinds(system: Table) -> list[str]:
    """Kinds for tests are accepted, but error messages do not suggest them."""
    kind = system.data.get("kind")
    return [kind] if isinstance(kind, str) and kind in KINDS else []

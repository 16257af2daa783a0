"""The layouts of public data sets: how each is recognized by its columns, how it is read and what cannot be known.

They are declared in layouts.toml; a new one is an entry there and an example in tests/formats/layouts.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from epitome.formats.column_names import content_fits, is_list_of_texts
from epitome.formats.options import SEVERAL
from epitome.formats.records import split_number


@dataclass(frozen=True, slots=True)
class Layout:
    """One layout. name: of its example, too. title: of the data set or tool. columns: all of them make it known; none:
    the names and contents of columns suffice, or a format of its own. mapping: {our field: column}. read: what becomes
    of it; unknown: what cannot be known. source and version: where the layout is described. only: a file with further
    columns is none of it."""

    name: str
    title: str
    read: str
    unknown: str
    source: str
    version: str
    columns: tuple[str, ...] = ()
    mapping: Mapping[str, str] = field(default_factory=dict)
    summary_lists: str = SEVERAL
    only: bool = False

    def fits(self, values: Mapping[str, list[Any]]) -> bool:
        """Whether a file with these filled cells by column is of the layout."""
        if not self.columns or not values.keys() >= set(self.columns):
            return False
        if self.only and len(values) > len(self.columns):
            return False
        return all(
            _can_be(split_number(name)[0], values[column]) for name, column in self.mapping.items() if column in values
        )

    def fit(self, columns: Sequence[str]) -> dict[str, str]:
        """The mapping for the columns that a file has."""
        return {name: column for name, column in self.mapping.items() if column in columns}


def _can_be(field_name: str, values: list[Any]) -> bool:
    if field_name == "speakers":
        return all(map(is_list_of_texts, values))
    return ":" in field_name or content_fits(field_name, values)


@cache
def list_layouts() -> tuple[Layout, ...]:
    """All layouts in the order of the file."""
    text = files("epitome.formats").joinpath("layouts.toml").read_text(encoding="utf-8")
    return tuple(
        Layout(**{**entry, "columns": tuple(entry.get("columns", ()))}) for entry in tomllib.loads(text)["layout"]
    )


def find_layout(columns: Sequence[str], values: Mapping[str, list[Any]]) -> Layout | None:
    """The layout with most of a file's columns, of those that fit; None for none."""
    known = {name: values[name] for name in columns}
    fitting = [layout for layout in list_layouts() if layout.fits(known)]
    return max(fitting, key=lambda layout: len(layout.columns), default=None)


def describe_layouts() -> str:
    """The layouts as a table in Markdown, as docs/importing.md has it."""
    lines = ["| layout | what is read | what cannot be known | source |", "|---|---|---|---|"]
    for layout in list_layouts():
        source = f"[{layout.version}]({layout.source})" if layout.source else layout.version
        lines.append(f"| {layout.title} | {layout.read} | {layout.unknown} | {source} |")
    return "\n".join(lines) + "\n"

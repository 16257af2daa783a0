"""Tables printed in the papers, read from the TOML files in this folder, with notes on misprints."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

FILES = {
    "macsum": "published.toml",
    "ccsbench": "published_ccsbench.toml",
    "tesa": "published_tesa.toml",
    "contrastive": "published_contrastive.toml",
}

SYSTEM_TABLES = {"macsum-doc": "macsum/table_4", "macsum-dial": "macsum/table_5"}
"""Of each data set, the table of systems on its test split."""


@dataclass(frozen=True)
class PublishedRow:
    """One row as printed. slips: column -> why its printed value cannot be right, or what it really is."""

    key: str
    name: str
    cells: Mapping[str, float]
    slips: Mapping[str, str]


@dataclass(frozen=True)
class PublishedTable:
    """One printed table and its source, rows in printed order. units: of the columns that have one."""

    source: str
    columns: tuple[str, ...]
    rows: tuple[PublishedRow, ...]
    caption: str = ""
    units: Mapping[str, str] = field(default_factory=dict)

    def row(self, key: str) -> PublishedRow:
        """The row with this key; raises KeyError."""
        for row in self.rows:
            if row.key == key:
                return row
        raise KeyError(key)

    def cell(self, row: str, column: str) -> float | None:
        """A printed number; None where the table has none there. Raises KeyError for an unknown row or column."""
        if column not in self.columns:
            raise KeyError(column)
        return self.row(row).cells.get(column)


@cache
def load_tables(paper: str) -> Mapping[str, PublishedTable]:
    """The tables of a paper (macsum, ccsbench, tesa, contrastive) by name. Raises KeyError."""
    data = tomllib.loads(Path(__file__).with_name(FILES[paper]).read_text(encoding="utf-8"))
    return {name: _parse_table(data["source"], content) for name, content in data.items() if isinstance(content, dict)}


def find_table(name: str) -> PublishedTable:
    """A table by `paper/name`, such as `macsum/table_4`. Raises KeyError that lists the known names."""
    paper, _, table_name = name.partition("/")
    if paper not in FILES:
        raise KeyError(f"no published paper {paper!r}: one of {', '.join(FILES)}")
    tables = load_tables(paper)
    if table_name not in tables:
        raise KeyError(f"{paper} has no table {table_name!r}: one of {', '.join(tables)}")
    return tables[table_name]


def _parse_table(source: str, content: Mapping[str, Any]) -> PublishedTable:
    columns = tuple(content["columns"])
    return PublishedTable(
        source=source,
        columns=columns,
        rows=tuple(_parse_row(row, columns) for row in content["rows"]),
        caption=content.get("caption", ""),
        units=dict(content.get("units", {})),
    )


def _parse_row(row: Mapping[str, Any], columns: tuple[str, ...]) -> PublishedRow:
    """A row with one value per column, "" where nothing is printed. Raises ValueError."""
    slips = dict(row.get("slips", {}))
    if unknown := set(slips).difference(columns):
        raise ValueError(f"row {row['key']}: slips of {', '.join(sorted(unknown))}, which are no columns")
    pairs = zip(columns, row["values"], strict=True)
    return PublishedRow(row["key"], row["name"], {name: cell for name, cell in pairs if cell != ""}, slips)

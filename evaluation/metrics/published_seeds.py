"""What CCSBench, TESA and the contrastive examples published, as data: `published_*.toml` beside this file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal


@dataclass(frozen=True)
class PublishedRow:
    """One row as printed; `slips` says of a column why its cell cannot be right."""

    key: str
    name: str
    cells: Mapping[str, float]
    slips: Mapping[str, str]


@dataclass(frozen=True)
class PublishedTable:
    """Rows in the printed order, and where they stand."""

    source: str
    columns: tuple[str, ...]
    rows: tuple[PublishedRow, ...]

    def row(self, key: str) -> PublishedRow:
        """The row with this key; raises KeyError."""
        for row in self.rows:
            if row.key == key:
                return row
        raise KeyError(key)


@cache
def published(paper: Literal["ccsbench", "tesa", "contrastive"]) -> Mapping[str, PublishedTable]:
    """The tables of a paper by name: ccsbench systems, composition; tesa systems, features, dataset, splits;
    contrastive runs."""
    file = Path(__file__).with_name(f"published_{paper}.toml")
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    return {name: _table(data["source"], table) for name, table in data.items() if isinstance(table, dict)}


def _table(source: str, table: Mapping[str, object]) -> PublishedTable:
    columns, rows = table["columns"], table["rows"]
    if not isinstance(columns, list) or not isinstance(rows, list):
        raise TypeError("a published table has lists of columns and rows")
    found = tuple(
        PublishedRow(
            row["key"], row["name"], dict(zip(columns, row["values"], strict=True)), dict(row.get("slips", {}))
        )
        for row in rows
    )
    return PublishedTable(source, tuple(columns), found)

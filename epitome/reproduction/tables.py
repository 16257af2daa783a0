"""What a table needs, declared in `tables/*.toml`: its files, and how each printed row comes about."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from typing import Any, Literal

from epitome.metrics.published import PublishedTable, find_table

Measure = Literal["macsum", "ccsbench", "ranking"]
SPLITS = ("train", "dev", "test")
FILES = (*SPLITS, "lists")


@dataclass(frozen=True)
class DataSource:
    """schema: a preset, "" for ranking lists. files: split (or `lists`) -> names it may have below the folder of data;
    url: where it is published. asks: the attributes that its samples ask for; (): all."""

    key: str
    schema: str
    files: Mapping[str, tuple[str, ...]]
    url: str
    asks: tuple[str, ...] = ()


@dataclass(frozen=True)
class TableRow:
    """A printed row by its key. One of: training, a shipped configuration; system, a shipped system; references, the
    human summaries themselves; elsewhere, why no command here makes its texts; parts, a configuration for each of its
    columns: training -> the columns that are measured on its texts."""

    key: str
    name: str
    data: str
    training: str = ""
    system: str = ""
    references: bool = False
    elsewhere: str = ""
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def list_parts(self) -> "list[TableRow]":
        """The row as rows of one training each; itself if it has no parts."""
        rows = [replace(self, key=f"{self.key}-{training}", training=training, parts={}) for training in self.parts]
        return rows or [self]

    @property
    def is_trained(self) -> bool:
        return bool(self.training or self.parts)


@dataclass(frozen=True)
class TablePlan:
    """split: the one that is measured. published: the printed table, whose columns are measured. trainings:
    configuration -> key of the data that it learns from, where they are not those of its row."""

    key: str
    title: str
    measure: Measure
    split: str
    published: PublishedTable
    rows: tuple[TableRow, ...]
    data: Mapping[str, DataSource] = field(default_factory=dict)
    trainings: Mapping[str, str] = field(default_factory=dict)

    def row(self, key: str) -> TableRow:
        """Raises KeyError."""
        return {row.key: row for row in self.rows}[key]

    def training_source(self, training: str, row: TableRow) -> DataSource:
        """What a training of a row learns from."""
        return self.data[self.trainings.get(training, row.data)]

    @property
    def row_keys(self) -> tuple[str, ...]:
        return tuple(row.key for row in self.rows)


@cache
def list_tables() -> tuple[str, ...]:
    """The keys of the tables, which are their file names."""
    folder = resources.files("epitome.reproduction") / "tables"
    return tuple(sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml")))


@cache
def load_table(key: str) -> TablePlan:
    """Raises KeyError for an unknown table."""
    if key not in list_tables():
        raise KeyError(key)
    file = resources.files("epitome.reproduction") / "tables" / f"{key}.toml"
    content = tomllib.loads(file.read_text(encoding="utf-8"))
    published = find_table(content["published"])
    sources = {name: _read_source(name, values) for name, values in content["data"].items()}
    return TablePlan(
        key=key,
        title=content["title"],
        measure=content["measure"],
        split=content["split"],
        published=published,
        rows=tuple(_read_row(row, published, sources) for row in content["rows"]),
        data=sources,
        trainings=content.get("trainings", {}),
    )


def _read_source(key: str, values: Mapping[str, Any]) -> DataSource:
    files = {name: tuple(values[name]) for name in FILES if name in values}
    return DataSource(key, values.get("schema", ""), files, values["url"], tuple(values.get("asks", ())))


def _read_row(row: Mapping[str, Any], published: PublishedTable, sources: Mapping[str, DataSource]) -> TableRow:
    """Raises KeyError for a row that is not printed."""
    name = published.row(row["key"]).name
    columns_by_training = {training: tuple(columns) for training, columns in row.get("parts", {}).items()}
    return TableRow(**{"data": next(iter(sources)), "name": name, **row, "parts": columns_by_training})

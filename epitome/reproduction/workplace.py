"""Where a table is made: the folder of its state, the files of data, and the configurations as they run there."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from epitome.formats.reading import InputFile, input_file
from epitome.formats.sample_files import SampleFileOptions
from epitome.reproduction.tables import DataSource, TablePlan, TableRow
from epitome.schema import load_preset
from epitome.training.config import TRAINING_PREFIX, Data, TrainingConfig, parse_training
from epitome.training.folders import RESULT, WEIGHTS
from epitome.training.shipped import shipped_text
from epitome.training.variants import Changes, change_settings

RELEASED = ("macsum-doc", "macsum-dial")
"""Schemas whose files are read as MACSum's release, which needs every attribute in every sample."""


class TableFault(Exception):
    """A table cannot be made as asked for; the message names what is missing."""


@dataclass(frozen=True)
class TableOptions:
    """How the columns of a table of samples are called; see SampleFileOptions."""

    mapping: Mapping[str, str] | None = None
    separator: str = ";"
    text_from: Path | None = None


@dataclass(frozen=True)
class Workplace:
    """state: trainings, predictions and numbers; what is whole there is not done again. files: the folder of the
    data. tiny: changes to every configuration, and of the decoding of systems, for tiny models."""

    state: Path
    files: Path
    columns: TableOptions = field(default_factory=TableOptions)
    tiny: Changes = field(default_factory=dict)

    def find_file(self, source: DataSource, name: str) -> Path | None:
        """The file of a split, or the lists; None where there is none."""
        return next((self.files / path for path in source.files.get(name, ()) if (self.files / path).is_file()), None)

    def require_file(self, source: DataSource, name: str) -> Path:
        """Raises TableFault naming the file and where it is published."""
        if path := self.find_file(source, name):
            return path
        file_names = " or ".join(source.files.get(name, (name,)))
        raise TableFault(f"there is no {file_names} in {self.files}; it is published at {source.url}")

    def training_data(self, source: DataSource) -> Data:
        """Raises TableFault."""
        if "lists" in source.files:
            return Data(lists=self.require_file(source, "lists"))
        columns = self.columns
        return Data(
            train=self.require_file(source, "train"),
            dev=self.require_file(source, "dev"),
            mapping=columns.mapping,
            list_separator=columns.separator,
            text_from=columns.text_from,
        )

    def sample_options(self, source: DataSource) -> SampleFileOptions:
        """How the samples of a split are read for measuring and predicting."""
        texts = self.columns.text_from
        return SampleFileOptions(
            schema=None if source.schema in RELEASED else load_preset(source.schema),
            mapping=self.columns.mapping,
            separator=self.columns.separator,
            text_from=input_file(str(texts)) if texts else None,
        )

    def split_file(self, table: TablePlan, row: TableRow) -> InputFile:
        """The measured split of a row. Raises TableFault."""
        path = self.require_file(table.data[row.data], table.split)
        return InputFile(path, path.name)

    def training_folder(self, key: str, seed: int) -> Path:
        return self.state / "trainings" / f"{key}-s{seed}"

    def row_file(self, table: TablePlan, row: TableRow, seed: int, kind: str) -> Path:
        return self.state / "tables" / table.key / f"{row.key}-s{seed}.{kind}"

    def is_trained(self, key: str, seed: int) -> bool:
        return (self.training_folder(key, seed) / RESULT).is_file()

    def training_config(self, key: str, seed: int, source: DataSource) -> TrainingConfig:
        """A shipped configuration with this seed. A base that is another training is that one's weights with the same
        seed, or, until it is finished, what that one starts from. Raises TableFault, SchemaError."""
        text = change_settings(training_text(key), self._changes(key, seed))
        trained = {}
        for earlier in _list_earlier(tomllib.loads(text)):
            folder = self.training_folder(earlier, seed) / WEIGHTS
            trained[earlier] = folder if self.is_trained(earlier, seed) else Path(root_bases(earlier)[0])
        return parse_training(text, f"{key}.toml", self.state, data=self.training_data(source), trained=trained)

    def _changes(self, key: str, seed: int) -> dict[str, Any]:
        declared = tomllib.loads(training_text(key))
        changes = {name: value for name, value in self.tiny.items() if _has_table(declared, name)}
        if declared["training"].get("seed") != seed:
            changes["training.seed"] = seed
        return changes


def _has_table(declared: Mapping[str, Any], name: str) -> bool:
    """Whether a setting belongs to this configuration: tables of one method alone are changed only where they are."""
    table = name.partition(".")[0]
    return table in declared or table in ("prompt", "optimisation", "decoding")


def training_text(key: str) -> str:
    """Raises TableFault for a configuration that is not shipped."""
    if text := shipped_text(key):
        return text
    raise TableFault(f"the configuration {key} does not come with this version")


def training_chain(key: str) -> list[str]:
    """The configuration and those that it starts from, first to be trained first. Raises TableFault."""
    chain: dict[str, None] = {}
    for earlier in _list_earlier(tomllib.loads(training_text(key))):
        chain |= dict.fromkeys(training_chain(earlier))
    return [*chain, key]


def _list_earlier(setting: Any) -> list[str]:
    """The trainings that a configuration names, anywhere in it, each once."""
    if isinstance(setting, str):
        return [setting.removeprefix(TRAINING_PREFIX)] if setting.startswith(TRAINING_PREFIX) else []
    inner = setting.values() if isinstance(setting, dict) else setting if isinstance(setting, list) else ()
    return list(dict.fromkeys(key for setting_inside in inner for key in _list_earlier(setting_inside)))


def root_bases(key: str) -> list[str]:
    """The names of the weights that a chain of trainings starts from; none for one that needs none."""
    names = (tomllib.loads(training_text(training))["training"].get("base", "") for training in training_chain(key))
    return list(dict.fromkeys(name for name in names if name and not name.startswith(TRAINING_PREFIX)))

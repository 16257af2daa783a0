"""What is known about a dataset when its papers are written, gathered once for card, datasheet and Croissant."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class DataFile:
    """One file of rows. path: inside the folder of the dataset. columns: name -> kind (parquet_tables.py)."""

    config: str
    split: str
    path: str
    n_rows: int
    size: int
    sha256: str
    columns: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class AttributeFacts:
    key: str
    label: str
    guide: str
    values: Sequence[str]


@dataclass(frozen=True, slots=True)
class Description:
    """What staff write about a dataset; "" where they have not yet."""

    title: str = ""
    summary: str = ""
    authors: str = ""
    licence: str = ""
    homepage: str = ""
    contact: str = ""
    citation: str = ""
    answers: Mapping[str, str] = field(default_factory=dict)
    """Answers of the datasheet by the key of their question."""


@dataclass(frozen=True, slots=True)
class DatasetFacts:
    """licences: of the sources, name -> number; "" for none. n_withheld: sources without their text.
    hits: kind -> decision -> number. checks: what the check of splits and duplicates gave, as it is stored.
    first_day, last_day: of writing, ISO; "" without."""

    slug: str
    tag: str
    language: str
    domain: str
    kind: str
    preset: str
    description: Description
    software: str
    published_on: str
    files: Sequence[DataFile]
    attributes: Sequence[AttributeFacts] = ()
    licences: Mapping[str, int] = field(default_factory=dict)
    n_sources: int = 0
    n_summaries: int = 0
    n_words: int = 0
    n_withheld: int = 0
    n_annotators: int = 0
    n_imported: int = 0
    overlap: int = 1
    n_guideline_versions: int = 0
    n_inspected: int = 0
    first_day: str = ""
    last_day: str = ""
    uses_consent: bool = False
    n_withdrawals: int = 0
    pays: bool = False
    samplers: Sequence[str] = ()
    split_seed: int | None = None
    hits: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    checks: Mapping[str, Any] = field(default_factory=dict)
    n_left_out: int = 0

    @property
    def title(self) -> str:
        return self.description.title or self.slug

    @property
    def has_summaries(self) -> bool:
        """Whether what annotators wrote are summaries of the sources."""
        return self.kind == "summary"

    def list_files(self, config: str) -> list[DataFile]:
        return [file for file in self.files if file.config == config]

    def list_configs(self) -> list[str]:
        return list(dict.fromkeys(file.config for file in self.files))

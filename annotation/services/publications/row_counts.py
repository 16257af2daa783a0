"""Counts of the rows of a publication, for its card and datasheet: kept by the check, and again by the writing."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from annotation.services.exports.dataset_reader import Unit
from epitome.publication.facts import DataFile

NUMBERS = ("n_sources", "n_summaries", "n_words", "n_withheld", "n_imported", "n_inspected")
SETS = ("annotators", "samplers", "days")


@dataclass(slots=True)
class RowCounts:
    """annotators: pseudonyms. days: the first and the last of writing, ISO. files, hits and n_left_out are those of
    the writing: what was written, kind -> decision -> places, and rows that were left out."""

    n_sources: int = 0
    n_summaries: int = 0
    n_words: int = 0
    n_withheld: int = 0
    n_imported: int = 0
    n_inspected: int = 0
    annotators: set[str] = field(default_factory=set)
    samplers: set[str] = field(default_factory=set)
    days: set[str] = field(default_factory=set)
    licences: Counter[str] = field(default_factory=Counter)
    files: list[DataFile] = field(default_factory=list)
    hits: dict[str, Counter[str]] = field(default_factory=dict)
    n_left_out: int = 0

    def count(self, unit: Unit) -> None:
        """Add a source with its lines."""
        self.n_sources += 1
        self.n_words += unit.source["n_words"]
        self.n_withheld += unit.source["segments"] is None
        self.licences[unit.source["licence"]] += 1
        for line in unit.lines:
            self.n_summaries += 1
            self.n_imported += line["origin"] == "import"
            self.n_inspected += bool(line["inspection"])
            self.samplers.add(line["sampler"]["algorithm"])
            if line["annotator"] and line["origin"] != "import":
                self.annotators.add(line["annotator"])
            if day := str((line["times"] or {}).get("submitted_at") or "")[:10]:
                self.days = {min([day, *self.days]), max([day, *self.days])}

    def as_dict(self) -> dict[str, Any]:
        """As a check stores it."""
        numbers = {name: getattr(self, name) for name in NUMBERS}
        sets = {name: sorted(getattr(self, name)) for name in SETS}
        return {**numbers, **sets, "licences": dict(sorted(self.licences.items()))}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        """Back from `as_dict`; zeros from {}."""
        counts = cls(licences=Counter(stored.get("licences", {})))
        for name in NUMBERS:
            setattr(counts, name, stored.get(name, 0))
        for name in SETS:
            setattr(counts, name, set(stored.get(name, ())))
        return counts

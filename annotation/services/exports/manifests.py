"""The manifest of an export: contents, versions and checksum."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from annotation.extension_points import ExtensionPoint, qualified_name
from annotation.models import Project
from annotation.services.exports.dataset_reader import Unit

MAX_LISTED = 100

MANIFEST_PARTS = ExtensionPoint[Callable[[Project], dict[str, Any]]]("parts of a manifest", key=qualified_name)
"""What other apps add to the manifest of an export, by name; {} where a project has nothing of it."""


def software_version() -> str:
    """The installed version, or `unknown` if the package is not installed."""
    try:
        return version("epitome")
    except PackageNotFoundError:
        return "unknown"


class Tally:
    """Counts units while they are exported."""

    def __init__(self) -> None:
        self.sources = self.summaries = self.skipped = self.text_left_out = self.without_licence = 0
        self.splits: dict[str, Counter[str]] = {}
        self.states: Counter[str] = Counter()
        self.origins: Counter[str] = Counter()
        self.combinations: dict[str, Counter[str]] = {}
        self.samplers: set[tuple[str, int | None]] = set()
        self.schemas: set[int] = set()
        self.guidelines: set[int] = set()

    def counted(self, units: Iterable[Unit]) -> Iterator[Unit]:
        """Pass the units on, counting each."""
        for unit in units:
            self._count(unit)
            yield unit

    def _count(self, unit: Unit) -> None:
        self.sources += 1
        self.splits.setdefault(unit.source["split"], Counter())["sources"] += 1
        self.text_left_out += unit.source["segments"] is None
        self.without_licence += not unit.source["licence"]
        for line in unit.lines:
            kind = "skipped" if line["skipped"] else "summaries"
            self.skipped += line["skipped"]
            self.summaries += not line["skipped"]
            self.splits.setdefault(line["split"], Counter())[kind] += 1
            self.states[line["state"]] += 1
            self.origins[line["origin"]] += 1
            self.combinations.setdefault(line["sampler"]["combination"], Counter())[kind] += 1
            if len(self.samplers) < MAX_LISTED:
                self.samplers.add((line["sampler"]["algorithm"], line["sampler"]["seed"]))
            self.schemas.add(line["schema"]["version"])
            if line["guideline"] is not None:
                self.guidelines.add(line["guideline"])

    def counts(self) -> dict[str, Any]:
        """Sources, summaries and skipped requests: in all, and by split, state, origin and combination."""
        return {
            "sources": self.sources,
            "summaries": self.summaries,
            "skipped": self.skipped,
            "by_split": {name: _sort_counter(counter) for name, counter in sorted(self.splits.items())},
            "by_state": _sort_counter(self.states),
            "by_origin": _sort_counter(self.origins),
            "by_combination": {name: _sort_counter(counter) for name, counter in sorted(self.combinations.items())},
            "sources_without_text": self.text_left_out,
            "sources_without_licence": self.without_licence,
        }

    def sampling(self, project: Project) -> dict[str, Any]:
        """Samplers and seeds that the exported samples were drawn with, and the options of the last sampling."""
        used = sorted(self.samplers, key=lambda pair: (pair[0], pair[1] is not None, pair[1] or 0))
        return {
            "used": [{"algorithm": algorithm, "seed": seed} for algorithm, seed in used],
            "last_options": project.sampler,
        }


def _sort_counter(counter: "Counter[str]") -> dict[str, int]:
    return dict(sorted(counter.items()))


def versions_of(head: dict[str, Any], tally: Tally) -> dict[str, Any]:
    """Number and SHA-256 of each version of schema and guideline, and whether an exported line uses it."""
    return {
        f"{name}_versions": [
            {
                "version": row["version"],
                "sha256": hashlib.sha256(row["text"].encode()).hexdigest(),
                "used": row["version"] in used,
            }
            for row in head[f"{name}s"]
        ]
        for name, used in (("schema", tally.schemas), ("guideline", tally.guidelines))
    }

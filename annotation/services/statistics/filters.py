"""Filters of the statistics page."""

from dataclasses import dataclass
from typing import Literal

ALL = "*"
"""Every split; not a possible split name (names begin with a letter or digit)."""
ORIGINS = ("all", "people", "imported")
STATES = ("latest", "accepted")


@dataclass(frozen=True)
class Filter:
    """split: ALL, a split's name, or "" for sources without one. state: latest leaves out what is not used (rejected,
    void, surplus); accepted takes accepted and imported summaries."""

    split: str = ALL
    origin: str = "all"
    state: str = "latest"

    @property
    def key(self) -> str:
        return f"{self.origin}|{self.state}|{self.split}"

    def takes_split(self, split: str) -> bool:
        return self.split in (ALL, split)

    def takes_origin(self, by_person: bool) -> bool:
        expected: Literal[True, False] | None = {"people": True, "imported": False}.get(self.origin)
        return expected is None or expected == by_person

"""What a reader says about a file that it reads all the same: each remark once, with how often and where first."""

from __future__ import annotations

from dataclasses import dataclass, field

MAX_NOTES = 40
LEFT_NOTE = "the human summaries were not imported; --with-references imports them"


@dataclass(slots=True)
class Note:
    """A remark in English, one sentence without a place. place: of the first row or cell that it is about, such as
    "line 3"; "" for the whole file."""

    message: str
    place: str
    n: int = 1

    def __str__(self) -> str:
        more = f" and {self.n - 1:,} more" if self.n > 1 else ""
        return f"{self.place}{more}: {self.message}" if self.place else self.message


@dataclass(slots=True)
class Notes:
    """The remarks on one file, in the order in which they came up first."""

    by_message: dict[str, Note] = field(default_factory=dict)

    def add(self, message: str, place: str = "") -> None:
        """Count a remark. Past MAX_NOTES different ones nothing is added."""
        if message in self.by_message:
            self.by_message[message].n += 1
        elif len(self.by_message) < MAX_NOTES:
            self.by_message[message] = Note(message, place)

    def join(self, other: Note) -> None:
        """Take over a remark of another reader, with how often that made it."""
        self.add(other.message, other.place)
        if other.message in self.by_message:
            self.by_message[other.message].n += other.n - 1

    def as_list(self) -> list[str]:
        return [str(note) for note in self.by_message.values()]

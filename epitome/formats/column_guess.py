"""What is guessed of a file's columns, with what should be asked."""

from __future__ import annotations

from dataclasses import dataclass, field

from epitome.formats.options import SEVERAL


@dataclass(frozen=True, slots=True)
class Doubt:
    """Columns that could be a field as well as the one that was chosen. field: of a mapping, or `summary_lists`."""

    field: str
    chosen: str
    others: tuple[str, ...]

    def __str__(self) -> str:
        if self.field == "summary_lists":
            return (
                f"a list in the column {self.others[0]} is read as {self.chosen} summaries of one text; if it is one "
                "summary in pieces, say so (summary_lists)"
            )
        names = ", ".join(self.others)
        if not self.chosen:
            return f"the {self.field} could be in {names}; none is read. Choose one if it is"
        return f"the {self.field} could also be in {names}; {self.chosen} is read. Choose another column if it is not"


@dataclass(slots=True)
class Guess:
    """What the columns of a file are. mapping: {our field: column}. summary_lists: see ImportOptions. layout: name of
    the known layout, "" for none. doubts: what should be asked; notes: remarks on the file."""

    mapping: dict[str, str] = field(default_factory=dict)
    summary_lists: str = SEVERAL
    layout: str = ""
    doubts: list[Doubt] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def remarks(self) -> list[str]:
        """Doubts and notes as sentences."""
        return [*map(str, self.doubts), *self.notes]

"""A heat map as data: a number in every cell, its colour by seven steps from the smallest to the largest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from annotation.figures.svg import WIDTH, Svg, frame, rect, text
from annotation.figures.tables import shown

STEPS = 7
TOP, SIDE, ROW = 54.0, 74.0, 30.0


@dataclass(frozen=True, slots=True)
class Heat:
    """cells[row][column]: a number, or None where there is none. down, across: what rows and columns stand for."""

    chart: ClassVar[str] = "heat"
    key: str
    title: str
    down: str
    across: str
    rows: Sequence[str]
    columns: Sequence[str]
    cells: Sequence[Sequence[float | None]]

    def draw(self) -> Svg:
        width = (WIDTH - SIDE) / max(1, len(self.columns))
        parts = [text(0, 12, self.title, "title"), text(0, 28, f"rows: {self.down}, columns: {self.across}", "faint")]
        for place, label in enumerate(self.columns):
            parts.append(text(SIDE + (place + 0.5) * width, TOP - 6, label, "mid"))
        told = []
        for number, (label, row) in enumerate(zip(self.rows, self.cells, strict=True)):
            y = TOP + number * ROW
            parts.append(text(SIDE - 8, y + ROW / 2 + 4, label, "end"))
            for place, value in enumerate(row):
                words = shown(value, 2)
                step = self._step(value)
                name = f"{label}, {self.columns[place]}: {words}"
                parts.append(rect(SIDE + place * width + 1, y + 1, width - 2, ROW - 2, f"heat{step}", title=name))
                light = "light" if step >= STEPS - 3 else "strong"
                parts.append(text(SIDE + (place + 0.5) * width, y + ROW / 2 + 4, words, f"mid {light}"))
                told.append(name)
        return frame(self.key, self.title, "; ".join(told), TOP + ROW * len(self.rows) + 2, parts)

    def _step(self, value: float | None) -> int:
        known = [each for row in self.cells for each in row if each is not None]
        if value is None or max(known) == min(known):
            return 0
        return round((value - min(known)) / (max(known) - min(known)) * (STEPS - 1))

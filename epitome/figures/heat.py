"""A heat map as data: a number in every cell, its colour one of seven steps from the smallest to the largest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from epitome.figures.svg import WIDTH, Svg, draw_frame, draw_rect, draw_text
from epitome.figures.tables import format_value

STEPS = 7
TOP, SIDE, ROW = 54.0, 74.0, 30.0


@dataclass(frozen=True, slots=True)
class Heat:
    """cells[row][column]: a number, or None where there is none. down, across: labels of the row and column axes."""

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
        shapes = [
            draw_text(0, 12, self.title, "title"),
            draw_text(0, 28, f"rows: {self.down}, columns: {self.across}", "faint"),
        ]
        for index, label in enumerate(self.columns):
            shapes.append(draw_text(SIDE + (index + 0.5) * width, TOP - 6, label, "mid"))
        descriptions = []
        for position, (label, row) in enumerate(zip(self.rows, self.cells, strict=True)):
            y = TOP + position * ROW
            shapes.append(draw_text(SIDE - 8, y + ROW / 2 + 4, label, "end"))
            for index, value in enumerate(row):
                words = format_value(value, 2)
                step = self._step(value)
                name = f"{label}, {self.columns[index]}: {words}"
                shapes.append(draw_rect(SIDE + index * width + 1, y + 1, width - 2, ROW - 2, f"heat{step}", title=name))
                light = "light" if step >= STEPS - 3 else "strong"
                shapes.append(draw_text(SIDE + (index + 0.5) * width, y + ROW / 2 + 4, words, f"mid {light}"))
                descriptions.append(name)
        return draw_frame(self.key, self.title, "; ".join(descriptions), TOP + ROW * len(self.rows) + 2, shapes)

    def _step(self, value: float | None) -> int:
        known = [number for row in self.cells for number in row if number is not None]
        if value is None or max(known) == min(known):
            return 0
        return round((value - min(known)) / (max(known) - min(known)) * (STEPS - 1))

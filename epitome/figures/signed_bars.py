"""Bars to both sides of zero, one per row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from epitome.figures.svg import WIDTH, Svg, draw_frame, draw_line, draw_rect, draw_text
from epitome.figures.tables import format_value

TOP, ROW, SIDE = 24.0, 20.0, 96.0
LETTERS = 12
"""Of a label; the rest is in the description."""


class SignedBar(NamedTuple):
    label: str
    value: float


@dataclass(frozen=True, slots=True)
class SignedBars:
    """bound: the largest absolute value of the axis."""

    key: str
    title: str
    rows: Sequence[SignedBar]
    bound: float

    def draw(self) -> Svg:
        zero = SIDE + (WIDTH - SIDE) / 2
        scale = (WIDTH - SIDE) / 2 / max(self.bound, *(abs(row.value) for row in self.rows))
        bottom = TOP + ROW * len(self.rows)
        shapes = [draw_text(0, 12, self.title, "title"), draw_line(zero, TOP - 2, zero, bottom, "axis")]
        for index, row in enumerate(self.rows):
            shapes += _draw_row(row, TOP + index * ROW, zero, scale)
        for value in (-self.bound, 0.0, self.bound):
            place = {-self.bound: "faint", 0.0: "mid faint", self.bound: "end faint"}[value]
            words = format_value(value, 1) if value else "0"
            shapes.append(draw_text(zero + value * scale, bottom + 12, words, place))
        description = "; ".join(f"{row.label}: {format_value(row.value, 3)}" for row in self.rows)
        return draw_frame(self.key, self.title, description, bottom + 16, shapes)


def _draw_row(row: SignedBar, y: float, zero: float, scale: float) -> list[Svg]:
    """Label, bar, and the number on the free side of zero."""
    words = format_value(row.value, 3)
    label = row.label if len(row.label) <= LETTERS else row.label[: LETTERS - 1] + "…"
    length = abs(row.value) * scale
    start = zero if row.value >= 0 else zero - length
    free_side, anchor = (zero - 6, "end") if row.value >= 0 else (zero + 6, "strong")
    return [
        draw_text(SIDE - 8, y + 12, label, "end"),
        draw_rect(start, y + 3, length, 12, "bar lead", title=f"{row.label}: {words}"),
        draw_text(free_side, y + 12, words, anchor),
    ]

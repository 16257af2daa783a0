"""Values with their intervals, one row each on one axis. On a page the rows fill the width they get: names are text
beside the drawing, horizontal places are shares. As a file it is one drawing of a paper's width."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from epitome.figures.numbers import format_difference, format_percent, format_score
from epitome.figures.svg import Svg, build_element, draw_frame, draw_line, draw_text, nice_step

PAPER_WIDTH = 640.0
TOP, ROW, HEAD = 28.0, 22.0, 24.0
LETTER = 6.4
NEAR = 0.085
"""Share of the axis: a tick that is nearer to the reference has no text of its own."""


@dataclass(frozen=True, slots=True)
class ForestRow:
    """value: None where there is none; value_text: the value or why there is none. details: interval in words; of: n.
    group: a heading over neighbours that share it. lead: drawn in the first colour."""

    label: str
    value: float | None
    value_text: str
    details: str = ""
    of: str = ""
    low: float | None = None
    high: float | None = None
    group: str = ""
    lead: bool = True

    @property
    def small(self) -> str:
        """What is shown under the value: its interval and n."""
        return " · ".join(filter(None, [self.details, self.of]))

    @property
    def sentence(self) -> str:
        return ", ".join(filter(None, [f"{self.label}: {self.value_text}", self.details, self.of]))


@dataclass(frozen=True, slots=True)
class ForestLine:
    """A row of the page. heading: of the group that starts with it."""

    row: ForestRow
    plot: Svg
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Forest:
    """unit: how ticks are written: a share as percent, a difference of shares as points, or a number.

    low, high: the ends of the axis. reference: a value that means something, such as no difference; its words are at
    the axis.
    """

    chart: ClassVar[str] = "forest"
    key: str
    title: str
    rows: Sequence[ForestRow]
    low: float
    high: float
    unit: str = "share"
    reference: float | None = None
    reference_label: str = ""

    def place(self, value: float) -> float:
        """Where a value is between the ends: 0 to 1."""
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)

    @property
    def description(self) -> str:
        sentences = []
        for line in self.lines():
            sentences.append(f"{line.heading}: {line.row.sentence}" if line.heading else line.row.sentence)
        return "; ".join(sentences)

    def lines(self) -> list[ForestLine]:
        """The rows for a page, each with its drawing."""
        lines, group = [], ""
        for row in self.rows:
            lines.append(ForestLine(row, self._plot(row), row.group if row.group != group else ""))
            group = row.group
        return lines

    def _plot(self, row: ForestRow) -> Svg:
        shapes: list[Svg] = [build_element("title", row.sentence)]
        shapes.append(build_element("rect", class_="hit", x="0", y="0", width="100%", height="100%"))
        if self.reference is not None:
            x = format_place(self.place(self.reference))
            shapes.append(build_element("line", class_="half", x1=x, x2=x, y1="0", y2="100%"))
        tone = "" if row.lead else " low"
        if row.low is not None and row.high is not None:
            ends = {"x1": format_place(self.place(row.low)), "x2": format_place(self.place(row.high))}
            shapes.append(build_element("line", class_=f"ci{tone}", **ends, y1="50%", y2="50%"))
        if row.value is not None:
            place = format_place(self.place(row.value))
            shapes.append(build_element("circle", class_=f"dot{tone}", cx=place, cy="50%", r="7"))
        return build_element("svg", *shapes, class_="plot", aria_hidden="true")

    def axis(self) -> Svg:
        """The axis under the rows of a page."""
        shapes = [build_element("line", class_="axis", x1="0", x2="100%", y1="1", y2="1")]
        for place, words, strong in self._ticks():
            anchor = "start" if place < 0.04 else "end" if place > 0.96 else "mid"
            shapes.append(
                build_element(
                    "text", words, class_=f"{anchor} strong" if strong else anchor, x=format_place(place), y="19"
                )
            )
        return build_element("svg", *shapes, class_="plot axis-row", aria_hidden="true")

    def _ticks(self) -> list[tuple[float, str, bool]]:
        """(place, words, whether it is the reference)."""
        step = nice_step(self.high - self.low, 6)
        first = -(-self.low // step)
        ticks = []
        value = round(first * step, 10)
        marked = None if self.reference is None else self.place(self.reference)
        while value <= self.high + 1e-9:
            place = self.place(value)
            if marked is None or abs(place - marked) > (NEAR if not self.reference_label else 2 * NEAR):
                ticks.append((place, self.name_value(value), False))
            value = round(value + step, 10)
        if marked is not None and self.reference is not None:
            words = f"{self.name_value(self.reference)}: {self.reference_label}"
            ticks.append((marked, words if self.reference_label else self.name_value(self.reference), True))
        return sorted(ticks)

    def name_value(self, value: float) -> str:
        if self.unit == "share":
            return format_percent(value, 1)
        if self.unit == "points":
            return "0" if not value else format_difference(100 * value, 0)
        return format_score(value, 2) if value != int(value) else f"{int(value)}".replace("-", "−")

    def draw(self) -> Svg:
        """The figure as one drawing, for files."""
        room = min(max((len(row.label) for row in self.rows), default=0) * LETTER + 12, 210)
        value_room = max((len(f"{row.value_text} {row.details}") for row in self.rows), default=0) * LETTER + 14
        counts = max((len(row.of) for row in self.rows), default=0) * LETTER + 8
        width = PAPER_WIDTH - room - value_room - counts
        shapes, y, group = [draw_text(0, 12, self.title, "title")], TOP, ""
        for row in self.rows:
            if row.group and row.group != group:
                shapes.append(draw_text(0, y + 15, row.group, "strong"))
                y += HEAD
            group = row.group
            shapes += self._draw_row(row, y, room, width)
            shapes.append(draw_text(PAPER_WIDTH - counts, y + 15, f"{row.value_text} {row.details}".strip(), "end"))
            shapes.append(draw_text(PAPER_WIDTH, y + 15, row.of, "end faint"))
            y += ROW
        if self.reference is not None:
            x = room + self.place(self.reference) * width
            shapes.insert(1, draw_line(x, TOP, x, y, "goal"))
        shapes.append(draw_line(room, y + 2, room + width, y + 2, "axis"))
        for place, words, strong in self._ticks():
            anchor = "mid strong" if strong else "mid faint"
            shapes.append(draw_text(room + place * width, y + 16, words, anchor))
        return draw_frame(self.key, self.title, self.description, y + 22, shapes, PAPER_WIDTH)

    def _draw_row(self, row: ForestRow, y: float, room: float, width: float) -> list[Svg]:
        fits = int((room - 10) / LETTER)
        label = row.label if len(row.label) <= fits else row.label[: fits - 1] + "…"
        shapes = [draw_text(room - 10, y + 15, label, "end")]
        if row.low is not None and row.high is not None:
            x1, x2 = room + self.place(row.low) * width, room + self.place(row.high) * width
            shapes.append(draw_line(x1, y + 11, x2, y + 11, "whisker"))
        if row.value is not None:
            x = room + self.place(row.value) * width
            shapes.append(build_element("circle", class_="dot lead" if row.lead else "dot", cx=x, cy=y + 11, r=4))
        return shapes


def span_axis(
    values: Sequence[float | None], *, within: tuple[float, float] | None = None, around: float | None = None
) -> tuple[float, float]:
    """The ends of an axis with some room around the values. within: bounds of what is possible; around: a value that
    is in the middle."""
    known = [value for value in values if value is not None] or [0.0, 1.0]
    if around is not None:
        reach = max(*(abs(value - around) for value in known), 0.05) * 1.12
        low, high = around - reach, around + reach
    else:
        room = max((max(known) - min(known)) * 0.12, 0.02)
        low, high = min(known) - room, max(known) + room
    if within is not None:
        low, high = max(low, within[0]), min(high, within[1])
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def format_place(share: float) -> str:
    """A place or length as SVG has it: percent of the width."""
    return f"{100 * share:.2f}%"

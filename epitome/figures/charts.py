"""The kinds of figures, as data that can be stored: bars, grouped bars, dots with intervals, histogram strips.

Those drawn here are small multiples, 320 units wide: three fit side by side on a desktop screen, one fills a phone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar
from unicodedata import east_asian_width

from epitome.figures.duels import Duel, Duels
from epitome.figures.forest import Forest, ForestRow
from epitome.figures.heat import Heat
from epitome.figures.marked_texts import MarkedText, MarkedTexts
from epitome.figures.svg import WIDTH, Svg, build_element, draw_frame, draw_line, draw_rect, draw_text, nice_step

TOP = 24.0
LETTER_WIDTH = 6.7
"""Approximate width of a letter at font size 11; labels get as much room as the longest needs, within limits."""
IDEOGRAPH_WIDTH = 11.0


def _text_width(text: str) -> float:
    return sum(IDEOGRAPH_WIDTH if east_asian_width(letter) in "WF" else LETTER_WIDTH for letter in text)


def _label_width(labels: Sequence[str], max_width: float = 120.0) -> float:
    return min(max(map(_text_width, labels), default=0) + 8, max_width)


def _shorten_label(label: str, room: float) -> str:
    if _text_width(label) <= room - 8 + 0.1:
        return label
    shortened = label
    while len(shortened) > 2 and _text_width(shortened) + LETTER_WIDTH > room - 8 + 0.1:
        shortened = shortened[:-1]
    return shortened + "…"


@dataclass(frozen=True, slots=True)
class Bar:
    """value of total (both counts or shares); told: the numbers as text, after the bar; goal: a mark, or None."""

    label: str
    value: float
    total: float
    told: str
    goal: float | None = None
    lead: bool = True


@dataclass(frozen=True, slots=True)
class Bars:
    """One bar per row: a background bar of the total, filled up to the value."""

    chart: ClassVar[str] = "bars"
    key: str
    title: str
    rows: Sequence[Bar]

    def draw(self) -> Svg:
        room = _label_width([row.label for row in self.rows])
        value_room = min(max((_text_width(row.told) for row in self.rows), default=0) + 8, 150)
        widest = max((max(row.total, row.goal or 0) for row in self.rows), default=0) or 1
        scale = (WIDTH - room - value_room) / widest
        shapes, y = [draw_text(0, 12, self.title, "title")], TOP
        for row in self.rows:
            name = f"{row.label}: {row.told}"
            shapes.append(draw_text(room - 8, y + 10, _shorten_label(row.label, room), "end"))
            shapes.append(draw_rect(room, y + 1, row.total * scale, 10, "rail", title=name))
            shapes.append(draw_rect(room, y + 1, row.value * scale, 10, "bar lead" if row.lead else "bar", title=name))
            if row.goal is not None:
                shapes.append(draw_line(room + row.goal * scale, y - 1, room + row.goal * scale, y + 13, "goal"))
            end = room + max(row.total, row.value, row.goal or 0) * scale
            shapes.append(draw_text(end + 6, y + 10, row.told))
            y += 18
        shapes.append(draw_line(room, TOP - 4, room, y, "axis"))
        return draw_frame(
            self.key, self.title, "; ".join(f"{row.label}: {row.told}" for row in self.rows), y + 2, shapes
        )


@dataclass(frozen=True, slots=True)
class Dot:
    """value: None where there is none. low, high: its interval. told: the value, or why there is none. of: its n."""

    label: str
    value: float | None
    told: str
    of: str = ""
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Dots:
    """One dot per row on a shared axis from 0, with its interval as a whisker."""

    chart: ClassVar[str] = "dots"
    key: str
    title: str
    rows: Sequence[Dot]

    def draw(self) -> Svg:
        room = _label_width([row.label for row in self.rows])
        counts = max((_text_width(row.of) for row in self.rows), default=0) + 8
        value_room = min(max((_text_width(row.told) for row in self.rows), default=0) + 12, 90)
        right = WIDTH - value_room - counts
        largest = max((row.high or row.value or 0 for row in self.rows), default=0) or 1
        scale = (right - room) / largest
        shapes, y = [draw_text(0, 12, self.title, "title")], TOP
        bottom = TOP + 20 * len(self.rows)
        for tick in _axis_ticks(largest, 4):
            x = room + tick * scale
            shapes += [draw_line(x, TOP - 2, x, bottom, "grid"), draw_text(x, bottom + 12, f"{tick:g}", "mid faint")]
        for row in self.rows:
            shapes += self._row(row, room, scale, y)
            shapes.append(
                draw_text(WIDTH - counts, y + 11, row.told, "end strong" if row.value is not None else "end faint")
            )
            shapes.append(draw_text(WIDTH, y + 11, row.of, "end faint"))
            y += 20
        shapes.append(draw_line(room, TOP - 2, room, bottom, "axis"))
        description = "; ".join(f"{row.label}: {row.told} {row.of}".rstrip() for row in self.rows)
        return draw_frame(self.key, self.title, description, bottom + 16, shapes)

    @staticmethod
    def _row(row: Dot, room: float, scale: float, y: float) -> list[Svg]:
        shapes = [draw_text(room - 8, y + 11, _shorten_label(row.label, room), "end")]
        if row.value is None:
            return shapes
        if row.low is not None and row.high is not None:
            shapes.append(draw_line(room + row.low * scale, y + 7, room + row.high * scale, y + 7, "whisker"))
        x = room + row.value * scale
        return [*shapes, build_element("circle", class_="dot lead", cx=float(x), cy=float(y + 7), r=4)]


@dataclass(frozen=True, slots=True)
class Grouped:
    """Groups of bars, one bar per series (at most three); rows[group][series]."""

    chart: ClassVar[str] = "grouped"
    key: str
    title: str
    series: Sequence[str]
    groups: Sequence[str]
    rows: Sequence[Sequence[Dot]]

    def draw(self) -> Svg:
        room = _label_width(self.groups)
        flat = [dot for row in self.rows for dot in row]
        value_room = min(max((_text_width(dot.told) for dot in flat), default=0) + 14, 110)
        largest = max((dot.high or dot.value or 0 for dot in flat), default=0) or 1
        scale = (WIDTH - value_room - room) / largest
        shapes, y = [draw_text(0, 12, self.title, "title"), *self._legend(room)], TOP + 18
        for label, row in zip(self.groups, self.rows, strict=True):
            shapes.append(draw_text(room - 8, y + 7 * len(row) + 2, _shorten_label(label, room), "end"))
            for index, dot in enumerate(row):
                shapes += self._bar(index, dot, room, scale, y)
                y += 14
            y += 8
        shapes.append(draw_line(room, TOP + 12, room, y - 4, "axis"))
        descriptions = [
            f"{label}, {name}: {dot.told}"
            for label, row in zip(self.groups, self.rows, strict=True)
            for name, dot in zip(self.series, row, strict=True)
        ]
        return draw_frame(self.key, self.title, "; ".join(descriptions), y, shapes)

    def _legend(self, x: float) -> list[Svg]:
        shapes: list[Svg] = []
        for index, name in enumerate(self.series):
            shapes += [draw_rect(x, TOP - 2, 9, 9, f"bar s{index + 1}"), draw_text(x + 13, TOP + 6, name)]
            x += _text_width(name) + 27
        return shapes

    @staticmethod
    def _bar(number: int, dot: Dot, room: float, scale: float, y: float) -> list[Svg]:
        if dot.value is None:
            return [draw_text(room + 6, y + 9, dot.told, "faint")]
        shapes = [draw_rect(room, y, dot.value * scale, 11, f"bar s{number + 1}", title=dot.told)]
        end = room + max(dot.value, dot.high or 0) * scale
        if dot.low is not None and dot.high is not None:
            shapes.append(draw_line(room + dot.low * scale, y + 5.5, room + dot.high * scale, y + 5.5, "whisker"))
        return [*shapes, draw_text(end + 6, y + 9, dot.told)]


@dataclass(frozen=True, slots=True)
class Strip:
    """counts: per bin. beyond: how many are above the last bin. band: (low, high) of the guideline, or None."""

    label: str
    told: str
    counts: Sequence[int]
    beyond: int = 0
    band: Sequence[float | None] | None = None
    modes: Sequence[float] = field(default_factory=tuple)


@dataclass(frozen=True, slots=True)
class Strips:
    """Histograms below each other on one axis of shares from 0 to `most`; each has its own height scale."""

    chart: ClassVar[str] = "strips"
    key: str
    title: str
    most: float
    rows: Sequence[Strip]
    height: ClassVar[float] = 44.0

    def draw(self) -> Svg:
        shapes, y = [draw_text(0, 12, self.title, "title")], TOP
        scale = (WIDTH - 2) / self.most
        bottom = TOP + (self.height + 34) * len(self.rows)
        for tick in _axis_ticks(self.most, 6):
            x = tick * scale
            place = "faint" if tick == 0 else "end faint" if x > WIDTH - 12 else "mid faint"
            shapes.append(draw_text(x, bottom + 8, f"{100 * tick:g} %", place))
        for row in self.rows:
            shapes += self._strip(row, y, scale)
            y += self.height + 34
        return draw_frame(
            self.key, self.title, "; ".join(f"{row.label}: {row.told}" for row in self.rows), bottom + 12, shapes
        )

    def _strip(self, row: Strip, y: float, scale: float) -> list[Svg]:
        base = y + 16 + self.height
        shapes = [draw_text(0, y + 9, row.label, "strong"), draw_text(WIDTH, y + 9, row.told, "end")]
        if row.band is not None:
            low, high = (row.band[0] or 0.0), (self.most if row.band[1] is None else row.band[1])
            shapes.append(
                draw_rect(low * scale, y + 16, (min(high, self.most) - low) * scale, self.height, "band", rx=0)
            )
        tallest, wide = max(row.counts, default=0) or 1, WIDTH / max(len(row.counts), 1)
        step = self.most / max(len(row.counts), 1)
        for index, n in enumerate(row.counts):
            if n:
                tall = max(n / tallest * (self.height - 4), 1.0)
                name = f"{100 * index * step:.1f}–{100 * (index + 1) * step:.1f} %: {n}"
                shapes.append(
                    draw_rect(index * wide + 0.5, base - tall, max(wide - 1, 0.8), tall, "bar", title=name, rx=0)
                )
        shapes.append(draw_line(0, base, WIDTH, base, "axis"))
        if row.beyond:
            shapes.append(draw_text(WIDTH, base - 5, f"+{row.beyond} →", "end faint"))
        for mode in row.modes:
            if mode <= self.most:
                x = mode * scale
                shapes.append(build_element("path", class_="mark", d=f"M{x:.1f} {base + 2:.1f}l4 7h-8z"))
        return shapes


Chart = Bars | Dots | Duels | Forest | Grouped | Heat | MarkedTexts | Strips
_ROWS: dict[str, Any] = {
    "bars": Bar,
    "dots": Dot,
    "duels": Duel,
    "forest": ForestRow,
    "strips": Strip,
    "marked-texts": MarkedText,
}
_CHARTS: dict[str, Any] = {kind.chart: kind for kind in (Bars, Dots, Duels, Forest, Grouped, Heat, MarkedTexts, Strips)}


def chart_json(chart: Chart) -> dict[str, Any]:
    """The figure as JSON values."""
    return {"chart": chart.chart, **asdict(chart)}


def chart_from_json(data: Mapping[str, Any]) -> Chart:
    """Rebuild a figure from `chart_json`'s values. Raises KeyError or TypeError for anything else."""
    fields = {name: value for name, value in data.items() if name != "chart"}
    kind = data["chart"]
    if kind == "grouped":
        fields["rows"] = [[Dot(**dot) for dot in row] for row in fields["rows"]]
    elif kind != "heat":
        fields["rows"] = [_ROWS[kind](**row) for row in fields["rows"]]
    chart: Chart = _CHARTS[kind](**fields)
    return chart


def _axis_ticks(largest: float, max_steps: int) -> list[float]:
    step = nice_step(largest, max_steps)
    return [round(step * number, 10) for number in range(int(largest / step + 1e-9) + 1)]

"""Curves over numbers: up to three lines with a legend, or one line within its interval. Drawn at once, not stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from epitome.figures.svg import WIDTH, Svg, build_element, draw_frame, draw_line, draw_text, format_number, nice_step

TOP, PLOT, LEFT, RIGHT, BELOW = 26.0, 150.0, 40.0, 8.0, 34.0
LETTER_WIDTH = 6.7
MOST_POINTS = 200
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Curve:
    label: str
    points: Sequence[Point]


@dataclass(frozen=True, slots=True)
class Curves:
    """curves: the first three kinds of lines. band: (x, low, high) around the first. goals: values marked by a dashed
    line. label_x: what is counted from left to right. description: the whole in words, for screen readers."""

    key: str
    title: str
    curves: Sequence[Curve]
    label_x: str
    description: str
    band: Sequence[tuple[float, float, float]] = field(default_factory=tuple)
    goals: Sequence[float] = field(default_factory=tuple)

    def draw(self) -> Svg:
        frame = _Frame.around(self)
        shapes = [draw_text(0, 12, self.title, "title"), *self._draw_legend(), *frame.draw_axes(self.label_x)]
        if self.band:
            upper = [(x, high) for x, _low, high in self.band]
            lower = [(x, low) for x, low, _high in self.band]
            shapes.append(
                _draw_points([frame.place(*point) for point in (*upper, *reversed(lower))], "band", "polygon")
            )
        for goal in self.goals:
            (x, y), (end, _y) = frame.place(frame.first, goal), frame.place(frame.last, goal)
            shapes.append(draw_line(x, y, end, y, "goal"))
        for number, curve in enumerate(self.curves, 1):
            shapes.append(_draw_points([frame.place(*point) for point in thin_out(curve.points)], f"curve s{number}"))
        return draw_frame(self.key, self.title, self.description, TOP + PLOT + BELOW, shapes)

    def _draw_legend(self) -> list[Svg]:
        shapes: list[Svg] = []
        x = LEFT
        for number, curve in enumerate(self.curves if len(self.curves) > 1 else (), 1):
            shapes += [draw_line(x, TOP - 4, x + 12, TOP - 4, f"curve s{number}"), draw_text(x + 16, TOP, curve.label)]
            x += len(curve.label) * LETTER_WIDTH + 26
        return shapes


@dataclass(frozen=True, slots=True)
class _Frame:
    """The axes: x from first to last, y from low to high."""

    first: float
    last: float
    low: float
    high: float

    @classmethod
    def around(cls, figure: Curves) -> _Frame:
        points = [point for curve in figure.curves for point in curve.points]
        xs = [x for x, _y in points] + [x for x, _low, _high in figure.band] or [0.0]
        ys = [y for _x, y in points] + [y for _x, low, high in figure.band for y in (low, high)] + [*figure.goals]
        low, high = min(ys, default=0.0), max(ys, default=1.0)
        return cls(min(xs), max(max(xs), min(xs) + 1), low, high if high > low else low + 1)

    def place(self, x: float, y: float) -> Point:
        wide = WIDTH - LEFT - RIGHT
        across = LEFT + wide * (x - self.first) / (self.last - self.first)
        return across, TOP + 8 + (PLOT - 8) * (self.high - y) / (self.high - self.low)

    def draw_axes(self, label_x: str) -> list[Svg]:
        bottom = TOP + PLOT
        shapes: list[Svg] = []
        for tick in _list_ticks(self.low, self.high, 4):
            y = self.place(self.first, tick)[1]
            shapes += [
                draw_line(LEFT, y, WIDTH - RIGHT, y, "grid"),
                draw_text(LEFT - 5, y + 4, f"{tick:g}", "end faint"),
            ]
        for tick in _list_ticks(self.first, self.last, 4):
            shapes.append(draw_text(self.place(tick, self.low)[0], bottom + 14, f"{tick:g}", "mid faint"))
        shapes.append(draw_text(WIDTH - RIGHT, bottom + 28, label_x, "end faint"))
        return [*shapes, draw_line(LEFT, TOP + 4, LEFT, bottom, "axis")]


def _list_ticks(low: float, high: float, most: int) -> list[float]:
    step = nice_step(high - low, most)
    first = -(-low // step)
    return [round((first + number) * step, 10) for number in range(most + 2) if (first + number) * step <= high + 1e-9]


def thin_out(points: Sequence[Point]) -> list[Point]:
    """At most about MOST_POINTS of the points, the last one among them."""
    every = len(points) // MOST_POINTS + 1
    thinned = list(points[::every])
    return thinned if not points or thinned[-1] == points[-1] else [*thinned, points[-1]]


def _draw_points(points: Sequence[Point], class_: str, tag: str = "polyline") -> Svg:
    places = " ".join(f"{format_number(x)},{format_number(y)}" for x, y in points)
    return build_element(tag, class_=class_, points=places)

"""The burn-up of a project: what is written day by day, what is inspected, how many are wanted, and the forecast.

Unlike the small charts it fills the width it gets: horizontal places are shares, so that letters keep their size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import accumulate

from annotation.figures.numbers import format_count
from annotation.figures.svg import Svg, build_element, format_number, nice_step

HEIGHT, PLOT, HEADROOM = 300.0, 270.0, 22.0
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class BurnUp:
    """written, inspected: (day, number) of the days with any, in order. wanted: how many there are to be, > 0.
    ends: the forecast's (earliest, expected, latest) days, or None; latest None where it is open. label: what the
    figure says to a screen reader. wanted_label, and day_labels (the first day, today, the last): words for people."""

    written: Sequence[tuple[date, int]]
    inspected: Sequence[tuple[date, int]]
    wanted: int
    today: date
    ends: tuple[date, date, date | None] | None
    label: str
    wanted_label: str
    day_labels: tuple[str, str, str]

    @property
    def first(self) -> date:
        return min(self.written[0][0], self.today - timedelta(days=1)) if self.written else self.today

    @property
    def last(self) -> date:
        """The right end: the latest day of the forecast, but at most three times as far as the work has come."""
        if self.ends is None:
            return self.today
        elapsed = max((self.today - self.first).days, 14)
        furthest = self.today + timedelta(days=3 * elapsed)
        return min(self.ends[2] or furthest, furthest)

    def draw(self) -> Svg:
        top = max(self.wanted, self._total(self.written))
        curves = [
            *self._draw_fan(),
            self._draw_curve(self.inspected, "curve two"),
            self._draw_curve(self.written, "curve"),
        ]
        if self.ends is not None:
            curves.append(self._draw_line([self._now, self._place(self.ends[1], self.wanted)], "curve ahead"))
        stretched = build_element(
            "svg", *curves, width="100%", height=PLOT, viewBox="0 0 100 100", preserveAspectRatio="none"
        )
        shapes = [*self._draw_grid(top), stretched, *self._draw_days(), *self._draw_now()]
        return build_element(
            "svg",
            build_element("title", self.label, id="burn-up-t"),
            *shapes,
            class_="plot",
            height=HEIGHT,
            role="img",
            aria_labelledby="burn-up-t",
        )

    @staticmethod
    def _total(days: Sequence[tuple[date, int]]) -> int:
        return sum(n for _day, n in days)

    @property
    def _now(self) -> Point:
        return self._place(self.today, self._total(self.written))

    def _place(self, day: date, number: float) -> Point:
        """In shares of the plot from its upper left corner."""
        span = max((self.last - self.first).days, 1)
        return 100 * (day - self.first).days / span, 100 * self._height(number) / PLOT

    def _height(self, number: float) -> float:
        top = max(self.wanted, self._total(self.written))
        return PLOT - (PLOT - HEADROOM) * number / top

    def _cumulate(self, days: Sequence[tuple[date, int]]) -> Iterator[Point]:
        """The points of a curve that stays level on days without any, until today."""
        yield self._place(self.first, 0)
        sums = list(accumulate(n for _day, n in days))
        before = 0
        for (day, _n), total in zip(days, sums, strict=True):
            if day > self.first:
                yield self._place(day - timedelta(days=1), before)
            yield self._place(day, total)
            before = total
        yield self._place(self.today, before)

    def _draw_curve(self, days: Sequence[tuple[date, int]], class_: str) -> Svg:
        return self._draw_line(list(self._cumulate(days)), class_) if days else Svg("")

    @staticmethod
    def _draw_line(points: Sequence[Point], class_: str, tag: str = "polyline") -> Svg:
        places = " ".join(f"{format_number(x)},{format_number(y)}" for x, y in points)
        return build_element(tag, class_=class_, points=places)

    def _draw_fan(self) -> list[Svg]:
        """What lies below the written curve, and between the quickest and the slowest forecast."""
        bottom = [self._place(self.today, 0), self._place(self.first, 0)]
        shapes = [self._draw_line([*self._cumulate(self.written), *bottom], "area", "polygon")] if self.written else []
        if self.ends is not None:
            earliest, _expected, latest = self.ends
            slow = self._place(latest, self.wanted) if latest else (100.0, self._now[1])
            corners = [self._now, self._place(earliest, self.wanted), slow]
            if latest is None:
                corners.insert(2, (100.0, self._place(earliest, self.wanted)[1]))
            shapes.append(self._draw_line(corners, "fan", "polygon"))
        return shapes

    def _draw_grid(self, top: int) -> list[Svg]:
        step = max(nice_step(float(top), 4), 1.0)
        shapes = []
        level = step
        while level < top * 0.93:
            shapes.append(self._draw_level(level, "grid"))
            shapes.append(build_element("text", format_count(round(level)), x="0", y=self._height(level) - 5))
            level += step
        goal = self._draw_level(self.wanted, "goal")
        label = build_element("text", self.wanted_label, class_="strong", x="0", y=self._height(self.wanted) - 6)
        return [*shapes, goal, label, build_element("line", class_="axis", x1="0", x2="100%", y1=PLOT, y2=PLOT)]

    def _draw_level(self, number: float, class_: str) -> Svg:
        y = self._height(number)
        return build_element("line", class_=class_, x1="0", x2="100%", y1=y, y2=y)

    def _draw_days(self) -> list[Svg]:
        """The first day, today, and the expected last one."""
        first, today, end = self.day_labels
        now = self._now[0]
        shapes = [build_element("text", first, x="0", y=PLOT + 22)] if now > 20 else []
        place = "mid strong" if now < 88 else "end strong"
        shapes.append(build_element("text", today, class_=place, x=f"{format_number(now)}%", y=PLOT + 22))
        if self.ends is not None and end and now < 65:
            shapes.append(build_element("text", end, class_="end", x="100%", y=PLOT + 22))
        return shapes

    def _draw_now(self) -> list[Svg]:
        x, _y = self._now
        y = self._height(self._total(self.written))
        shapes = [build_element("circle", class_="now", cx=f"{format_number(x)}%", cy=y, r=5)]
        if self.ends is not None and self.ends[1] <= self.last:
            end = self._place(self.ends[1], self.wanted)[0]
            shapes.append(
                build_element("circle", class_="ring", cx=f"{format_number(end)}%", cy=self._height(self.wanted), r=5)
            )
        return shapes


def draw_day_bars(numbers: Sequence[int], most: int, label: str) -> Svg:
    """A bar for each day, its number of `most` high; a thin line where there is none. label: for screen readers."""
    slot = 100 / len(numbers)
    shapes = []
    for place, number in enumerate(numbers):
        height = 22 * number / most if number and most else 1.0
        box = {"x": place * slot, "y": 24 - height, "width": slot * 0.68, "height": height}
        shapes.append(build_element("rect", class_=None if number else "off", **box))
    return build_element(
        "svg",
        *shapes,
        class_="spark days",
        viewBox="0 0 100 24",
        preserveAspectRatio="none",
        role="img",
        aria_label=label,
    )

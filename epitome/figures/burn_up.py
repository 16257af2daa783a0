"""The burn-up of a project: what is written day by day, what is inspected, how many are wanted, and the forecast.

Unlike the small charts it fills the width it gets: horizontal places are shares, so that letters keep their size.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from epitome.figures.numbers import format_count
from epitome.figures.svg import Svg, build_element, format_number, nice_step

HEIGHT, PLOT, HEADROOM = 300.0, 270.0, 22.0
MOST_POINTS = 120
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class BurnUp:
    """written, inspected: (day, number) of the days with any, in order; written is not empty. n_wanted: how many there
    are to be, > 0. ends: the forecast's (earliest, expected, latest) days, or None; latest None where it is open.
    label: what the figure says to a screen reader. wanted_label, name_day: words for people."""

    written: Sequence[tuple[date, int]]
    inspected: Sequence[tuple[date, int]]
    n_wanted: int
    today: date
    ends: tuple[date, date, date | None] | None
    label: str
    wanted_label: str
    today_label: str
    name_day: Callable[[date], str]

    def draw(self) -> Svg:
        total = sum(n for _day, n in self.written)
        frame = self._frame(total)
        now = frame.place(self.today, total)
        curve = _cumulate(self.written, frame, self.today)
        under = [*curve, frame.place(self.today, 0), frame.place(frame.first, 0)]
        curves = [_draw_line(under, "area", "polygon"), *self._draw_forecast(frame, now), _draw_line(curve, "curve")]
        if self.inspected:
            curves.append(_draw_line(_cumulate(self.inspected, frame, self.today), "curve two"))
        stretched = build_element(
            "svg", *curves, width="100%", height=PLOT, viewBox="0 0 100 100", preserveAspectRatio="none"
        )
        shapes = [*self._draw_levels(frame), stretched, *self._draw_days(frame, now[0]), *self._draw_marks(frame, now)]
        title = build_element("title", self.label, id="burn-up-t")
        labels = {"role": "img", "aria_labelledby": "burn-up-t"}
        return build_element("svg", title, *shapes, class_="plot", height=HEIGHT, **labels)

    def _frame(self, total: int) -> Frame:
        """The right end is the latest day of the forecast, but not so far that what is done becomes small."""
        first = min(self.written[0][0], self.today - timedelta(days=1))
        last = self.today
        if self.ends is not None:
            days_ahead = max((self.today - first).days, 14, 3 * (self.ends[1] - self.today).days // 2)
            last = min(self.ends[2] or date.max, self.today + timedelta(days=days_ahead))
        return Frame(first, last, max(self.n_wanted, total))

    def _draw_forecast(self, frame: Frame, now: Point) -> list[Svg]:
        """The line ahead, and what is between the quickest and the slowest end."""
        if self.ends is None:
            return []
        earliest, expected, latest = self.ends
        level = frame.place(self.today, self.n_wanted)[1]
        quick = frame.place(earliest, self.n_wanted)
        slow = [frame.place(latest, self.n_wanted)] if latest else [(100.0, level), (100.0, now[1])]
        return [
            _draw_line([now, quick, *slow], "fan", "polygon"),
            _draw_line([now, frame.place(expected, self.n_wanted)], "curve ahead"),
        ]

    def _draw_levels(self, frame: Frame) -> list[Svg]:
        step = max(nice_step(float(frame.top), 4), 1.0)
        shapes = []
        level = step
        while level < frame.top * 0.93:
            y = frame.height(level)
            shapes.append(build_element("line", class_="grid", x1="0", x2="100%", y1=y, y2=y))
            shapes.append(build_element("text", format_count(round(level)), class_="end", x="100%", y=y - 5))
            level += step
        goal = frame.height(self.n_wanted)
        shapes.append(build_element("line", class_="goal", x1="0", x2="100%", y1=goal, y2=goal))
        shapes.append(build_element("text", self.wanted_label, class_="strong", x="0", y=goal - 6))
        shapes.append(build_element("line", class_="axis", x1="0", x2="100%", y1=PLOT, y2=PLOT))
        return shapes

    def _draw_days(self, frame: Frame, now: float) -> list[Svg]:
        """Names of the first day, today, and the last one, as far as they do not meet."""
        place = {"class_": "mid strong" if now < 88 else "end strong", "x": f"{format_number(now)}%"}
        shapes = [build_element("text", self.today_label, y=PLOT + 22, **place)]
        if now > 15:
            shapes.append(build_element("text", self.name_day(frame.first), x="0", y=PLOT + 22))
        if now < 75:
            shapes.append(build_element("text", self.name_day(frame.last), class_="end", x="100%", y=PLOT + 22))
        return shapes

    def _draw_marks(self, frame: Frame, now: Point) -> list[Svg]:
        """A dot where the work is today, a ring where it is expected to end."""
        height = PLOT * now[1] / 100
        shapes = [build_element("circle", class_="now", cx=f"{format_number(now[0])}%", cy=height, r=5)]
        if self.ends is not None and self.ends[1] <= frame.last:
            end = format_number(frame.place(self.ends[1], self.n_wanted)[0])
            shapes.append(build_element("circle", class_="ring", cx=f"{end}%", cy=frame.height(self.n_wanted), r=5))
        return shapes


@dataclass(frozen=True, slots=True)
class Frame:
    """The axes: days from first to last, numbers from 0 to top."""

    first: date
    last: date
    top: int

    def place(self, day: date, number: float) -> Point:
        """In hundredths of the plot, from its upper left corner."""
        return 100 * (day - self.first).days / max((self.last - self.first).days, 1), 100 * self.height(number) / PLOT

    def height(self, number: float) -> float:
        return PLOT - (PLOT - HEADROOM) * number / self.top


def _cumulate(days: Sequence[tuple[date, int]], frame: Frame, today: date) -> list[Point]:
    """A curve that stays level on days without any, until today. Of more than `MOST_POINTS` days some are left out."""
    points = [frame.place(frame.first, 0)]
    n_before, last_day = 0, frame.first
    every = len(days) // MOST_POINTS + 1
    for position, (day, n) in enumerate(days, 1):
        if (day - last_day).days > 1 and every == 1:
            points.append(frame.place(day - timedelta(days=1), n_before))
        n_before, last_day = n_before + n, day
        if position % every == 0 or position == len(days):
            points.append(frame.place(day, n_before))
    return [*points, frame.place(today, n_before)]


def _draw_line(points: Sequence[Point], class_: str, tag: str = "polyline") -> Svg:
    places = " ".join([f"{format_number(x)},{format_number(y)}" for x, y in points])
    return build_element(tag, class_=class_, points=places)


def draw_day_bars(numbers: Sequence[int], most: int, label: str) -> Svg:
    """A bar for each day, its number of `most` high; a thin line where there is none. label: for screen readers."""
    step = 100 / len(numbers)
    width = format_number(step * 0.68)
    bars = " ".join(
        [
            f"M{format_number(step * index)} 24h{width}v{format_number(-22 * number / most)}h-{width}z"
            for index, number in enumerate(numbers)
            if number
        ]
    )
    shapes = [build_element("path", class_="off", d="M0 24h100"), build_element("path", d=bars)]
    box = {"viewBox": "0 0 100 24", "preserveAspectRatio": "none"}
    return build_element("svg", *shapes, class_="spark days", role="img", aria_label=label, **box)

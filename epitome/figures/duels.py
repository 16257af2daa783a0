"""Pairs of systems as bars to both sides of the middle: how often each was preferred, and how often neither."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from epitome.figures.forest import LETTER, PAPER_WIDTH, ROW, TOP, format_place
from epitome.figures.svg import Svg, build_element, draw_frame, draw_rect, draw_text


@dataclass(frozen=True, slots=True)
class Duel:
    """One pair: how often the first was preferred, neither, the second. value_text: the difference; details: its
    interval and p. decided: 1 or 2 for the one that is shown to be better, 0 for neither."""

    first: str
    second: str
    wins: int
    ties: int
    losses: int
    value_text: str = ""
    details: str = ""
    decided: int = 0

    @property
    def sentence(self) -> str:
        counts = f"{self.first} {self.wins}, tie {self.ties}, {self.second} {self.losses}"
        return "; ".join(filter(None, [counts, self.value_text, self.details]))

    @property
    def total(self) -> int:
        return self.wins + self.ties + self.losses


@dataclass(frozen=True, slots=True)
class DuelLine:
    row: Duel
    plot: Svg


@dataclass(frozen=True, slots=True)
class Duels:
    """Bars to both sides of the middle, one per pair: wins of the first to the left, of the second to the right, ties
    between them. The middle of the ties is in the middle."""

    chart: ClassVar[str] = "duels"
    key: str
    title: str
    rows: Sequence[Duel]

    @property
    def description(self) -> str:
        return ". ".join(row.sentence for row in self.rows)

    def _bars(self, row: Duel) -> list[tuple[str, float, float, int]]:
        """(class, start, width, number) of the three bars, as shares of the width."""
        widest = max((max(row.wins, row.losses) + row.ties / 2 for row in self.rows), default=1) or 1
        unit = 0.5 / widest
        tie, win, loss = row.ties * unit, row.wins * unit, row.losses * unit
        return [
            ("win", 0.5 - tie / 2 - win, win, row.wins),
            ("tie", 0.5 - tie / 2, tie, row.ties),
            ("loss", 0.5 + tie / 2, loss, row.losses),
        ]

    def lines(self) -> list[DuelLine]:
        """The pairs for a page, each with its drawing."""
        return [DuelLine(row, self._plot(row)) for row in self.rows]

    def _plot(self, row: Duel) -> Svg:
        shapes: list[Svg] = [build_element("title", row.sentence)]
        for class_, start, width, number in self._bars(row):
            if number:
                box = {"x": format_place(start), "y": "0", "width": format_place(width), "height": "100%"}
                shapes.append(build_element("rect", class_=class_, rx=None if class_ == "tie" else "3", **box))
                if width > 0.05:
                    shapes.append(
                        build_element(
                            "text", str(number), class_=f"on-{class_} mid", x=format_place(start + width / 2), y="21"
                        )
                    )
        return build_element("svg", *shapes, class_="plot", role="img", aria_label=row.sentence)

    def draw(self) -> Svg:
        """The figure as one drawing, for files."""
        room = min(max((max(len(row.first), len(row.second)) for row in self.rows), default=0) * LETTER + 12, 150)
        value_room = max((len(f"{row.value_text} {row.details}") for row in self.rows), default=0) * LETTER + 10
        width = PAPER_WIDTH - 2 * room - value_room
        shapes, y = [draw_text(0, 12, self.title, "title")], TOP
        classes = {"win": "bar lead", "tie": "rail", "loss": "bar s3"}
        for row in self.rows:
            shapes.append(draw_text(room - 8, y + 15, row.first, "end strong" if row.decided == 1 else "end"))
            for class_, start, length, number in self._bars(row):
                if number:
                    x = room + start * width
                    shapes.append(draw_rect(x, y + 3, length * width, 16, classes[class_]))
                    if length * width > 18:
                        tone = "mid strong" if class_ == "tie" else "mid light"
                        shapes.append(draw_text(x + length * width / 2, y + 15, str(number), tone))
            strong = "strong" if row.decided == 2 else ""
            shapes.append(draw_text(room + width + 8, y + 15, row.second, strong))
            shapes.append(draw_text(PAPER_WIDTH, y + 15, f"{row.value_text} {row.details}".strip(), "end faint"))
            y += ROW + 4
        return draw_frame(self.key, self.title, self.description, y + 4, shapes, PAPER_WIDTH)

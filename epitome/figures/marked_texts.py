"""Texts with the words that raters marked: the more raters marked a word, the deeper its colour."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from epitome.figures.numbers import format_percent
from epitome.figures.svg import WIDTH, Svg, build_element, draw_frame, draw_rect, draw_text

STEPS = 7
TOP, LINE, GAP = 24.0, 17.0, 14.0
SPACE = 3.2
NARROW, WIDE = "iljtfrI.,;:'’!|()[] ", "mwMW@%"


@dataclass(frozen=True, slots=True)
class MarkedText:
    """One text. label: what it is; remark: a number as text. words: in order; shares: of the raters who marked each."""

    label: str
    remark: str
    words: Sequence[str]
    shares: Sequence[float]


@dataclass(frozen=True, slots=True)
class MarkedTexts:
    """Texts below each other, each word on a ground whose step shows the share of raters who marked it."""

    chart: ClassVar[str] = "marked-texts"
    key: str
    title: str
    rows: Sequence[MarkedText]

    def draw(self) -> Svg:
        shapes, y = [draw_text(0, 12, self.title, "title")], TOP
        for row in self.rows:
            shapes += [draw_text(0, y + 11, row.label, "strong"), draw_text(WIDTH, y + 11, row.remark, "end")]
            y += LINE + 3
            lines, bottom = _draw_words(row, y)
            shapes += lines
            y = bottom + GAP
        shapes += _draw_legend(y)
        return draw_frame(self.key, self.title, " ".join(map(_describe_text, self.rows)), y + 16, shapes)


def _describe_text(row: MarkedText) -> str:
    marked = [
        f"{word} ({format_percent(share)})" for word, share in zip(row.words, row.shares, strict=True) if share > 0
    ]
    return f"{row.label}, {row.remark}: {', '.join(marked) or 'nothing marked'}."


def _draw_words(row: MarkedText, y: float) -> tuple[list[Svg], float]:
    """The words in lines from y on, from the right where the text runs that way; also where the last line ends."""
    shapes: list[Svg] = []
    from_right = _runs_from_right(row.words)
    used = 0.0
    for word, share in zip(row.words, row.shares, strict=True):
        fitted_word, width = _fit_word(word)
        if used and used + width > WIDTH:
            used, y = 0.0, y + LINE
        x = WIDTH - used - width if from_right else used
        step = round(min(max(share, 0.0), 1.0) * (STEPS - 1))
        if share > 0:
            step = max(step, 1)
            name = f"{word}: {format_percent(share)}"
            shapes.append(draw_rect(x - 1, y, width + 2, LINE - 2, f"heat{step}", title=name))
        light = "light" if step >= STEPS - 3 else "strong" if share > 0 else None
        fitted = {"textLength": width, "lengthAdjust": "spacingAndGlyphs"}
        shapes.append(build_element("text", fitted_word, class_=light, x=float(x), y=float(y + 11), **fitted))
        used += width + SPACE
    return shapes, y + LINE


def _draw_legend(y: float) -> list[Svg]:
    """The steps with the shares they represent."""
    shapes: list[Svg] = [draw_text(0, y + 9, "marked by", "faint")]
    for index, share in enumerate((1 / 6, 0.5, 1.0)):
        x = 66 + index * 62
        words = format_percent(share)
        shapes.append(draw_rect(x, y, 10, 10, f"heat{round(share * (STEPS - 1))}"))
        shapes.append(draw_text(x + 14, y + 9, words, "faint"))
    return shapes


def _letter_width(letter: str) -> float:
    """Approximate width at font size 11; the browser stretches each word to the sum."""
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 11.0
    return 3.4 if letter in NARROW else 9.2 if letter in WIDE else 7.2 if letter.isupper() else 6.0


def _fit_word(word: str) -> tuple[str, float]:
    """The word, shortened where it is wider than a line, and its width."""
    width = sum(map(_letter_width, word))
    while width > WIDTH - 2 and len(word) > 1:
        word = word[:-2] + "…"
        width = sum(map(_letter_width, word))
    return word, max(width, 3.0)


def _runs_from_right(words: Sequence[str]) -> bool:
    """Whether the first letter with a direction runs from right to left."""
    directions = (unicodedata.bidirectional(letter) for word in words for letter in word)
    return next((direction for direction in directions if direction in ("L", "R", "AL")), "L") != "L"

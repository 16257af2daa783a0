"""How the raters of the example judge: from what a text does, not by chance.

A margin says by how much a text meets or misses what was asked, from the words alone. A rater says yes where the
margin, his own leniency and a little seeded noise add up to more than nothing. So raters agree on clear cases and
differ on close ones, and the same round gives the same answers each time.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from epitome.measures.copying import copied_runs
from epitome.measures.source import SourceIndex
from epitome.measures.topic import topic_share
from epitome.text.words import n_words

RUN = 2
COPIED = {"normal": (0.0, 0.75), "high": (0.35, 0.99), "full": (0.75, 1.0)}
"""Share of words in copied runs that counts as the requested extractiveness."""
DENSE = 0.07
"""Share of numbers and names from which a text is dense in detail."""
NOISE = 0.1
SURE = 0.03
TIE = 0.12


@dataclass(frozen=True)
class Habit:
    """leniency: added to every margin of this rater."""

    name: str
    leniency: float


HABITS = {"rater1": Habit("rater1", 0.0), "rater2": Habit("rater2", 0.05)}


def list_margins(text: str, values: Mapping[str, Any], index: SourceIndex) -> dict[str, float]:
    """Attribute -> by how much the text meets (above 0) or misses what was asked, about -1 to 1."""
    margins = {
        "extractiveness": _inside(_copied_share(text, index), COPIED[values["extractiveness"]]),
        "specificity": (_density(text) - DENSE) * 3 if values["specificity"] == "high" else 0.15,
    }
    topics = values.get("topic")
    if topics:
        margins["topic"] = (topic_share(text, topics).value or 0.0) - 0.7
    return margins


def answer_yes_no(habit: Habit, margins: Mapping[str, float], item: str) -> dict[str, dict[str, Any]]:
    """Question -> answer and whether the rater is unsure, for every attribute with a margin."""
    answers = {}
    for key, margin in margins.items():
        felt = margin + habit.leniency + _noise(habit, item, key)
        answers[key] = {"answer": "yes" if felt >= 0 else "no", "unsure": abs(felt) < SURE}
    return answers


def answer_preference(habit: Habit, first: Mapping[str, float], second: Mapping[str, float], item: str) -> str:
    """first | tie | second: the text that misses less of what was asked."""
    difference = _merit(first) - _merit(second) + _noise(habit, item, "better")
    return "tie" if abs(difference) < TIE else "first" if difference > 0 else "second"


def answer_scale(habit: Habit, margins: Mapping[str, float], item: str, question: str, steps: int) -> int:
    """A step of a scale, from 1."""
    felt = _merit(margins) + habit.leniency + 2 * _noise(habit, item, question)
    return max(1, min(steps, round((felt + 0.6) / 0.75 * (steps - 1)) + 1))


def _merit(margins: Mapping[str, float]) -> float:
    """The mean margin; what is met counts little, what is missed counts in full."""
    return sum(min(margin, 0.1) for margin in margins.values()) / len(margins)


def _inside(share: float, limits: tuple[float, float]) -> float:
    low, high = limits
    return min(share - low if low > 0 else 1.0, high - share if high < 1 else 1.0, 0.3)


def _copied_share(text: str, index: SourceIndex) -> float:
    words = n_words(text)
    copied = end = 0
    for run in copied_runs(text, index, RUN):
        start = max(run.start, end)
        if run.end > start:
            copied += n_words(text[start : run.end])
            end = run.end
    return copied / words if words else 0.0


def _density(text: str) -> float:
    """Share of words with a digit, and of capitalised words that open no sentence."""
    words: Sequence[str] = text.split()
    if not words:
        return 0.0
    names = sum(word[:1].isupper() and not before.endswith((".", ";", ":")) for before, word in pairwise(words))
    return (names + sum(any(map(str.isdigit, word)) for word in words)) / len(words)


def _noise(habit: Habit, item: str, question: str) -> float:
    """Between -NOISE and NOISE, the same for the same rater, item and question."""
    digest = hashlib.sha256(f"{habit.name}\n{item}\n{question}".encode()).digest()
    return (int.from_bytes(digest[:4]) / 2**31 - 1) * NOISE

"""Rounds in which raters mark errors, and answers to them."""

import json
from typing import Any

from epitome.reports.answers import Answer, ReportQuestion
from epitome.rounds.marks import Mark, write_marks
from epitome.rounds.templates import DEFAULT_SEVERITIES

TARGETS = '[[target]]\nkind = "gold"\n[[target]]\nsystem = "lead"\n'
ERRORS = ReportQuestion(
    "errors",
    "Errors",
    "Errors",
    "span-errors",
    values=("accuracy", "fluency"),
    severities=tuple(DEFAULT_SEVERITIES.items()),
    omission=True,
)


def round_text(template: str = "error-spans-mqm", *, n: int = 4, n_raters: int = 2, head: str = "") -> str:
    first = f'[round]\nname = "Errors"\ntemplate = "{template}"\nseed = 7\nraters_per_item = {n_raters}\n{head}\n'
    return f"{first}[selection]\nn = {n}\n{TARGETS}"


def mark(start: int, end: int, category: str = "accuracy", severity: str = "major") -> dict[str, Any]:
    return {"start": start, "end": end, "category": category, "severity": severity}


def stored(*marks: dict[str, Any]) -> str:
    return json.dumps(list(marks), separators=(",", ":"))


def answer(rater: str, marks: str, *, item: str = "i1", text: str, system: str = "lead", **more: Any) -> Answer:
    source = more.pop("source", item)
    return Answer(item, rater, "errors", marks, system, "document", source, sample=f"{source}#0", text=text, **more)


def over(text: str, *quotes: str, category: str = "accuracy", severity: str = "major") -> str:
    """The stored answer that marks these words of a text."""
    places = [(text.index(quote), text.index(quote) + len(quote)) for quote in quotes]
    return write_marks(Mark(severity, category, start, end) for start, end in places)

"""The sources and summaries of the finished example, from the data files in `annotation/example/finished`."""

import json
import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from annotation.services.example import FOLDER

SLUG = "example-finished"
FINISHED = FOLDER / "finished"
PRESET = "short-articles"
ALGORITHM = "balanced"


@dataclass(frozen=True)
class Batch:
    """Sources that are imported and drawn together. Seed and number fix the requests that the summaries are written
    for: another seed needs other summaries. overlap: annotators per sample."""

    names: tuple[str, ...]
    seed: int
    per_2000_words: float
    overlap: int


OVERLAPPING = Batch(("harbour-ferry", "school-kitchen"), seed=23135, per_2000_words=30.0, overlap=2)
WRITTEN = Batch(
    (
        *("night-bus", "stone-bridge", "seed-library", "tide-clock", "choir-hall"),
        *("peat-bog", "bike-post", "fire-tower", "saffron-field"),
    ),
    seed=7,
    per_2000_words=42.0,
    overlap=1,
)
OPEN = Batch(("glass-works",), seed=9, per_2000_words=40.0, overlap=1)
"""Imported last; nobody has written about it, so that a visitor can."""
BATCHES = (OVERLAPPING, WRITTEN, OPEN)


@dataclass(frozen=True)
class Summary:
    """One summary. marks: numbers of the relevant sentences. first: an earlier text, with what a reviewer said of it
    (verdict, part, comment). skip: why its first annotator left it; question, answer and kind: asked before writing."""

    at: int
    marks: list[int]
    title: str
    text: str
    first: str = ""
    verdict: str = ""
    part: str = ""
    comment: str = ""
    skip: str = ""
    note: str = ""
    question: str = ""
    answer: str = ""
    kind: str = ""


@dataclass(frozen=True)
class Source:
    """A source with its summaries by the position of their sample; second: by another annotator."""

    id: str
    title: str
    subject: str
    sentences: list[str]
    topics: list[list[str]]
    summaries: dict[int, Summary] = field(default_factory=dict)
    seconds: dict[int, Summary] = field(default_factory=dict)

    def as_line(self) -> str:
        """The source as one line of a file that can be imported."""
        row = {
            "id": self.id,
            "origin_id": self.id,
            "title": self.title,
            "segments": [{"speaker": "", "text": text} for text in self.sentences],
            "licence": "CC0-1.0",
            "may_release_text": True,
            "metadata": {"subject": self.subject},
        }
        return json.dumps(row, ensure_ascii=False)


@cache
def read_source(name: str) -> Source:
    table: dict[str, Any] = tomllib.loads((FINISHED / f"{name}.toml").read_text(encoding="utf-8"))
    return Source(
        id=table["id"],
        title=table["title"],
        subject=table["subject"],
        sentences=table["text"].strip().split("\n"),
        topics=table["topics"],
        summaries={row["at"]: Summary(**row) for row in table.get("summary", ())},
        seconds={row["at"]: Summary(**row) for row in table.get("second", ())},
    )


def write_import_file(names: tuple[str, ...], path: Path) -> None:
    """Write the sources as JSONL."""
    path.write_text("".join(read_source(name).as_line() + "\n" for name in names), encoding="utf-8")

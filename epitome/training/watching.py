"""Observers of a training (terminal, job row, page), and the metrics file next to the weights."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from epitome.systems.protocol import RequestValue
from epitome.training.data import DEV, TRAIN

FILE = "metrics.jsonl"
TEXTS_FILE = "texts.jsonl"
SELECTION = "selection"
"""Name of the dev score by which weights are chosen; lower is better."""


@dataclass(frozen=True)
class DevText:
    """What the model in training wrote for a dev sample. values: what was requested. reference: the human summary."""

    sample_id: str
    values: Mapping[str, RequestValue]
    text: str
    reference: str


class Watch(Protocol):
    def metrics(self, step: int, split: str, values: Mapping[str, float]) -> None:
        """What was measured at an update, on the split train (loss, learning rate) or dev (the selection's parts)."""

    def texts(self, step: int, texts: Sequence[DevText]) -> None:
        """What the model wrote for some dev samples at an update, the same samples each time."""

    def progress(self, done: int, total: int) -> None:
        """`done` of `total` updates are done."""

    def resumed(self, step: int) -> None:
        """Training resumes from this update: metrics reported for later ones are void."""

    def check(self) -> None:
        """Called between updates; may raise to stop the training, which can be resumed later."""


class NullWatch:
    """A watch that does nothing."""

    def metrics(self, step: int, split: str, values: Mapping[str, float]) -> None:
        return None

    def texts(self, step: int, texts: Sequence[DevText]) -> None:
        return None

    def progress(self, done: int, total: int) -> None:
        return None

    def resumed(self, step: int) -> None:
        return None

    def check(self) -> None:
        return None


class ShownProgress(Protocol):
    def set(self, done: int, total: int | None = None, note: str = "") -> None:
        """Show that `done` of `total` are done, with a note."""


class ProgressWatch(NullWatch):
    """Progress on a terminal, with the newest score as its note."""

    def __init__(self, progress: ShownProgress) -> None:
        self.shown, self.note = progress, ""

    def metrics(self, step: int, split: str, values: Mapping[str, float]) -> None:
        name = "selection" if split == DEV else "loss"
        if name in values and (split == DEV or not self.note.startswith("selection")):
            self.note = f"{name} {values[name]:.4f}"

    def progress(self, done: int, total: int) -> None:
        self.shown.set(done, total, self.note)


class Record:
    """The metrics of a training as JSON lines {"step", "split", name: value ...}; one line per step and split."""

    def __init__(self, folder: Path, file: str = FILE) -> None:
        self.path = folder / file

    def add(self, step: int, split: str, values: Mapping[str, float]) -> None:
        self.add_row({"step": step, "split": split, **values})

    def add_row(self, row: Mapping[str, Any]) -> None:
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(row, sort_keys=True) + "\n")

    def rows(self) -> list[dict[str, Any]]:
        """All rows in order. Lines that are not valid JSON, such as a truncated last line, are skipped."""
        if not self.path.is_file():
            return []
        entries = []
        for line in self.path.read_text(encoding="utf-8").split("\n"):
            try:
                entries.append(json.loads(line))
            except ValueError:
                continue
        return entries

    def cut(self, step: int) -> None:
        """Remove the rows after a step."""
        entries = [row for row in self.rows() if row["step"] <= step]
        temporary = self.path.with_suffix(".part")
        temporary.write_text("".join(json.dumps(row, sort_keys=True) + "\n" for row in entries), encoding="utf-8")
        temporary.replace(self.path)


class TextRecord(Record):
    """The summaries of the shown dev samples as JSON lines {"step", "sample_id", "values", "text", "reference"}."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, TEXTS_FILE)

    def add_texts(self, step: int, texts: Sequence[DevText]) -> None:
        for text in texts:
            self.add_row({"step": step, **asdict(text)})


def finite_values(values: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, float]:
    """The named values that are finite numbers, under our names."""
    named_values = {ours: values[theirs] for theirs, ours in names.items() if theirs in values}
    return {name: float(value) for name, value in named_values.items() if math.isfinite(value)}


SPLITS = (TRAIN, DEV)

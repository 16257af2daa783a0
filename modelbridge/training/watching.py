"""Observers of a training (terminal, job row, page), and the metrics file next to the weights."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from modelbridge.training.data import DEV, TRAIN

FILE = "metrics.jsonl"


class Watch(Protocol):
    def metrics(self, step: int, split: str, values: Mapping[str, float]) -> None:
        """What was measured at an update, on the split train (loss, learning rate) or dev (the selection's parts)."""

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

    def progress(self, done: int, total: int) -> None:
        return None

    def resumed(self, step: int) -> None:
        return None

    def check(self) -> None:
        return None


class Record:
    """The metrics of a training as JSON lines {"step", "split", name: value ...}; one line per step and split."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE

    def add(self, step: int, split: str, values: Mapping[str, float]) -> None:
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps({"step": step, "split": split, **values}, sort_keys=True) + "\n")

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


def finite_values(values: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, float]:
    """The named values that are finite numbers, under our names."""
    named_values = {ours: values[theirs] for theirs, ours in names.items() if theirs in values}
    return {name: float(value) for name, value in named_values.items() if math.isfinite(value)}


SPLITS = (TRAIN, DEV)

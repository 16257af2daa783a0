"""A grid of trainings: one configuration with every combination of some settings, and which of them is the best on dev.

Zhang et al., "MACSum", TACL 2023, chose the learning rate so, from 1e-5, 3e-5 and 1e-4.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from epitome.figures.tables import Cell, Column, Table
from epitome.systems.protocol import SystemFault
from epitome.training import folders
from epitome.training.config import TrainingConfig
from epitome.training.data import DEV
from epitome.training.grid_cells import GridCell, describe_changes
from epitome.training.run import TrainingResult, run_training
from epitome.training.variants import change_settings
from epitome.training.watching import SELECTION, Record, Watch

FILE = "grid.json"
NOT_EVALUATED = "not evaluated at this update"


@dataclass(frozen=True)
class TrainedCell:
    """curve: (update, selection) of every evaluation, lower is better."""

    cell: GridCell
    result: TrainingResult
    curve: tuple[tuple[int, float], ...]

    @property
    def best(self) -> float:
        return float(self.result.best[SELECTION])


def train_grid(
    text: str,
    cells: Sequence[GridCell],
    folder: Path,
    parse: Callable[[str, str], TrainingConfig],
    watch: Callable[[GridCell], Watch],
) -> list[TrainedCell]:
    """Train every cell in a folder of its own below `folder`, and write grid.json there; finished ones are not
    repeated. parse(text, name): a configuration. Raises what `run_training` raises, SystemFault without dev samples."""
    trained = []
    for cell in cells:
        config = parse(change_settings(text, {**cell.changes, "training.key": cell.key}), f"{cell.key}.toml")
        result = run_training(config, folder / cell.key, watch(cell))
        if SELECTION not in result.best:
            raise SystemFault("a grid needs dev samples: they say which of its trainings is the best")
        rows = [row for row in Record(folder / cell.key).rows() if row["split"] == DEV]
        curve = tuple((int(row["step"]), float(row[SELECTION])) for row in rows)
        trained.append(TrainedCell(cell, result, curve))
    folders.write_json(folder / FILE, grid_as_json(trained))
    return trained


def choose_winner(trained: Sequence[TrainedCell]) -> TrainedCell:
    """The one with the lowest selection on dev; of equal ones the first."""
    return min(trained, key=lambda entry: entry.best)


def grid_as_json(trained: Sequence[TrainedCell]) -> dict[str, Any]:
    return {
        "cells": [
            {
                "key": entry.cell.key,
                "changes": dict(entry.cell.changes),
                "best": entry.result.best,
                "curve": [list(point) for point in entry.curve],
                "system": str(entry.result.folder / "system.toml"),
            }
            for entry in trained
        ],
        "winner": choose_winner(trained).cell.key,
    }


def build_curves(trained: Sequence[TrainedCell]) -> Table:
    """The dev curves side by side: one row per update, one column per training; the last row has the best of each."""
    heads = [Column("Update"), *(Column(describe_changes(entry.cell.changes), digits=4) for entry in trained)]
    steps = sorted({step for entry in trained for step, _score in entry.curve})
    curves = [dict(entry.curve) for entry in trained]
    rows = [[Cell(step), *(_score_cell(curve.get(step)) for curve in curves)] for step in steps]
    winner = choose_winner(trained)
    note = f"Best: {winner.cell.key}, {winner.best:.4f} after update {winner.result.best['step']}. Lower is better."
    return Table(key="grid", title="Selection on dev", columns=heads, rows=rows, notes=[note])


def _score_cell(score: float | None) -> Cell:
    return Cell(undefined=NOT_EVALUATED) if score is None else Cell(score)

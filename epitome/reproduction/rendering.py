"""A table with the printed row and ours one under the other; the cost; both as JSON too."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from epitome.figures.tables import Cell, Column, Table
from epitome.measures import Value
from epitome.reproduction.costs import TableCost, TrainingCost
from epitome.reproduction.making import MadeRow, value_as_dict
from epitome.reproduction.measuring import SLIP, Cells
from epitome.reproduction.tables import TablePlan

NOT_PRINTED, NOT_MEASURED = "not printed", "not measured"


def build_table(table: TablePlan, made: Sequence[MadeRow]) -> Table:
    """Two rows for each: the printed one, and the mean over the seeds with the least and the most of them."""
    columns = table.published.columns
    rows: list[list[Cell]] = []
    quoted = []
    for entry in made:
        printed = table.published.row(entry.row.key).cells
        quoted.append(len(rows))
        rows.append([Cell(f"{entry.row.name}, printed"), *(_printed_cell(printed.get(name)) for name in columns)])
        if entry.cells:
            rows.append([Cell(f"{entry.row.name}, {_describe_seeds(entry)}"), *_own_cells(entry, columns)])
    heads = [Column("System", kind="text"), *(Column(name, digits=3, interval=True) for name in columns)]
    notes = [*_list_not_made(made), *_list_slips(table, made)]
    return Table(key=table.key, title=table.title, columns=heads, rows=rows, notes=notes, quoted=quoted)


def _describe_seeds(entry: MadeRow) -> str:
    if not entry.row.is_trained:
        return "here"
    seeds = ", ".join(str(seed) for seed in entry.cells)
    return f"here, seed {seeds}" if len(entry.cells) == 1 else f"here, mean of seeds {seeds} (least to most)"


def _printed_cell(number: float | None) -> Cell:
    return Cell(undefined=NOT_PRINTED) if number is None else Cell(float(number))


def _own_cells(entry: MadeRow, columns: Sequence[str]) -> list[Cell]:
    return [_spread_cell([cells[name] for cells in entry.cells.values() if name in cells]) for name in columns]


def _spread_cell(values: Sequence[Value]) -> Cell:
    numbers = [float(value) for value in values if value.defined]
    if not numbers:
        return Cell(undefined=next((value.undefined for value in values), NOT_MEASURED))
    low, high = (min(numbers), max(numbers)) if len(numbers) > 1 else (None, None)
    return Cell(sum(numbers) / len(numbers), low=low, high=high, n=len(numbers))


def _list_not_made(made: Sequence[MadeRow]) -> list[str]:
    return [f"{entry.row.key}, {entry.row.name}: {entry.not_made}." for entry in made if entry.not_made]


def _list_slips(table: TablePlan, made: Sequence[MadeRow]) -> list[str]:
    """What is printed wrongly in the rows that were made, each reason once, and our number computed the same way."""
    reasons: dict[str, list[str]] = {}
    for entry in made:
        for column, reason in table.published.row(entry.row.key).slips.items():
            reasons.setdefault(f"{column}, as printed: {reason}", []).append(_describe_same_way(entry, column))
    return [
        f"{reason}{'; here in the same way: ' if any(numbers) else ''}{', '.join(filter(None, numbers))}."
        for reason, numbers in reasons.items()
    ]


def _describe_same_way(entry: MadeRow, column: str) -> str:
    values = [cells[SLIP] for cells in entry.cells.values() if SLIP in cells and cells[SLIP].defined]
    if column != "specificity_cc" or not values:
        return ""
    return f"{entry.row.name} {sum(map(float, values)) / len(values):.3f}"


def table_as_json(table: TablePlan, made: Sequence[MadeRow], cost: TableCost) -> dict[str, Any]:
    columns = table.published.columns
    rows = [
        {
            "key": entry.row.key,
            "name": entry.row.name,
            "printed": {name: table.published.row(entry.row.key).cells.get(name) for name in columns},
            "seeds": {str(seed): _cells_as_json(cells) for seed, cells in entry.cells.items()},
            "spread": _spread_as_json(entry, columns),
            "not_made": entry.not_made,
        }
        for entry in made
    ]
    return {"table": table.key, "title": table.title, "rows": rows, "cost": cost_as_json(cost)}


def _cells_as_json(cells: Cells) -> dict[str, Any]:
    return {name: value_as_dict(value) for name, value in cells.items()}


def _spread_as_json(entry: MadeRow, columns: Sequence[str]) -> dict[str, Mapping[str, Any]]:
    pairs = zip(columns, _own_cells(entry, columns), strict=True) if entry.cells else ()
    return {
        name: {"mean": cell.value, "low": cell.low, "high": cell.high, "n": cell.n}
        for name, cell in pairs
        if cell.value is not None
    }


def cost_as_json(cost: TableCost) -> dict[str, Any]:
    return {
        "trainings": [training.as_dict() for training in cost.trainings],
        "hours": cost.hours,
        "missing": list(cost.missing),
    }


def cost_text(cost: TableCost) -> str:
    """One line per training, then the sum and what is missing."""
    lines = [_describe_training(training, has_data=not cost.missing) for training in cost.trainings]
    if cost.trainings:
        lines.append(_describe_sum(cost))
    return "\n".join([*lines, *(f"missing: {problem}" for problem in cost.missing)])


def _describe_training(training: TrainingCost, *, has_data: bool) -> str:
    name = f"{training.key}, seed {training.seed}"
    if training.done:
        return f"{name}: done, reused"
    size, step = training.size, training.step
    if size is None:
        why = "has no updates to count" if has_data else "updates are counted once nothing is missing"
        return f"{name}: {why}{_describe_known_hours(training.key)}"
    lines = [
        f"{'' if size.exact else 'about '}{size.updates:,} updates",
        f"{size.evaluations:,} evaluations of {size.dev_samples:,} dev samples",
    ]
    if step is None or training.hours is None:
        lines.append(f"no update was measured here (--measure){_describe_known_hours(training.key)}")
    else:
        memory = f", {step.memory:.1f} GiB" if step.memory is not None else ""
        lines.append(f"{_describe_hours(training.hours)} at {step.update:.3g} s an update on {step.device}{memory}")
    return f"{name}: {', '.join(lines)}"


@cache
def _known_hours() -> dict[str, dict[str, str]]:
    text = (resources.files("epitome.reproduction") / "known_hours.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _describe_known_hours(key: str) -> str:
    known = _known_hours().get(key)
    if known is None:
        return "; hours unknown"
    return f"; one NVIDIA H200 took {known['hours']} hours and {known['memory']} GiB"


def _describe_hours(hours: float) -> str:
    if hours * 60 < 1:
        return f"{hours * 3600:.1f} seconds"
    return f"{hours:,.1f} hours" if hours >= 1 else f"{hours * 60:.1f} minutes"


def _describe_sum(cost: TableCost) -> str:
    if all(training.done for training in cost.trainings):
        return "nothing left to train"
    if cost.hours is None or all(training.size is None for training in cost.trainings if not training.done):
        return "together: unknown until an update of each was measured"
    return f"together: {_describe_hours(cost.hours)} of training, without predictions and the writing of weights"

"""The targets of targets.toml: reading them, picking their figures from what a benchmark printed, and the tables."""

import json
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("targets.toml")
EXIT = "exit"
COMPARISONS = {"at_most": "<=", "at_least": ">=", "below": "<"}


class NoFigure(Exception):
    """What was printed does not hold the figure."""


@dataclass(frozen=True)
class Run:
    """A benchmark: module and arguments, those of a small run, and what it cannot run without."""

    name: str
    module: str
    arguments: list[str]
    quick: list[str] | None
    needs: str

    @property
    def command(self) -> str:
        return " ".join(["python -m", self.module, *self.arguments])


@dataclass(frozen=True)
class Target:
    """`paths`: the ways to the figures that are added up; empty for the exit status or where a test holds it."""

    job: str
    run: str
    test: str
    unit: str
    comparison: str
    bound: float
    paths: list[list[Any]] = field(default_factory=list)
    line: dict[str, Any] = field(default_factory=dict)
    missing: float | None = None

    @property
    def goal(self) -> str:
        return f"{COMPARISONS[self.comparison]} {self.bound:,}{f' {self.unit}' if self.unit else ''}"

    def holds(self, figure: float) -> bool:
        if self.comparison == "at_least":
            return figure >= self.bound
        return figure < self.bound if self.comparison == "below" else figure <= self.bound


def load_targets(file: Path = FILE) -> tuple[dict[str, Run], list[Target]]:
    tables = tomllib.loads(file.read_text(encoding="utf-8"))
    runs = {}
    for name, row in tables["runs"].items():
        module, *arguments = row["command"].split()
        quick = row["quick"].split() if "quick" in row else None
        runs[name] = Run(name, module, arguments, quick, row.get("needs", ""))
    return runs, [read_target(row) for row in tables["targets"]]


def read_target(row: dict[str, Any]) -> Target:
    (comparison,) = [name for name in COMPARISONS if name in row]
    figure = row.get("figure", EXIT)
    return Target(
        job=row["job"],
        run=row.get("run", ""),
        test=row.get("test", ""),
        unit=row.get("unit", ""),
        comparison=comparison,
        bound=row[comparison],
        paths=row.get("sum", [] if figure == EXIT else [figure]),
        line=row.get("line", {}),
        missing=row.get("missing"),
    )


def read_json_lines(output: str) -> list[dict[str, Any]]:
    """The lines that are JSON objects; tables and progress around them are passed over."""
    lines = []
    for text in output.splitlines():
        if text.startswith("{"):
            try:
                lines.append(json.loads(text))
            except ValueError:
                continue
    return lines


def pick_figure(target: Target, lines: list[dict[str, Any]], status: int) -> float:
    """The target's figure from the JSON lines and the exit status of its run. Raises NoFigure."""
    if not target.paths:
        return status
    matching = [line for line in lines if has_fields(line, target.line)]
    if not matching:
        raise NoFigure(f"no JSON line with {target.line}" if target.line else "no JSON line")
    return sum(follow_path(matching[-1], path, target.missing) for path in target.paths)


def follow_path(value: Any, path: list[Any], missing: float | None = None) -> float:
    """A name leads into an object, a {field: value} to the entry of a list that has it, "*" to the greatest of all."""
    for number, step in enumerate(path):
        if step == "*":
            entries = list(value.values()) if isinstance(value, dict) else value
            if not entries:
                raise NoFigure(f"nothing below {path[:number]}")
            return max(follow_path(entry, path[number + 1 :], missing) for entry in entries)
        value = take_step(value, step)
        if value is None:
            if missing is None:
                raise NoFigure(f"nothing at {path[: number + 1]}")
            return missing
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise NoFigure(f"no number at {path}")
    return value


def take_step(value: Any, step: Any) -> Any:
    if isinstance(step, dict):
        entries = value if isinstance(value, list) else []
        return next((entry for entry in entries if has_fields(entry, step)), None)
    return value.get(step) if isinstance(value, dict) else None


def has_fields(entry: Any, fields: dict[str, Any]) -> bool:
    return isinstance(entry, dict) and all(entry.get(name) == expected for name, expected in fields.items())


def render_table(runs: dict[str, Run], targets: list[Target]) -> str:
    """The targets as a Markdown table, as docs/performance.md has it."""
    rows = ["| page or job | target | measured by |", "|---|---|---|"]
    for target in targets:
        source = f"`{target.test}`" if target.test else f"`{runs[target.run].command}`"
        rows.append(f"| {target.job} | {target.goal} | {source} |")
    return "\n".join(rows)

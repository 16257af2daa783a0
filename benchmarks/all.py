"""Every benchmark in turn, its figures beside their targets: python -m benchmarks.all [--quick] [--only NAME ...]

Prints first what the machine itself can do (the median of 100 writes of 4 KB with fsync, a fixed loop of Python,
cores, load average), then runs every benchmark of targets.toml as a process of its own and prints its JSON lines, and
at the end a row per target: target, figure, holds or MISSED; last a JSON summary. What cannot run here (no PostgreSQL,
no models, no data) is said loudly. Exit status 1 if a target is missed or not measured.

--quick: small runs of some benchmarks, to see that they work; too small to tell how fast Epitome is, so that only
targets of nothing lost are judged, and a benchmark that fails gives exit status 1.
--table: prints the table of docs/performance.md and runs nothing.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.databases import ROOT, SERVER
from benchmarks.machine import measure_fsync, measure_loop
from benchmarks.targets import NoFigure, Run, Target, load_targets, pick_figure, read_json_lines, render_table
from tests.browser.finding import find_chromium

HOLDS, MISSED, NOT_MEASURED, TOO_SMALL = "holds", "MISSED", "NOT MEASURED", "quick run: not judged"


@dataclass
class Outcome:
    """What became of a run; `absent` says why it did not run, `lines` are the JSON lines that it printed."""

    absent: str = ""
    status: int = 0
    seconds: float = 0.0
    lines: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Verdict:
    target: Target
    figure: float | None
    words: str


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="small runs: whether everything works, not how fast")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="runs of targets.toml, by name")
    parser.add_argument("--table", action="store_true", help="print the table of docs/performance.md")
    args = parser.parse_args()
    runs, targets = load_targets()
    if args.table:
        print(render_table(runs, targets))
        return 0
    if unknown := set(args.only or []) - runs.keys():
        parser.error(f"no such run: {', '.join(sorted(unknown))}; there are {', '.join(runs)}")
    machine = measure_machine()
    print(json.dumps(machine), flush=True)
    chosen = [run for name, run in runs.items() if not args.only or name in args.only]
    outcomes = {run.name: execute_run(run, args.quick) for run in chosen}
    verdicts = [
        judge_target(target, outcomes, args.quick) for target in targets if not target.run or target.run in outcomes
    ]
    print_verdicts(verdicts, outcomes)
    print(json.dumps(summarize(machine, verdicts, outcomes, args.quick)))
    broken = any(outcome.status for outcome in outcomes.values())
    failures = {MISSED} if args.quick else {MISSED, NOT_MEASURED}
    return 1 if broken or any(verdict.words in failures for verdict in verdicts) else 0


def measure_machine() -> dict[str, Any]:
    """How fast this machine is by itself, and how busy: figures of two machines or moments compare by these."""
    return {
        "benchmark": "machine",
        "fsync_ms": measure_fsync(),
        "python_loop_ms": measure_loop(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "load_average": round(os.getloadavg()[0], 2),
        "python": sys.version.split()[0],
    }


def explain_absence(run: Run, quick: bool) -> str:
    """Why this run cannot be made here; "" if it can."""
    if quick and run.quick is None:
        return "not part of a quick run"
    if run.needs == "postgresql" and not os.environ.get(SERVER):
        return f"{SERVER} names no PostgreSQL server"
    if run.needs == "chromium" and find_chromium() is None:
        return "no Chromium was found; EPITOME_CHROMIUM names one"
    if run.needs == "models" and find_spec("torch") is None:
        return "the models extra is not installed"
    if (
        run.needs == "shared"
        and not (Path(os.environ.get("EPITOME_SHARED") or ROOT.parent / "shared") / "data").is_dir()
    ):
        return "EPITOME_SHARED names no folder with the data files"
    return "" if find_spec(run.module) else f"there is no {run.module}"


def execute_run(run: Run, quick: bool) -> Outcome:
    if absent := explain_absence(run, quick):
        print(f"\n=== {run.name}: NOT RUN: {absent}", flush=True)
        return Outcome(absent=absent)
    arguments = (run.quick or []) if quick else run.arguments
    print(f"\n=== {run.name}: python -m {' '.join([run.module, *arguments])}", flush=True)
    started = time.perf_counter()
    process = subprocess.run(
        [sys.executable, "-m", run.module, *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False
    )
    outcome = Outcome("", process.returncode, time.perf_counter() - started, read_json_lines(process.stdout))
    for line in outcome.lines:
        print(json.dumps(line))
    if process.returncode:
        print(f"{process.stdout[-2000:]}\n{run.name}: EXIT STATUS {process.returncode}")
    print(f"{outcome.seconds:.0f} s", flush=True)
    return outcome


def judge_target(target: Target, outcomes: dict[str, Outcome], quick: bool) -> Verdict:
    if target.test:
        return Verdict(target, None, f"by test: {target.test}")
    outcome = outcomes[target.run]
    if outcome.absent:
        return Verdict(target, None, NOT_MEASURED)
    try:
        figure = pick_figure(target, outcome.lines, outcome.status)
    except NoFigure as reason:
        print(f"{target.job}: {reason}")
        return Verdict(target, None, NOT_MEASURED)
    if quick and target.bound:
        return Verdict(target, figure, TOO_SMALL)
    return Verdict(target, figure, HOLDS if target.holds(figure) else MISSED)


def print_verdicts(verdicts: list[Verdict], outcomes: dict[str, Outcome]) -> None:
    print("\n=== Targets")
    for verdict in verdicts:
        figure = "-" if verdict.figure is None else f"{verdict.figure:,.6g}"
        print(f"{verdict.target.job[:90]:90} {verdict.target.goal:>12} {figure:>10}  {verdict.words}")
    for name, outcome in outcomes.items():
        if outcome.absent:
            print(f"NOT RUN: {name}: {outcome.absent}")


def summarize(
    machine: dict[str, Any], verdicts: list[Verdict], outcomes: dict[str, Outcome], quick: bool
) -> dict[str, Any]:
    rows = [
        {"job": verdict.target.job, "target": verdict.target.goal, "figure": verdict.figure, "verdict": verdict.words}
        for verdict in verdicts
    ]
    return {
        "benchmark": "all",
        "quick": quick,
        "machine": machine,
        "not_run": {name: outcome.absent for name, outcome in outcomes.items() if outcome.absent},
        "failed": {name: outcome.status for name, outcome in outcomes.items() if outcome.status},
        "targets": rows,
    }


if __name__ == "__main__":
    sys.exit(main())

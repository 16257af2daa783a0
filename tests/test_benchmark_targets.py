"""The targets of benchmarks: which figure is taken from what a benchmark prints, and what is said about it."""

import json
import re

import pytest

from benchmarks import all as all_benchmarks
from benchmarks.targets import NoFigure, load_targets, pick_figure, read_json_lines, read_target, render_table
from tests.conftest import ROOT

LOAD = {
    "benchmark": "load",
    "engine": "postgresql",
    "way": "browser",
    "runs": [
        {
            "annotators": 8,
            "tasks_per_s": 104.2,
            "task_ms": {"p50": 71.0, "p95": 118.4, "max": 160.0},
            "server_cpu_ms_per_task": 8.1,
            "database_cpu_ms_per_task": 4.7,
        },
        {
            "annotators": 32,
            "tasks_per_s": 106.0,
            "task_ms": {"p50": 290.0, "p95": 361.2, "max": 420.0},
            "server_cpu_ms_per_task": 8.4,
            "database_cpu_ms_per_task": 4.9,
        },
    ],
    "checks": {
        "2000": {"lost": 0, "doubled_annotations": 0, "doubled_people": 0},
        "10000": {"lost": 2, "doubled_annotations": 1, "doubled_people": 0},
    },
}
CUTS = {
    "benchmark": "cuts",
    "cuts": 30,
    "answers": {"200": 610, "201": 588, "503": 12},
    "faults": {"lost": 0, "doubled": 0, "phantom": 0},
}
JOBS = (
    '{"benchmark": "jobs", "engine": "sqlite", "pickup_ms": {"median": 932.9, "max": 943.8}}\n'
    '{"benchmark": "jobs", "engine": "postgresql", "pickup_ms": {"median": 41.0, "max": 50.2},'
    ' "documents": 20000, "documents_per_second": 5120}\n'
)
IDLE = (
    "   126.7 MB RSS     46.2 MB PSS  python manage.py worker\n"
    '{"benchmark": "idle", "setup": "demo", "rss_mb": 480.2, "pss_mb": 228.4, "processes": 4}\n'
    '{"benchmark": "idle", "setup": "postgresql", "rss_mb": 638.1, "pss_mb": 226.4, "processes": 6}\n'
)


def pick(run: str, job: str, output: str, status: int = 0) -> tuple[float, bool]:
    """The figure of the only target of the run whose job begins so, and whether it holds."""
    (target,) = [row for row in load_targets()[1] if row.run == run and row.job.startswith(job)]
    figure = pick_figure(target, read_json_lines(output), status)
    return figure, target.holds(figure)


@pytest.mark.parametrize(
    ("run", "job", "output", "expected"),
    [
        ("browser", "Task page, tasks a second", json.dumps(LOAD), (104.2, True)),
        ("browser", "Task page, p95", json.dumps(LOAD), (361.2, False)),
        ("browser", "Task page, a task: processor time", json.dumps(LOAD), (12.8, True)),
        ("browser", "Task page, summaries lost", json.dumps(LOAD), (3, False)),
        ("cuts", "PostgreSQL ends connections: answers", json.dumps(CUTS), (0, True)),
        ("cuts", "PostgreSQL ends connections: summaries", json.dumps(CUTS), (0, True)),
        ("jobs", "A job is picked up", JOBS, (932.9, False)),
        ("jobs", "Import of 20,000", JOBS, (5120, True)),
        ("idle", "Memory of the idle demo", IDLE, (228.4, True)),
        ("idle", "Memory, idle, on PostgreSQL", IDLE, (226.4, True)),
    ],
)
def test_the_figure_is_the_one_of_the_target(run, job, output, expected):
    assert pick(run, job, output) == (pytest.approx(expected[0]), expected[1])


def test_an_answer_500_is_counted_though_there_is_usually_none():
    spoilt = json.dumps({**CUTS, "answers": {"201": 10, "500": 3}})

    assert pick("cuts", "PostgreSQL ends connections: answers", spoilt) == (3, False)


def test_where_a_benchmark_says_all_by_its_exit_status_that_is_the_figure():
    assert pick("measures", "Measures and metrics", "29 of 29 targets hold\n") == (0, True)
    assert pick("measures", "Measures and metrics", "28 of 29 targets hold\n", status=1) == (1, False)


@pytest.mark.parametrize("output", ["", "no JSON here", '{"broken', json.dumps({"engine": "postgresql", "runs": []})])
def test_a_figure_that_was_not_printed_is_none_and_never_zero(output):
    with pytest.raises(NoFigure):
        pick("browser", "Task page, tasks a second", output)


@pytest.mark.parametrize(
    ("row", "figure", "holds"),
    [
        ({"at_most": 20}, 20, True),
        ({"at_most": 20}, 20.1, False),
        ({"at_least": 100}, 100, True),
        ({"at_least": 100}, 99.9, False),
        ({"below": 1000}, 1000, False),
    ],
)
def test_a_bound_is_kept_to_the_last_digit(row, figure, holds):
    assert read_target({"job": "x", **row}).holds(figure) is holds


def test_every_target_names_a_run_or_a_test_that_is_there():
    runs, targets = load_targets()
    for target in targets:
        assert (target.run in runs) != bool(target.test), target.job
        assert not target.test or (ROOT / target.test).is_file()
        assert target.run or target.test


def test_the_table_of_the_docs_is_the_one_of_the_file():
    text = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    match = re.search(r"<!-- targets: begin -->\n(.*)\n<!-- targets: end -->", text, re.DOTALL)

    assert match and match[1] == render_table(*load_targets())


def test_what_cannot_run_is_said_and_its_targets_are_not_measured(monkeypatch, capsys):
    monkeypatch.delenv("EPITOME_TEST_DATABASE_URL", raising=False)

    status, printed = run_all(monkeypatch, capsys, "cuts")

    assert status == 1
    assert "=== cuts: NOT RUN: EPITOME_TEST_DATABASE_URL names no PostgreSQL server" in printed
    assert re.search(r"PostgreSQL ends connections: summaries lost +<= 0 +- +NOT MEASURED", printed)
    assert json.loads(printed.splitlines()[-1])["not_run"] == {
        "cuts": "EPITOME_TEST_DATABASE_URL names no PostgreSQL server"
    }


@pytest.mark.parametrize(("per_second", "words", "status"), [(10_400, "holds", 0), (8_590, "MISSED", 1)])
def test_every_target_is_set_beside_its_figure(monkeypatch, capsys, per_second, words, status):
    line = json.dumps({"engine": "postgresql", "rows_per_second": per_second})
    monkeypatch.setattr(all_benchmarks.subprocess, "run", lambda *_args, **_options: Finished(f"table\n{line}\n"))

    code, printed = run_all(monkeypatch, capsys, "export")

    assert code == status
    assert json.loads(printed.splitlines()[0])["benchmark"] == "machine"
    assert line in printed
    assert re.search(rf"Export of 2,000 .* >= 10,000 +{per_second:,} +{words}", printed)


def test_a_benchmark_that_breaks_is_told_even_in_a_quick_run(monkeypatch, capsys):
    monkeypatch.setattr(all_benchmarks.subprocess, "run", lambda *_args, **_options: Finished("Traceback: no disk", 2))

    code, printed = run_all(monkeypatch, capsys, "export", "--quick")

    assert code == 1
    assert "no disk\nexport: EXIT STATUS 2" in printed


@pytest.mark.parametrize(("lost", "status"), [(0, 0), (1, 1)])
def test_a_quick_run_judges_what_is_lost_and_no_speed(monkeypatch, capsys, lost, status):
    load = {**LOAD, "checks": {"800": {"lost": lost, "doubled_annotations": 0, "doubled_people": 0}}}
    monkeypatch.setattr(all_benchmarks.subprocess, "run", lambda *_args, **_options: Finished(json.dumps(load)))
    monkeypatch.setenv("EPITOME_TEST_DATABASE_URL", "postgresql://postgres@127.0.0.1:9/nothing")

    code, printed = run_all(monkeypatch, capsys, "browser", "--quick")

    assert code == status
    assert re.search(r"p95 of a task, 32 annotators +<= 350 ms +361.2 +quick run: not judged", printed)


class Finished:
    def __init__(self, stdout: str, returncode: int = 0) -> None:
        self.stdout, self.returncode = stdout, returncode


def run_all(monkeypatch, capsys, *only: str) -> tuple[int, str]:
    """The exit status and what is printed of a run of these, without measuring the machine."""
    machine = {"benchmark": "machine", "cores": 2}
    monkeypatch.setattr(all_benchmarks, "measure_machine", lambda: machine)
    monkeypatch.setattr("sys.argv", ["all", "--only", *only])
    return all_benchmarks.main(), capsys.readouterr().out

"""Many at once, on databases of their own (a file for SQLite; PostgreSQL where a server is named)."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.databases import engines

ROOT = Path(__file__).resolve().parents[2]
FULL = os.environ.get("EPITOME_TEST_FULL")


@pytest.mark.parametrize("engine", engines())
@pytest.mark.parametrize("chaos", [False, True] if FULL else [True])  # with it they do all that they do without
@pytest.mark.parametrize("kind", ["summary", "aggregation"])
def test_nobody_is_doubled_and_no_place_is_forgotten(engine, chaos, kind, migrated, tmp_path):
    size = ["--people", "32", "--samples", "2000"] if FULL else ["--people", "8", "--samples", "24", "--processes", "2"]
    command = [sys.executable, "-m", "benchmarks.race", "--engine", engine, "--kind", kind, *size]
    command += ["--choose"] if kind == "summary" else []  # instances ask for no choice
    env = {**os.environ, "EPITOME_MIGRATED": str(migrated(tmp_path / "empty.sqlite3"))}
    command += ["--chaos"] if chaos else []
    completed = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert completed.stdout, completed.stderr[-3000:]
    data = json.loads(completed.stdout)
    assert {name: n for name, n in data["faults"].items() if n} == {}
    assert data["filled"] + data["listed"] == 3 * data["samples"]
    assert (data["rows"], data["answers"]) == (1, 1)
    assert completed.returncode == 0

"""Web workers that die in the middle of a call, in small; benchmarks/kills.py does it in large.

Each run makes databases of its own on every engine there is, so these tests are not marked for a second engine.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.databases import engines

ROOT = Path(__file__).resolve().parents[2]
KILLS = 500 if os.environ.get("EPITOME_TEST_FULL") else 8


def kills(engine, *more):
    command = [sys.executable, "-m", "benchmarks.kills", "--engine", engine, *more]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.stdout, done.stderr[-3000:]
    return json.loads(done.stdout), done.returncode


@pytest.mark.parametrize("engine", engines())
def test_nothing_is_lost_or_doubled_when_workers_die(engine):
    found, status = kills(engine, "--kills", str(KILLS))
    assert sum(n > 0 for n in found["hits"].values()) >= 5 and found["kills"] >= KILLS
    assert {name: n for name, n in found["faults"].items() if n} == {}
    assert found["refused"] == 0 and status == 0
    assert found["submitted"] == found["claimed"] > 0


def test_an_answer_before_the_commit_is_found_out():
    found, status = kills("sqlite", "--kills", "8", "--plant", "ack-early")
    assert status == 1
    assert found["faults"]["lost"] > 0

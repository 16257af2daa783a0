"""Workers that die in the middle of a run, in small; benchmarks/killing_runs.py does it in large."""

import os
import shutil
from functools import partial

import pytest

from benchmarks.databases import engines

FULL = bool(os.environ.get("EPITOME_TEST_FULL"))
KILLS = 200 if FULL else 3
ROLES = ["generate", "score", "contrastive", "rank", "ranking", "transform", "judge"]


@pytest.fixture
def killed(benchmarked):
    return partial(benchmarked, "benchmarks.killing_runs")


@pytest.mark.parametrize("role", ROLES if FULL else ["contrastive"])
@pytest.mark.parametrize("engine", engines() if FULL else ["sqlite"])
def test_every_sample_has_its_own_output_once_whoever_dies(engine, role, killed):
    result, status = killed(engine, "--kills", str(KILLS), "--role", role)
    assert result["kills"] == KILLS and result["ended"]
    assert {name: n for name, n in result["faults"].items() if n} == {} and status == 0


@pytest.mark.skipif(not FULL, reason="by default one kind of broker is enough (EPITOME_TEST_FULL)")
@pytest.mark.skipif(shutil.which("redis-server") is None, reason="there is no redis-server on this machine")
def test_a_flushed_or_restarted_broker_loses_nothing(killed):
    result, status = killed("sqlite", "--kills", "6", "--broker", "redis", "--flushes", "100", "--per-kill", "100")
    assert result["flushes"] == 100 and result["ended"] and status == 0


@pytest.mark.skipif(not FULL, reason="planted faults are tried in the full suite (EPITOME_TEST_FULL)")
def test_outputs_that_moved_to_a_neighbour_are_found_out(killed):
    result, status = killed("sqlite", "--kills", "1", "--plant", "shifted")
    assert result["faults"]["swapped"] > 0 and status == 1

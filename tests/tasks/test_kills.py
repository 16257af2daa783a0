"""Web workers that die in the middle of a call, in small; benchmarks/kills.py does it in large.

Each run makes databases of its own on every engine there is, so these tests are not marked for a second engine.
"""

import os
from functools import partial

import pytest

from benchmarks.databases import engines

FULL = bool(os.environ.get("EPITOME_TEST_FULL"))
KILLS = 500 if FULL else 8


@pytest.fixture
def kills(benchmarked):
    return partial(benchmarked, "benchmarks.kills")


@pytest.mark.parametrize(
    ("engine", "kind"), [(engine, "summary") for engine in engines()] + [("sqlite", "aggregation")]
)
def test_nothing_is_lost_or_doubled_when_workers_die(engine, kind, kills):
    result, status = kills(engine, "--kills", str(KILLS), "--kind", kind)
    assert sum(n > 0 for n in result["hits"].values()) >= 5 and result["kills"] >= KILLS
    assert {name: n for name, n in result["faults"].items() if n} == {}
    assert result["refused"] == 0 and status == 0
    assert result["submitted"] == result["claimed"] > 0


@pytest.mark.skipif(not FULL, reason="planted faults are tried in the full suite (EPITOME_TEST_FULL)")
def test_an_answer_before_the_commit_is_found_out(kills):
    result, status = kills("sqlite", "--kills", "1", "--plant", "ack-early", "--only", "submit:before_commit")
    assert status == 1
    assert result["faults"]["lost"] > 0

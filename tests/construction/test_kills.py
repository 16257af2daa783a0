"""Workers that die while calls are paid for, in small; benchmarks/killing_calls.py does it in large."""

import os
from functools import partial

import pytest

from benchmarks.databases import engines

FULL = bool(os.environ.get("EPITOME_TEST_FULL"))
SIZE = ("--calls", "1000", "--kills", "50") if FULL else ("--calls", "40", "--kills", "3")
pytestmark = pytest.mark.slow


@pytest.fixture
def killed(benchmarked):
    return partial(benchmarked, "benchmarks.killing_calls")


@pytest.mark.parametrize("engine", engines() if FULL else ["sqlite"])
def test_no_call_is_paid_twice_or_lost_when_workers_are_killed(engine, killed):
    counts, status = killed(engine, *SIZE)
    assert counts["under_way_at_kills"] >= counts["kills"] == int(SIZE[3])
    assert counts["charged"] == counts["calls"] and counts["lost"] == 0 and status == 0


@pytest.mark.skipif(not FULL, reason="kills of the calling process are tried in the full suite (EPITOME_TEST_FULL)")
def test_what_is_charged_again_when_the_calling_process_dies_too_is_counted_and_no_more(killed):
    counts, status = killed("sqlite", "--calls", "40", "--kills", "3", "--target", "both")
    assert 0 < counts["charged_again"] <= counts["interrupted"] <= 3 * 4
    assert (counts["asked_although_stored"], counts["unrecorded"], counts["lost"], status) == (0, 0, 0, 0)


@pytest.mark.skipif(not FULL, reason="kills of the calling process are tried in the full suite (EPITOME_TEST_FULL)")
def test_a_gateway_that_knows_idempotency_keys_charges_nothing_twice(killed):
    counts, status = killed("sqlite", "--calls", "40", "--kills", "2", "--target", "both", "--gateway")
    assert counts["interrupted"] > 0 and counts["charged_again"] == 0 and status == 0

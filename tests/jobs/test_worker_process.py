"""A real worker process is killed with SIGKILL in the middle of a job; another finds the job and finishes it."""

import os
import signal

import pytest

from tests.jobs.machine import Machine

BROKERS = [
    "filesystem",
    pytest.param(
        "redis",
        marks=[
            pytest.mark.redis,
            pytest.mark.skipif(
                not os.environ.get("EPITOME_TEST_REDIS_URL"), reason="EPITOME_TEST_REDIS_URL names no Redis server"
            ),
        ],
    ),
]


@pytest.mark.parametrize("broker", BROKERS)
def test_a_killed_workers_job_is_finished_by_the_next(tmp_path, migrated, broker):
    machine = Machine(migrated(tmp_path / "jobs.sqlite3"), tmp_path, broker)
    machine.python("jobs.create_job(kind='linger', project=None, by=None)")
    first = machine.worker()
    try:
        machine.until(lambda row: row["progress_done"] == 1)
    finally:
        os.killpg(first.pid, signal.SIGKILL)
        first.wait()
    second = machine.worker()
    try:
        row = machine.until(lambda row: row["state"] == "done")
    finally:
        os.killpg(second.pid, signal.SIGKILL)
        second.wait()

    assert row == {"state": "done", "attempts": 2, "progress_done": 2, "result": {"finished_in_attempt": 2}}

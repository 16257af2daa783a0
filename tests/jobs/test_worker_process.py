"""A real worker process is killed with SIGKILL in the middle of a job; another finds the job and finishes it."""

import os
import signal

import pytest

from tests.jobs.machine import PATIENCE, Machine

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


def test_a_worker_is_known_while_it_runs_and_gone_once_it_stopped(tmp_path, migrated):
    machine = Machine(migrated(tmp_path / "jobs.sqlite3"), tmp_path, "filesystem")
    machine.env["EPITOME_WORKER_QUEUES"] = "default,text"
    worker = machine.worker()
    try:
        assert machine.workers(1) == [["default", "text"]]
        worker.terminate()
        assert worker.wait(timeout=PATIENCE) == 0
    finally:
        worker.kill()
        worker.wait()
    assert machine.workers(0) == []


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

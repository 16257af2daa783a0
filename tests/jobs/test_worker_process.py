"""A real worker process is killed with SIGKILL in the middle of a job; another finds the job and finishes it."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60  # seconds; a bound, not a measurement

SHOWN = ("state", "attempts", "progress_done", "result")

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


class Machine:
    """A data folder with its own database, on which commands and workers run."""

    def __init__(self, database, folder, broker):
        self.database = database
        self.env = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "tests.jobs.worker_settings",
            "DATABASE_URL": f"sqlite:///{database}",
            "EPITOME_DATA_DIR": str(folder),
            "EPITOME_BROKER_URL": os.environ.get("EPITOME_TEST_REDIS_URL", "") if broker == "redis" else "",
            "EPITOME_JOB_LEASE_SECONDS": "2",
            "EPITOME_JOB_POLL_SECONDS": "1",
        }

    def python(self, code):
        setup = "import django; django.setup(); from annotation import jobs; from annotation.models import Job\n"
        command = [sys.executable, "-c", setup + code]
        out = subprocess.run(command, cwd=ROOT, env=self.env, capture_output=True, text=True, check=True)
        return out.stdout.strip()

    def worker(self):
        command = [sys.executable, "manage.py", "worker"]
        return subprocess.Popen(command, cwd=ROOT, env=self.env, stderr=subprocess.DEVNULL, start_new_session=True)

    def until(self, wanted):
        """Ask for the job's row until `wanted` says yes to it."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            with closing(sqlite3.connect(self.database, timeout=30)) as connection:
                (found,) = connection.execute(f"SELECT {', '.join(SHOWN)} FROM annotation_job").fetchall()
            row = dict(zip(SHOWN, found, strict=True))
            row["result"] = json.loads(row["result"] or "null")
            if wanted(row):
                return row
            time.sleep(0.05)
        raise AssertionError(f"still {row} after {PATIENCE} s")


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

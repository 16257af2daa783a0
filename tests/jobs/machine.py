"""A machine with worker processes of its own, for tests that kill them."""

import json
import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60  # seconds; a bound, not a measurement
COLUMNS = ("state", "attempts", "progress_done", "result")


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

    def worker(self, *options):
        command = [sys.executable, "manage.py", "worker", *options]
        return subprocess.Popen(command, cwd=ROOT, env=self.env, stderr=subprocess.DEVNULL, start_new_session=True)

    def workers(self, count):
        """Ask for the heartbeats of workers until there are so many; the queues of each."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            with closing(sqlite3.connect(self.database, timeout=30)) as connection:
                rows = connection.execute("SELECT queues FROM annotation_workerheartbeat").fetchall()
            if len(rows) == count:
                return [json.loads(queues) for (queues,) in rows]
            time.sleep(0.05)
        raise AssertionError(f"still {len(rows)} workers after {PATIENCE} s")

    def until_megabytes(self, pid, below):
        """Look at the resident memory of a process until it is below so many megabytes."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
            result = pages * os.sysconf("SC_PAGE_SIZE") / 1024**2
            if result < below:
                return result
            time.sleep(0.05)
        raise AssertionError(f"still {result:.0f} MB after {PATIENCE} s")

    def until(self, wanted, number=1):
        """Ask for the row of the newest job, of so many, until `wanted` says yes to it."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            with closing(sqlite3.connect(self.database, timeout=30)) as connection:
                rows = connection.execute(f"SELECT {', '.join(COLUMNS)} FROM annotation_job ORDER BY id").fetchall()
            assert len(rows) == number
            row = dict(zip(COLUMNS, rows[-1], strict=True))
            row["result"] = json.loads(row["result"] or "null")
            if wanted(row):
                return row
            time.sleep(0.05)
        raise AssertionError(f"still {row} after {PATIENCE} s")

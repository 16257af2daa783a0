"""Memory of all processes while nothing happens: resident (RSS) and proportional (PSS) megabytes.

    python -m benchmarks.idle [--setup demo|postgresql]

demo: what `make demo` starts (SQLite, one web process, one worker). postgresql, where EPITOME_TEST_DATABASE_URL names a
server: gunicorn with two processes and a worker with two; PostgreSQL's own memory is not counted. The demo is measured
once its examples have filled in and the worker has given that memory back, PostgreSQL's before the first text job.
Targets (PSS): 230 MB and 250 MB.
"""

import argparse
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from benchmarks.databases import ROOT, SERVED, SERVER, migrate, on_each
from benchmarks.load import serving

WORKER_SECONDS = 60
REST_SECONDS = 5
FILL_SECONDS = 300
GIVE_BACK_SECONDS = 60 + 20
"""EPITOME_WORKER_IDLE_SECONDS, and until the worker has begun again."""


def list_processes(folder: str) -> list[int]:
    """Processes whose environment names the folder, except this one."""
    pids = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and folder.encode() in (entry / "environ").read_bytes():
                pids.append(int(entry.name))
        except OSError:
            continue
    return [pid for pid in pids if pid != os.getpid()]


def read_megabytes(pid: int, field: str) -> float:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 1024
    return 0.0


@contextmanager
def serve_demo(folder: str) -> Iterator[None]:
    env = {**os.environ, "EPITOME_DATA_DIR": folder, "DATABASE_URL": ""}
    command = [sys.executable, "manage.py", "demo", "--port", "8765"]
    demo = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        assert demo.stdout is not None
        next(line for line in demo.stdout if line.startswith("Ctrl-C"))
        wait_for_examples(Path(folder) / "epitome.sqlite3")
        yield
    finally:
        demo.send_signal(signal.SIGTERM)
        demo.wait(timeout=10)


def wait_for_examples(database: Path) -> None:
    """Until no job is under way, and as long as the worker keeps their memory."""
    deadline = time.monotonic() + FILL_SECONDS
    waiting = "SELECT count(*) FROM annotation_job WHERE state IN ('queued', 'running')"
    while time.monotonic() < deadline:
        time.sleep(5)
        with closing(sqlite3.connect(database, timeout=30)) as connection:
            if not connection.execute(waiting).fetchone()[0]:
                break
    time.sleep(GIVE_BACK_SECONDS)


@contextmanager
def serve_on_postgresql() -> Iterator[None]:
    """gunicorn, and a worker that has written that it lives."""
    from annotation.models import WorkerHeartbeat

    command = [sys.executable, "manage.py", "worker", "--concurrency", "2"]
    with serving():
        worker = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + WORKER_SECONDS
            while not WorkerHeartbeat.objects.exists() and time.monotonic() < deadline:
                time.sleep(0.2)
            yield
        finally:
            worker.send_signal(signal.SIGTERM)
            worker.wait(60)


def report_memory(setup: str, folder: str, started: float) -> None:
    """Print what the processes hold a while after everything answered, and one JSON line."""
    ready = time.monotonic() - started
    time.sleep(REST_SECONDS)
    rows = []
    for pid in list_processes(folder):
        name = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()[:90]
        rows.append((read_megabytes(pid, "Rss:"), read_megabytes(pid, "Pss:"), name))
    for rss, pss, name in sorted(rows, reverse=True):
        print(f"{rss:8.1f} MB RSS {pss:8.1f} MB PSS  {name}")
    line = {
        "benchmark": "idle",
        "setup": setup,
        "rss_mb": round(sum(row[0] for row in rows), 1),
        "pss_mb": round(sum(row[1] for row in rows), 1),
        "processes": len(rows),
        "seconds_to_measure": round(ready, 1),
    }
    print(json.dumps(line), flush=True)


def measure_postgresql() -> None:
    """In a process of its own, with the environment set."""
    import django

    django.setup()
    migrate()
    started = time.monotonic()
    with serve_on_postgresql():
        report_memory("postgresql", os.environ["EPITOME_DATA_DIR"], started)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--setup", choices=["demo", "postgresql"])
    parser.add_argument("--engine", help=argparse.SUPPRESS)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        measure_postgresql()
        return
    if args.setup in (None, "demo"):
        with tempfile.TemporaryDirectory() as folder:
            started = time.monotonic()
            with serve_demo(folder):
                report_memory("demo", folder, started)
    if args.setup == "postgresql" or (args.setup is None and os.environ.get(SERVER)):
        on_each("benchmarks.idle", "postgresql", [], **SERVED)


if __name__ == "__main__":
    main()

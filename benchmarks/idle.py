"""Memory of all processes while nothing happens: resident (RSS) and proportional (PSS) megabytes.

    python -m benchmarks.idle [--engine postgresql]

Without an engine: the demo, on SQLite. With --engine postgresql: two web processes and a worker of two, in a database
of their own on the server of EPITOME_TEST_DATABASE_URL, with the broker of EPITOME_TEST_REDIS_URL (files where unset).
Measured before the first text job, when no worker has loaded a language pipeline yet. Target: at most 230 MB for the
demo, 250 MB on PostgreSQL.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from benchmarks.databases import ROOT, own_database

PORT = 8765
START_SECONDS = 120
SETTLE_SECONDS = 5


def list_processes(folder: str) -> list[int]:
    """Ids of the processes whose environment names this data folder."""
    pids = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and folder.encode() in (entry / "environ").read_bytes():
                pids.append(int(entry.name))
        except OSError:
            continue
    return pids


def read_megabytes(pid: int, field: str) -> float:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 1024
    return 0.0


@contextmanager
def run_process(command: list[str], env: dict[str, str]) -> "Iterator[subprocess.Popen[str]]":
    """A process during the block; told to end afterwards."""
    process = subprocess.Popen(command, env=env, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(timeout=30)


@contextmanager
def run_demo(folder: str) -> Iterator[None]:
    """The demo during the block, entered once it answers."""
    env = {**os.environ, "EPITOME_DATA_DIR": folder, "DATABASE_URL": ""}
    with run_process([sys.executable, "manage.py", "demo", "--port", str(PORT)], env) as demo:
        assert demo.stdout is not None
        for line in demo.stdout:
            if line.startswith("Ctrl-C"):
                break
        yield


@contextmanager
def run_production(folder: str) -> Iterator[None]:
    """gunicorn with two processes and a worker with two on PostgreSQL, entered once both answer."""
    python = sys.executable
    with ExitStack() as stack:
        url = stack.enter_context(own_database("postgresql", Path(folder)))
        env = {**os.environ, "EPITOME_DATA_DIR": folder, "DATABASE_URL": url, "EPITOME_WORKERS": "2"}
        env |= {"EPITOME_BROKER_URL": os.environ.get("EPITOME_TEST_REDIS_URL", ""), "EPITOME_BIND": f"127.0.0.1:{PORT}"}
        subprocess.run([python, "manage.py", "migrate", "-v", "0", "--skip-checks"], env=env, cwd=ROOT, check=True)
        web = [python, "-m", "gunicorn", "-c", "epitome/gunicorn_conf.py", "epitome.wsgi:application"]
        stack.enter_context(run_process(web, env))
        stack.enter_context(run_process([python, "manage.py", "worker", "--concurrency", "2"], env))
        deadline = time.monotonic() + START_SECONDS
        while not (is_web_answering() and is_worker_running(url)):
            if time.monotonic() > deadline:
                raise SystemExit(f"no answer after {START_SECONDS} s")
            time.sleep(0.2)
        yield


def is_web_answering() -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/sign-in/", timeout=5) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def is_worker_running(url: str) -> bool:
    import psycopg

    with psycopg.connect(url) as connection:
        return connection.execute("SELECT 1 FROM annotation_workerheartbeat").fetchone() is not None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", choices=["sqlite", "postgresql"], default="sqlite")
    engine = parser.parse_args().engine
    started = time.monotonic()
    rows = []
    with tempfile.TemporaryDirectory() as folder, (run_production if engine == "postgresql" else run_demo)(folder):
        ready = time.monotonic() - started
        time.sleep(SETTLE_SECONDS)
        for pid in list_processes(folder):
            name = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()[:90]
            rows.append((read_megabytes(pid, "Rss:"), read_megabytes(pid, "Pss:"), name))
    for rss, pss, name in sorted(rows, reverse=True):
        print(f"{rss:8.1f} MB RSS {pss:8.1f} MB PSS  {name}")
    report = {"benchmark": "idle", "engine": engine, "rss_mb": round(sum(r[0] for r in rows), 1)}
    report |= {"pss_mb": round(sum(r[1] for r in rows), 1), "processes": len(rows), "seconds_to_ready": round(ready, 1)}
    print(json.dumps(report))


if __name__ == "__main__":
    main()

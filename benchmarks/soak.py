"""An hour of work with a fault every 20 s: python -m benchmarks.soak [--minutes 60] [--every 20] [--people 100]

The site on PostgreSQL (EPITOME_TEST_DATABASE_URL names the server) with its production settings and a job worker; with
Redis where EPITOME_BROKER_URL names one, whose database is emptied again and again. Annotators and raters work in
sessions as people do (benchmarks/people_at_work.py), one administrator exports and one imports, each once a minute. In
turn a web worker is killed, every database connection is cut, the job worker is killed (and started anew, as a
supervisor would), Redis is flushed, and 50 clients trickle half a request. Every 15 s at most the memory of the
processes and the open database connections are written down. Then what was acknowledged is compared with what is
stored.

Prints one JSON line: answers by status; milliseconds by kind of request; memory; the growth of the web process that
lived longest, in percent of its memory per hour (Theil-Sen slope of what it alone holds, after the first sixth of the
time); connections at both ends; faults. Exit status 1 if anything was lost, doubled or torn, an answer was 500, a job
did not end, or memory grew by more than --growth. --plant leak plants memory that is kept, --plant drop deletes a
stored summary: both must be found.
"""

import argparse
import contextlib
import json
import os
import signal
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, cycle
from pathlib import Path
from typing import Any

from benchmarks.databases import ROOT, SERVER, migrate, run_served
from benchmarks.slow_clients import SlowClients

SAMPLE_SECONDS = 15
PLANTS = ("leak", "drop")
JOB_SECONDS = 180
BROKER = os.environ.get("EPITOME_BROKER_URL", "")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--every", type=float, default=20, help="seconds from fault to fault")
    parser.add_argument("--people", type=int, default=100, help="annotators")
    parser.add_argument("--raters", type=int, default=32)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--growth", type=float, default=2.0, help="percent per hour that memory may grow")
    parser.add_argument("--plant", choices=PLANTS)
    args = parser.parse_args()
    return run_served("benchmarks.soak", "SOAK", vars(args))


def run_here() -> int:
    """The benchmark, in a process of its own with the environment set."""
    import django

    django.setup()
    from benchmarks.load import serving
    from benchmarks.people_at_work import Crowd, Exporter, Importer

    options = json.loads(os.environ["SOAK"])
    migrate()
    seconds = options["minutes"] * 60
    crowd = Crowd.make(annotators=options["people"], raters=options["raters"], seconds=seconds)
    with serving("benchmarks.leaking" if options["plant"] == "leak" else "epitome.site.wsgi") as (port, server):
        deadline = time.monotonic() + seconds
        soak = Soak(port, server, options["every"], deadline)
        with soak.job_worker():
            crowd.begin(port, deadline, starters=(Exporter, Importer), seed=options["seed"])
            soak.watch()
            crowd.wait()
            unfinished = count_unfinished_jobs()
        if options["plant"] == "drop":
            delete_one_summary(crowd.project)
        return report(crowd, options, soak, unfinished)  # before the server stops, so that an hour is not lost


class Soak:
    """The faults, and what was written down meanwhile."""

    def __init__(self, port: int, server: int, every: float, deadline: float) -> None:
        self.port, self.server, self.every, self.deadline = port, server, every, deadline
        self.start = time.monotonic()
        self.faults: Counter[str] = Counter()
        self.memory: dict[int, list[tuple[float, float]]] = {}  # web process: (seconds, megabytes)
        self.worker_memory: list[float] = []
        self.connections: list[int] = []
        self.worker: subprocess.Popen[bytes] | None = None

    @contextlib.contextmanager
    def job_worker(self) -> Iterator[None]:
        self.start_worker()
        try:
            yield
        finally:
            assert self.worker is not None
            os.killpg(self.worker.pid, signal.SIGTERM)
            self.worker.wait(JOB_SECONDS)

    def start_worker(self) -> None:
        command = [sys.executable, "manage.py", "worker", "--concurrency", "1"]
        self.worker = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL, start_new_session=True)

    def watch(self) -> None:
        """Write down memory and connections, and do a fault whenever one is due, until the time is over."""
        kinds = [self.kill_web_worker, self.cut_connections, self.kill_job_worker, self.send_slow_clients]
        faults = cycle([*kinds, self.flush_redis] if BROKER else kinds)
        due = self.start + self.every
        while time.monotonic() < self.deadline:
            self.write_down()
            if time.monotonic() >= due:
                due += self.every
                fault = next(faults)
                fault()
                self.faults[fault.__name__] += 1
            time.sleep(min(SAMPLE_SECONDS, self.every / 2))

    def list_web_workers(self) -> list[int]:
        return [int(pid) for pid in Path(f"/proc/{self.server}/task/{self.server}/children").read_text().split()]

    def write_down(self) -> None:
        now = time.monotonic() - self.start
        for pid in self.list_web_workers():
            with contextlib.suppress(OSError):
                self.memory.setdefault(pid, []).append((now, read_own_megabytes(pid)))
        with contextlib.suppress(OSError):
            self.worker_memory.append(read_own_megabytes(self.worker.pid if self.worker else 0))
        self.connections.append(run_on_server("SELECT count(*) FROM pg_stat_activity WHERE datname = %s"))

    def kill_web_worker(self) -> None:
        """The youngest, so that another one lives as long as the soak."""
        os.kill(min(self.list_web_workers(), key=lambda pid: len(self.memory.get(pid, ()))), signal.SIGKILL)

    def cut_connections(self) -> None:
        run_on_server("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = %s")

    def kill_job_worker(self) -> None:
        assert self.worker is not None
        os.killpg(self.worker.pid, signal.SIGKILL)
        self.worker.wait()
        self.start_worker()

    def flush_redis(self) -> None:
        import redis

        redis.Redis.from_url(BROKER).flushdb()

    def send_slow_clients(self) -> None:
        clients = SlowClients(self.port, 50)
        for _byte in range(4):
            time.sleep(2)
            clients.send_a_byte()
        clients.close()

    def growth(self) -> float:
        """Percent per hour of the process that lived longest: the median of the slopes between all pairs."""
        points = max(self.memory.values(), key=lambda row: row[-1][0] - row[0][0])
        points = [point for point in points if point[0] > points[-1][0] / 6]
        slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in combinations(points, 2)]
        return 100 * 3600 * statistics.median(slopes) / statistics.median(size for _seconds, size in points)


def read_own_megabytes(pid: int) -> float:
    """What the process alone holds, without pages that it shares."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) / 1024


def run_on_server(statement: str) -> int:
    """A number about the soak's database, asked from another database of the server."""
    import psycopg
    from django.db import connection

    with psycopg.connect(os.environ[SERVER], autocommit=True) as server:
        row = server.execute(statement, [connection.settings_dict["NAME"]]).fetchone()
    return int(row[0]) if row else 0


def count_unfinished_jobs() -> int:
    """Jobs that have not ended a while after the last request."""
    from annotation.models import Job

    until = time.monotonic() + JOB_SECONDS
    while (n_open := Job.objects.under_way().count()) and time.monotonic() < until:
        time.sleep(1)
    return n_open


def delete_one_summary(project: Any) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM annotation_annotation WHERE id = (SELECT max(id) FROM annotation_annotation"
            " WHERE project_id = %s AND origin = 'person')",
            [project.pk],
        )


def report(crowd: Any, options: dict[str, Any], soak: Soak, unfinished: int) -> int:
    from django.db import connection

    connection.close()
    growth = soak.growth()
    tenth = max(1, len(soak.connections) // 10)
    line = {
        "benchmark": "soak",
        **options,
        "redis": bool(BROKER),
        "load_average": os.getloadavg(),
        "planned_faults": dict(soak.faults),
        "growth_percent_per_hour": round(growth, 2),
        "web_mb": [round(row[-1][1], 1) for row in soak.memory.values()],
        "most_mb": {
            "web process": round(max(size for row in soak.memory.values() for _at, size in row), 1),
            "job worker": round(max(soak.worker_memory), 1),
        },
        "connections_first_last_most": [
            max(soak.connections[:tenth]),
            max(soak.connections[-tenth:]),
            max(soak.connections),
        ],
        "unfinished_jobs": unfinished,
        **crowd.report(),
    }
    print(json.dumps(line), flush=True)
    answers = line["answers"]
    jobs_ended = answers.get("export done", 0) and not {"job late", "export dead", "import dead"} & answers.keys()
    is_right = line["acknowledged"] == line["stored"] and not any(line["faults"].values())
    is_right = is_right and not answers.get("500") and not unfinished and bool(jobs_ended)
    return 0 if is_right and growth <= options["growth"] else 1


if __name__ == "__main__":
    sys.exit(main())

"""A busy ten minutes: python -m benchmarks.busy [--minutes 10] [--annotators 100] [--raters 32] [--documents 20000]

The site on PostgreSQL (EPITOME_TEST_DATABASE_URL names the server) with its production settings and a job worker of two
processes, as compose.yaml starts one; with Redis where EPITOME_BROKER_URL names one. Annotators and raters work in
sessions at people's pace (benchmarks/people_at_work.py); after a tenth of the time one file of so many sources of 400
words is uploaded, and a system (controlled-extract) is run over every sample of the annotators' project. Then what was
acknowledged is compared with what is stored.

Prints one JSON line: p50 and p95 by kind of request ("page" is every page that was opened), answers by status, memory,
how long the jobs took, processor seconds of the web processes. Exit status 1 if a page's p95 is over --most
milliseconds, an answer was 500 or more or did not come, a job did not end well, or anything was lost or doubled.
"""

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.databases import ROOT, migrate, run_served, settle

WORDS = 400
PATIENCE = 1800
"""Seconds after which a job counts as lost; a bound, not a measurement."""
SYSTEM = '[system]\nkey = "controlled-extract"\nkind = "controlled-extract"\n'


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--annotators", type=int, default=100)
    parser.add_argument("--raters", type=int, default=32)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--most", type=float, default=250, help="milliseconds of a page's p95")
    parser.add_argument("--seed", type=int, default=1)
    return run_served("benchmarks.busy", "BUSY", vars(parser.parse_args()))


def run_here() -> int:
    """The benchmark, in a process of its own with the environment set."""
    import django

    django.setup()
    from benchmarks.load import cpu_seconds, memory, serving, wait_for_quiet
    from benchmarks.people_at_work import Crowd

    options = json.loads(os.environ["BUSY"])
    migrate()
    seconds = options["minutes"] * 60
    crowd = Crowd.make(annotators=options["annotators"], raters=options["raters"], seconds=seconds)
    settle()
    with tempfile.TemporaryDirectory() as folder, serving() as (port, server), job_worker():
        file = write_sources(Path(folder), options["documents"])
        wait_for_quiet()
        load_before, cpu_before, begun = os.getloadavg(), cpu_seconds(server), time.monotonic()
        crowd.begin(port, begun + seconds, seed=options["seed"])
        time.sleep(seconds / 10)
        jobs = start_jobs(crowd, port, file)
        crowd.wait()
        took = time.monotonic() - begun
        spent, megabytes = cpu_seconds(server) - cpu_before, memory(server)
        ended = [wait_for_job(job) for job in jobs]
    line = {
        "benchmark": "busy",
        **options,
        "redis": bool(os.environ.get("EPITOME_BROKER_URL")),
        "load_average": [round(value, 1) for value in load_before],
        "seconds": round(took, 1),
        "web_cpu_seconds": round(spent, 1),
        "web_mb": megabytes,
        "jobs": ended,
        **crowd.report(),
    }
    print(json.dumps(line), flush=True)
    return 0 if is_right(line, options["most"]) else 1


def is_right(line: dict[str, Any], most: float) -> bool:
    answers = line["answers"]
    is_answered = not any(status == "no answer" or status >= "500" for status in answers)
    is_stored = line["acknowledged"] == line["stored"] and not any(line["faults"].values())
    are_done = all(job["state"] == "done" for job in line["jobs"])
    return bool(is_answered and is_stored and are_done and line["ms"]["page"]["p95"] <= most)


def write_sources(folder: Path, documents: int) -> bytes:
    from benchmarks.importing import write_file

    path = folder / "sources.jsonl"
    write_file(path, documents, WORDS)
    return path.read_bytes()


@contextlib.contextmanager
def job_worker() -> Iterator[None]:
    """A worker of two processes until the block ends, in a group of its own."""
    command = [sys.executable, "manage.py", "worker", "--queues", "default,text", "--concurrency", "2"]
    worker = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        yield
    finally:
        worker.send_signal(signal.SIGTERM)
        worker.wait(90)


def start_jobs(crowd: Any, port: int, file: bytes) -> list[str]:
    """Upload the file and start the run; the ids of their jobs."""
    from django.db import connections

    from benchmarks.people_at_work import RATED, build_upload
    from modelbridge.services.runs import runs
    from modelbridge.services.systems import systems

    body, kind = build_upload(file)
    name, _, value = kind.strip().partition(": ")
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/api/v1/projects/{RATED}/imports/",
        body,
        {"Authorization": f"Token {crowd.admin_tokens[0]}", name: value},
    )
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        imported = str(json.load(answer)["id"])
    revision = systems.register_system(project=crowd.project, toml_text=SYSTEM, by=None)
    run = runs.start_run(project=crowd.project, revision=revision, by=None, seed=1)
    connections.close_all()
    return [imported, str(run.job.public_id)]


def wait_for_job(public_id: str) -> dict[str, Any]:
    """How a job ended, and the seconds that it took."""
    from annotation.models import Job

    until = time.monotonic() + PATIENCE
    while (job := Job.objects.get(public_id=public_id)).finished_at is None and time.monotonic() < until:
        time.sleep(1)
    end = job.finished_at or job.created_at
    return {"kind": job.kind, "state": job.state, "seconds": round((end - job.created_at).total_seconds(), 1)}


if __name__ == "__main__":
    sys.exit(main())

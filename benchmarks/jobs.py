"""Jobs through the site: python -m benchmarks.jobs [--engine sqlite|postgresql] [--documents 20000] [--words 800]

Serves the site with its production settings and one worker beside, on a database of its own, with the broker that is
set (none unless EPITOME_BROKER_URL names one). Uploads small files one after the other and reads how long each
job waited for the worker; then uploads one file of so many sources and waits until they are published. One JSON line
per engine: milliseconds until pick-up, and sources per second from the first byte of the upload to the published rows.
"""

import argparse
import json
import os
import statistics
import tempfile
import time
import urllib.request
import uuid
from pathlib import Path
from typing import Any

from benchmarks.databases import SERVED, migrate, on_each
from benchmarks.importing import write_file
from benchmarks.load import serving, worker_beside

SLUG = "bench-jobs"
POLL_SECONDS = 0.01
PATIENCE = 600
"""Seconds after which a job counts as lost; a bound, not a measurement."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", choices=["sqlite", "postgresql"])
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--words", type=int, default=800)
    parser.add_argument("--pickups", type=int, default=20)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        measure_engine(args)
        return
    sizes = ["--documents", str(args.documents), "--words", str(args.words), "--pickups", str(args.pickups)]
    on_each("benchmarks.jobs", args.engine, sizes, **SERVED)


def measure_engine(args: argparse.Namespace) -> None:
    """In a process of its own, with the environment set."""
    import django

    django.setup()
    migrate()
    token = make_researcher()
    with tempfile.TemporaryDirectory() as folder, serving() as (port, _server), worker_beside(True):
        large = Path(folder) / "sources.jsonl"
        write_file(large, args.documents, args.words)
        upload(port, token, make_small_file(0))  # not counted: the worker starts meanwhile
        wait_for_idle()
        waits = [measure_pickup(port, token, number) for number in range(1, args.pickups + 1)]
        seconds = measure_import(port, token, large.read_bytes(), args.documents)
    line = {
        "benchmark": "jobs",
        "engine": args.engine,
        "load_average": os.getloadavg()[0],
        "pickup_ms": {"median": round(1000 * statistics.median(waits), 1), "max": round(1000 * max(waits), 1)},
        "documents": args.documents,
        "import_seconds": round(seconds, 2),
        "documents_per_second": round(args.documents / seconds),
    }
    print(json.dumps(line), flush=True)


def make_researcher() -> str:
    """A project, and a token of its researcher."""
    from annotation.models import Project, Role
    from tests.tasks.factories import make_people, make_tokens

    project = Project.objects.create(slug=SLUG, name="Jobs", domain="document", preset="macsum-doc")
    return make_tokens(make_people(1, project, role=Role.RESEARCHER))[0]


def make_small_file(number: int) -> bytes:
    return json.dumps({"id": f"small-{number}", "text": f"The ferry number {number} left late."}).encode() + b"\n"


def upload(port: int, token: str, content: bytes) -> str:
    """Send a file as a browser's form does; the id of the job that imports it."""
    border = uuid.uuid4().hex
    fields = b"".join(
        f'--{border}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in (("format", "jsonl"), ("licence", "CC0-1.0"))
    )
    head = f'--{border}\r\nContent-Disposition: form-data; name="file"; filename="sources.jsonl"\r\n\r\n'
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/api/v1/projects/{SLUG}/imports/",
        fields + head.encode() + content + f"\r\n--{border}--\r\n".encode(),
        {"Authorization": f"Token {token}", "Content-Type": f"multipart/form-data; boundary={border}"},
    )
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return str(json.load(answer)["id"])


def wait_for_end(job_id: str) -> Any:
    """The job, once it is over."""
    from annotation.models import Job

    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        job = Job.objects.get(public_id=job_id)
        if job.finished_at is not None:
            if job.state != "done":
                raise SystemExit(f"the import ended as {job.state}: {job.error or job.faults[:3]}")
            return job
        time.sleep(POLL_SECONDS)
    raise SystemExit("the import did not end")


def wait_for_idle() -> None:
    """Until no job waits or runs: imports start jobs that score, and one worker does one job at a time."""
    from annotation.models import Job

    deadline = time.monotonic() + PATIENCE
    while Job.objects.under_way().exists():
        if time.monotonic() > deadline:
            raise SystemExit("jobs are still under way")
        time.sleep(POLL_SECONDS)


def measure_pickup(port: int, token: str, number: int) -> float:
    """Seconds that the job of a small upload waited for an idle worker."""
    job = wait_for_end(upload(port, token, make_small_file(number)))
    wait_for_idle()
    return float((job.started_at - job.created_at).total_seconds())


def measure_import(port: int, token: str, content: bytes, documents: int) -> float:
    """Seconds from the first byte of the upload to the published rows."""
    from annotation.models import SourceDocument

    count_before = SourceDocument.objects.filter(project__slug=SLUG).count()
    started = time.perf_counter()
    wait_for_end(upload(port, token, content))
    seconds = time.perf_counter() - started
    stored = SourceDocument.objects.filter(project__slug=SLUG).count() - count_before
    if stored != documents:
        raise SystemExit(f"{documents} sources were sent, {stored} are stored")
    return seconds


if __name__ == "__main__":
    main()

"""A short job beside a long one of another project: python -m benchmarks.turns [--engine sqlite|postgresql]
[--documents 20000] [--words 400] [--exports 5]

One worker of all queues, on a database of its own, with the broker that is set (none unless EPITOME_BROKER_URL names
one). It extracts the topics of so many sources; meanwhile exports of 28 rows of another project are asked for, one
after the other. One JSON line per engine: seconds from the request of an export to its end, beside the extraction and
without it, and sources a second that the extraction does meanwhile.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from benchmarks.databases import ROOT, migrate, on_each
from benchmarks.export import fill_step
from benchmarks.importing import words

POLL_SECONDS = 0.02
PATIENCE = 300
"""Seconds after which a job counts as lost; a bound, not a measurement."""
ROWS = 28


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", choices=["sqlite", "postgresql"])
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--words", type=int, default=400)
    parser.add_argument("--exports", type=int, default=5)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        measure_engine(args)
        return
    sizes = [f"--{name}={getattr(args, name)}" for name in ("documents", "words", "exports")]
    on_each("benchmarks.turns", args.engine, sizes)


def measure_engine(args: argparse.Namespace) -> None:
    """In a process of its own, with the environment set."""
    import django

    django.setup()
    migrate()
    from annotation.services.exports.exporting import ExportOptions, start_export
    from annotation.services.people.projects import create_project
    from annotation.services.sources.candidates import start_extraction

    large, small = (create_project(slug=slug, schema="macsum-doc") for slug in ("large", "small"))
    add_sources(large, args.documents, args.words)
    add_summaries(small, ROWS, args.words)
    with worker():
        alone = [measure_job(start_export(project=small, options=ExportOptions(), by=None)) for _ in range(2)][-1]
        extraction = start_extraction(project=large, by=None)
        wait_until(lambda: _fetch(extraction).progress_done > 0, "the extraction did not begin")
        begun, done = time.perf_counter(), _fetch(extraction).progress_done
        beside = []
        for _number in range(args.exports):
            time.sleep(3)  # the extraction is in the middle of a turn
            beside.append(measure_job(start_export(project=small, options=ExportOptions(), by=None)))
        row = _fetch(extraction)
        pace = (row.progress_done - done) / (time.perf_counter() - begun)
    if row.finished_at is not None:
        raise SystemExit("the extraction ended before the exports: give more --documents")
    line = {
        "benchmark": "turns",
        "engine": args.engine,
        "load_average": os.getloadavg()[0],
        "export_rows": ROWS,
        "export_alone_s": round(alone, 2),
        "export_beside_s": {"median": round(sorted(beside)[len(beside) // 2], 2), "max": round(max(beside), 2)},
        "extracted_per_second_beside": round(pace, 1),
        "extraction": {"done": row.progress_done, "total": row.progress_total, "attempts": row.attempts},
    }
    print(json.dumps(line), flush=True)


def add_sources(project: Any, n: int, n_words: int) -> None:
    """Published sources without summaries."""
    from annotation.models import SourceDocument, SourceImport, SourceText
    from epitome.formats.records import hash_segments

    rng = random.Random(1)
    vocabulary = words(rng)
    came = SourceImport.objects.create(project=project, file_name="bench", file_hash="1", format="jsonl")
    for first in range(0, n, 500):
        texts = [
            [{"speaker": "", "text": " ".join(rng.choices(vocabulary, k=20)) + "."} for _ in range(n_words // 20)]
            for _ in range(min(500, n - first))
        ]
        documents = SourceDocument.everything.bulk_create(
            SourceDocument(
                project=project, source_import=came, published=True, external_id=f"d{first + i}",
                origin_id=f"d{first + i}", position=first + i, content_hash=hash_segments(text),
                n_segments=len(text), n_words=n_words, n_tokens=n_words,
            )
            for i, text in enumerate(texts)
        )  # fmt: skip
        rows = zip(documents, texts, strict=True)
        SourceText.objects.bulk_create(SourceText(document=row, segments_json=json.dumps(text)) for row, text in rows)


def add_summaries(project: Any, n: int, n_words: int) -> None:
    """Sources with one accepted summary each."""
    from django.contrib.auth.models import User

    rng = random.Random(2)
    people = User.objects.bulk_create(User(username=f"annotator{i}", password="!") for i in range(2))
    fill_step(project, people, range(n), 1, n_words, rng, words(rng))


@contextmanager
def worker() -> Iterator[None]:
    process = subprocess.Popen([sys.executable, "manage.py", "worker"], cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()  # in the middle of the extraction, which nobody needs any more
            process.wait()


def _fetch(job: Any) -> Any:
    from annotation.models import Job

    return Job.objects.get(pk=job.pk)


def measure_job(job: Any) -> float:
    """Seconds from now until the job has ended."""
    begun = time.perf_counter()
    wait_until(lambda: _fetch(job).finished_at is not None, "an export did not end")
    if (row := _fetch(job)).state != "done":
        raise SystemExit(f"an export ended as {row.state}: {row.error}")
    return time.perf_counter() - begun


def wait_until(is_reached: Any, otherwise: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_reached():
        if time.monotonic() > deadline:
            raise SystemExit(otherwise)
        time.sleep(POLL_SECONDS)


if __name__ == "__main__":
    main()

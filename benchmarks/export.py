"""How quickly a dataset goes out: python -m benchmarks.export [--annotations 10000 100000] [--words 800]

Fills a database with summaries of generated sources, then exports it in a process of its own per run, on SQLite and,
where EPITOME_TEST_DATABASE_URL names a server, on PostgreSQL in a database of its own. Prints one JSON object per run:
seconds to the first byte, summaries per second, rows per second (the lines of the sources counted too), and how far
the memory of the process grew over what it had before.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from benchmarks.databases import settle
from benchmarks.importing import words

ROOT = Path(__file__).resolve().parent.parent
STEP = 500
RUNS = {
    "stream": {},
    "file": {"to_file": True},
    "file, split by origin": {"to_file": True, "split_seed": 1},
    "MACSum": {"format": "macsum"},
    "Parquet": {"to_file": True, "format": "parquet"},
}


def fill(annotations: int, per_source: int, n_words: int) -> None:
    """Sources with `per_source` samples, each written once."""
    import django

    django.setup()
    from django.contrib.auth.models import User

    from annotation.services.people.projects import create_project

    project = create_project(slug="bench", schema="macsum-doc")
    people = User.objects.bulk_create(User(username=f"annotator{i}", password="!") for i in range(8))
    rng = random.Random(1)
    vocabulary = words(rng)
    for first in range(0, annotations // per_source, STEP):
        numbers = range(first, min(first + STEP, annotations // per_source))
        fill_step(project, people, numbers, per_source, n_words, rng, vocabulary)
    settle()


def fill_step(project, people, numbers, per_source, n_words, rng, vocabulary) -> None:
    from django.utils import timezone

    from annotation.models import (
        Annotation,
        Assignment,
        Candidate,
        Claim,
        Group,
        Sample,
        Score,
        Slot,
        SourceDocument,
        SourceImport,
        SourceText,
    )  # fmt: skip
    from annotation.services.scores.score_queries import current_signatures
    from epitome.formats.records import hash_segments

    now = timezone.now()
    came, _ = SourceImport.objects.get_or_create(
        project=project, file_name="bench", file_hash="0", format="jsonl", defaults={"published_at": now}
    )
    sentences = {i: [" ".join(rng.choices(vocabulary, k=20)) + "." for _ in range(n_words // 20)] for i in numbers}
    digests = {i: hash_segments([{"speaker": "", "text": text} for text in rows]) for i, rows in sentences.items()}
    result = SourceDocument.everything.bulk_create(
        SourceDocument(
            project=project, source_import=came, published=True, external_id=f"doc-{i:06d}", origin_id=f"doc-{i:06d}",
            position=i, may_release_text=True, content_hash=digests[i], n_segments=len(rows), n_words=n_words,
        )
        for i, rows in sentences.items()
    )  # fmt: skip
    SourceText.objects.bulk_create(
        SourceText(document=other_first, segments_json=json.dumps([{"speaker": "", "text": text} for text in rows]))
        for other_first, rows in zip(result, sentences.values(), strict=True)
    )
    Candidate.objects.bulk_create(
        Candidate(
            document=item, kind="topic", text=f"{rng.choice(vocabulary)} {n}", rank=n, score=1 / n, mentions=n,
            extractor="topicrank@1",
        )
        for item in result
        for n in range(1, 21)
    )  # fmt: skip
    decisions = [
        {"key": "topic", "text": "a topic", "action": "picked", "candidate": "a topic", "rank": rank, "shown": rank}
        for rank in range(1, 21)
    ]
    groups = Group.objects.bulk_create(
        Group(
            project=project, document=item, position=n, asks=["topic"], chosen={"topic": ["a topic"]}, frozen_at=now,
            chosen_by=people[0], decisions=decisions,
        )
        for item in result for n in range(max(1, per_source // 2))
    )  # fmt: skip
    samples = Sample.objects.bulk_create(
        Sample(
            project=project, document_id=group.document_id, group=group, schema_version=project.schema_version,
            position=group.position * 2 + n, combination="snh", seed=1, sampler="uniform@1", created_at=now,
            values={"length": "short", "extractiveness": "normal", "specificity": "high"},
        )
        for group in groups for n in range(min(2, per_source))
    )  # fmt: skip
    slots = Slot.objects.bulk_create(
        Slot(
            project=project,
            document_id=sample.document_id,
            group_id=sample.group_id,
            sample=sample,
            number=1,
            state="filled",
        )
        for sample in samples
    )
    claims = Claim.objects.bulk_create(
        Claim(
            project=project, annotator=rng.choice(people), document_id=sample.document_id, opened_at=now,
            lease_until=now, closed_at=now,
        )
        for sample in samples
    )  # fmt: skip
    attempts = Assignment.objects.bulk_create(
        Assignment(
            project=project, claim=claim, slot=slot, sample=sample, group_id=sample.group_id,
            annotator_id=claim.annotator_id, state="accepted", guideline_version=project.guideline_version,
            assistance="minimal", claimed_at=now, finished_at=now,
        )
        for sample, slot, claim in zip(samples, slots, claims, strict=True)
    )  # fmt: skip
    first = {other_first.pk: rows[0][:12] for other_first, rows in zip(result, sentences.values(), strict=True)}
    of_sample = {sample.pk: first[sample.document_id] for sample in samples}
    written = Annotation.objects.bulk_create(
        Annotation(
            project=project, sample_id=attempt.sample_id, assignment=attempt, schema_version=project.schema_version,
            guideline_version=project.guideline_version, assistance="minimal", created_at=now, idempotency_key="1",
            payload={
                "summary": " ".join(rng.choices(vocabulary, k=60)), "title": " ".join(rng.choices(vocabulary, k=6)),
                "relevant_segments": [0, [3, 7]],
                "spans": [{"segment": 0, "start": 0, "end": 12, "quote": of_sample[attempt.sample_id]}],
            },
            band_shown={"length": {"of": "relevant_words", "low": 0.045, "high": 0.06, "value": "short", "words": 120}},
            timings={"claimed_at": now.isoformat(), "submitted_at": now.isoformat(), "seconds": 301.25},
        )
        for attempt in attempts
    )  # fmt: skip
    signatures = current_signatures(project, project.schema_version.schema)
    Score.objects.bulk_create(
        Score(
            project=project, target_kind="annotation", target_id=item.pk, measure=measure, signature=signature,
            value=rng.random(), created_at=now,
        )
        for item in written for measure, signature in signatures.items()
    )  # fmt: skip


def rss() -> float:
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


def export_once(run: str, folder: str) -> None:
    """In a process of its own: export once and print what it took."""
    import django

    django.setup()
    for library in ("numpy", "pandas", "pyarrow.parquet"):  # what a run loads does not count as growth
        if run == "Parquet" or library == "numpy":
            with suppress(ImportError):
                import_module(library)
    from django.db import connection

    from annotation.models import Annotation, Project, SourceDocument
    from annotation.services.exports.exporting import ExportOptions, export_lines, export_to

    by_key = dict(RUNS[run])
    to_file = by_key.pop("to_file", False)
    project = Project.objects.get(slug="bench")
    n = Annotation.objects.filter(project=project).count()
    if not n:
        raise SystemExit("there are no summaries to export")
    sources = SourceDocument.objects.filter(project=project).count()
    state_before = rss()
    begun, cpu = time.perf_counter(), time.process_time()
    first, size = None, 0
    if to_file:
        size = export_to(project=project, path=Path(folder) / "out", options=ExportOptions(**by_key))["bytes"]
    else:
        for piece in export_lines(project=project, options=ExportOptions(**by_key)):
            first = first if first is not None else time.perf_counter() - begun
            size += len(piece)
    seconds = time.perf_counter() - begun
    fields = {
        "engine": connection.vendor,
        "run": run,
        "summaries": n,
        "megabytes": round(size / 1e6),
        "first_byte_seconds": round(first, 3) if first is not None else None,
        "seconds": round(seconds, 2),
        "cpu_seconds": round(time.process_time() - cpu, 2),
        "summaries_per_second": round(n / seconds),
        "rows_per_second": round((n + sources) / seconds),
        "memory_mb_before": round(state_before),
        "memory_mb_growth": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - state_before),
    }
    print(json.dumps(fields), flush=True)


def run_on(url: str, data: str, given: argparse.Namespace, annotations: int) -> None:
    env = {
        **os.environ,
        "DATABASE_URL": url,
        "EPITOME_DATA_DIR": data,
        "DJANGO_SETTINGS_MODULE": "epitome.site.settings",
    }
    this = [sys.executable, "-m", "benchmarks.export"]
    sizes = ["--annotations", str(annotations), "--per-source", str(given.per_source), "--words", str(given.words)]
    subprocess.run([sys.executable, "manage.py", "migrate", "-v", "0", "--skip-checks"], cwd=ROOT, env=env, check=True)
    subprocess.run([*this, *sizes, "--fill"], cwd=ROOT, env=env, check=True)
    for run in given.runs or RUNS:
        subprocess.run([*this, "--once", run, "--folder", data], cwd=ROOT, env=env, check=True)


def on_postgresql(server: str, data: str, given: argparse.Namespace, annotations: int) -> None:
    import psycopg

    name = f"epitome_bench_{os.getpid()}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        try:
            run_on(urlunsplit(urlsplit(server)._replace(path=f"/{name}")), data, given, annotations)
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--annotations", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--per-source", type=int, default=8, help="summaries of each source: 1 or even")
    parser.add_argument("--words", type=int, default=800)
    parser.add_argument("--runs", nargs="+", choices=list(RUNS))
    parser.add_argument("--fill", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--once", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.per_source > 1 and args.per_source % 2:
        parser.error("--per-source is 1 or even: groups have two samples")
    if args.fill:
        return fill(args.annotations[0], args.per_source, args.words)
    if args.once:
        return export_once(args.once, args.folder)
    server = os.environ.get("EPITOME_TEST_DATABASE_URL")
    for annotations in args.annotations:
        with tempfile.TemporaryDirectory() as folder:
            run_on(f"sqlite:///{folder}/bench.sqlite3", f"{folder}/sqlite", args, annotations)
            if server:
                on_postgresql(server, f"{folder}/postgresql", args, annotations)
    if not server:
        print("PostgreSQL was not measured: EPITOME_TEST_DATABASE_URL is not set", file=sys.stderr)
    return None


if __name__ == "__main__":
    main()

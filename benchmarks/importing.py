"""How quickly documents come in: python -m benchmarks.importing [--documents 10000 100000] [--words 800] [--summaries]
[--format jsonl | xlsx]

Writes a file of generated English-like texts, with --summaries each with a summary and its requested length
and topics in columns of their own, then imports it with one process per run, on SQLite and,
where EPITOME_TEST_DATABASE_URL names a server, on PostgreSQL in a database of its own. Prints one JSON object per run:
seconds from the start of the import to the published rows, documents per second, seconds of processor time of the
importing process and of those that it started, and its peak memory.
"""

import argparse
import io
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from benchmarks.previews import read_times, store_book

ROOT = Path(__file__).resolve().parent.parent
STARTS = ["The", "A", "One", "Every", "This", "Their", "Our", "Some"]
SUMMARY_WORDS = 40
MAPPING = {"id": "id", "text": "text", "summary": "summary", "attribute:length": "length", "attribute:topic": "topic"}
ENDINGS = ["s", "ed", "ing", "er", "ly", "ness"]
SYLLABLES = [
    "ba", "co", "di", "fen", "gra", "hol", "ist", "jor", "kel", "lum", "mon", "nor", "pel", "qui",
    "ros", "sta", "tur", "vin", "wel", "yor", "zan", "the", "of", "in", "to",
]  # fmt: skip


def words(rng: random.Random, n: int = 3000) -> list[str]:
    """A vocabulary with the word lengths of news text."""
    values = {"the", "of", "and", "to", "in", "a", "on", "was", "said", "that"}
    while len(values) < n:
        values.add("".join(rng.choices(SYLLABLES, k=rng.choice([1, 2, 2, 3]))) + rng.choice([*ENDINGS, "", ""]))
    return sorted(values, key=lambda word: (len(word), word))  # frequent words are short


def write_file(path: Path, documents: int, n_words: int, *, summaries: bool = False) -> None:
    rng = random.Random(1)
    vocabulary = words(rng)
    weights = [1 / (rank + 30) for rank in range(len(vocabulary))]

    def draw_rows() -> Iterator[dict[str, str]]:
        for number in range(documents):
            drawn = rng.choices(vocabulary, weights, k=n_words)
            for start in range(0, n_words, 20):
                drawn[start] = rng.choice(STARTS)
                drawn[min(start + 19, n_words - 1)] = rng.choice(vocabulary) + "."
            row = {"id": f"doc-{number:06d}", "text": " ".join(drawn)}
            if summaries:
                row["summary"] = " ".join(drawn[:SUMMARY_WORDS])
                row |= {"length": rng.choice(["short", "normal", "long"]), "topic": f"{drawn[1]}; {drawn[2]}"}
            yield row

    if path.suffix == ".xlsx":
        rows = list(draw_rows())
        path.write_bytes(store_book([list(rows[0]), *(list(row.values()) for row in rows)]).getvalue())
        return
    with path.open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(row) + "\n" for row in draw_rows())


def import_once(file: str, *, summaries: bool) -> None:
    """In a process of its own: import and print what it took."""
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection

    from annotation.models import Project, SourceDocument
    from annotation.services.sources.importing import import_file
    from epitome.formats.options import ImportOptions

    call_command("create_project", "bench", "--schema", "macsum-doc", stdout=io.StringIO())
    project = Project.objects.get(slug="bench")
    state_before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    options = ImportOptions(mapping=MAPPING if summaries else None, exact_mapping=summaries)
    begun, (own_before, started_before) = time.perf_counter(), read_times()
    report = import_file(project=project, path=Path(file), file_name=Path(file).name, options=options)
    seconds, (own, started) = time.perf_counter() - begun, read_times()
    assert report.stored == report.read == SourceDocument.objects.filter(project=project).count()
    assert report.references == (report.stored if summaries else 0)
    fields = {
        "engine": connection.vendor,
        "documents": report.stored,
        "summaries": report.references,
        "megabytes": round(Path(file).stat().st_size / 1e6),
        "seconds": round(seconds, 2),
        "documents_per_second": round(report.stored / seconds),
        "processor_seconds": round(own - own_before, 2),
        "started_processor_seconds": round(started - started_before, 2),
        "process_mb_before": state_before,
        "process_mb_peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
    print(json.dumps(fields), flush=True)


def run_on(url: str, data: str, file: Path, *, summaries: bool) -> None:
    env = {
        **os.environ,
        "DATABASE_URL": url,
        "EPITOME_DATA_DIR": data,
        "DJANGO_SETTINGS_MODULE": "epitome.site.settings",
    }
    subprocess.run([sys.executable, "manage.py", "migrate", "-v", "0", "--skip-checks"], cwd=ROOT, env=env, check=True)
    command = [sys.executable, "-m", "benchmarks.importing", "--once", str(file), *["--summaries"] * summaries]
    subprocess.run(command, cwd=ROOT, env=env, check=True)


def on_postgresql(server: str, data: str, file: Path, *, summaries: bool) -> None:
    import psycopg

    name = f"epitome_bench_{os.getpid()}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        try:
            run_on(urlunsplit(urlsplit(server)._replace(path=f"/{name}")), data, file, summaries=summaries)
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--words", type=int, default=800)
    parser.add_argument("--summaries", action="store_true", help="each document with a summary")
    parser.add_argument("--format", choices=("jsonl", "xlsx"), default="jsonl")
    parser.add_argument("--once", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.once:
        return import_once(args.once, summaries=args.summaries)
    server = os.environ.get("EPITOME_TEST_DATABASE_URL")
    for documents in args.documents:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / f"documents.{args.format}"
            write_file(file, documents, args.words, summaries=args.summaries)
            run_on(f"sqlite:///{folder}/bench.sqlite3", f"{folder}/sqlite", file, summaries=args.summaries)
            if server:
                on_postgresql(server, f"{folder}/postgresql", file, summaries=args.summaries)
    if not server:
        print("PostgreSQL was not measured: EPITOME_TEST_DATABASE_URL is not set", file=sys.stderr)
    return None


if __name__ == "__main__":
    main()

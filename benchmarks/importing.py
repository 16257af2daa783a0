"""How quickly documents come in: python -m benchmarks.importing [--documents 10000 100000] [--words 800]

Writes a plain JSONL file of generated English-like texts, then imports it with one process per run, on SQLite and,
where EPITOME_TEST_DATABASE_URL names a server, on PostgreSQL in a database of its own. Prints one JSON object per run:
seconds from the start of the import to the published rows, documents per second, and the peak memory of the process.
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
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

ROOT = Path(__file__).resolve().parent.parent
STARTS = ["The", "A", "One", "Every", "This", "Their", "Our", "Some"]
ENDINGS = ["s", "ed", "ing", "er", "ly", "ness"]
SYLLABLES = [
    "ba", "co", "di", "fen", "gra", "hol", "ist", "jor", "kel", "lum", "mon", "nor", "pel", "qui",
    "ros", "sta", "tur", "vin", "wel", "yor", "zan", "the", "of", "in", "to",
]  # fmt: skip


def words(rng: random.Random, n: int = 3000) -> list[str]:
    """A vocabulary with the word lengths of news text."""
    made = {"the", "of", "and", "to", "in", "a", "on", "was", "said", "that"}
    while len(made) < n:
        made.add("".join(rng.choices(SYLLABLES, k=rng.choice([1, 2, 2, 3]))) + rng.choice([*ENDINGS, "", ""]))
    return sorted(made, key=lambda word: (len(word), word))  # frequent words are short


def write_file(path: Path, documents: int, n_words: int) -> None:
    rng = random.Random(1)
    vocabulary = words(rng)
    weights = [1 / (rank + 30) for rank in range(len(vocabulary))]
    with path.open("w", encoding="utf-8") as out:
        for number in range(documents):
            drawn = rng.choices(vocabulary, weights, k=n_words)
            for start in range(0, n_words, 20):
                drawn[start] = rng.choice(STARTS)
                drawn[min(start + 19, n_words - 1)] = rng.choice(vocabulary) + "."
            out.write(json.dumps({"id": f"doc-{number:06d}", "text": " ".join(drawn)}) + "\n")


def import_once(file: str) -> None:
    """In a process of its own: import and print what it took."""
    import django

    django.setup()
    from django.db import connection

    from annotation.models import Project, SourceDocument
    from annotation.services.sources.import_types import ImportOptions
    from annotation.services.sources.importing import import_file

    project = Project.objects.create(slug="bench", name="bench", domain="document", preset="macsum-doc")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    begun = time.perf_counter()
    report = import_file(
        project=project, path=Path(file), file_name=Path(file).name, options=ImportOptions(format="jsonl")
    )
    seconds = time.perf_counter() - begun
    assert report.stored == report.read == SourceDocument.objects.filter(project=project).count()
    found = {
        "engine": connection.vendor,
        "documents": report.stored,
        "megabytes": round(Path(file).stat().st_size / 1e6),
        "seconds": round(seconds, 2),
        "documents_per_second": round(report.stored / seconds),
        "process_mb_before": before,
        "process_mb_peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
    print(json.dumps(found), flush=True)


def run_on(url: str, data: str, file: Path) -> None:
    env = {**os.environ, "DATABASE_URL": url, "EPITOME_DATA_DIR": data, "DJANGO_SETTINGS_MODULE": "epitome.settings"}
    subprocess.run([sys.executable, "manage.py", "migrate", "-v", "0", "--skip-checks"], cwd=ROOT, env=env, check=True)
    subprocess.run([sys.executable, "-m", "benchmarks.importing", "--once", str(file)], cwd=ROOT, env=env, check=True)


def on_postgresql(server: str, data: str, file: Path) -> None:
    import psycopg

    name = f"epitome_bench_{os.getpid()}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        try:
            run_on(urlunsplit(urlsplit(server)._replace(path=f"/{name}")), data, file)
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--words", type=int, default=800)
    parser.add_argument("--once", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.once:
        return import_once(given.once)
    server = os.environ.get("EPITOME_TEST_DATABASE_URL")
    for documents in given.documents:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "documents.jsonl"
            write_file(file, documents, given.words)
            run_on(f"sqlite:///{folder}/bench.sqlite3", f"{folder}/sqlite", file)
            if server:
                on_postgresql(server, f"{folder}/postgresql", file)
    if not server:
        print("PostgreSQL was not measured: EPITOME_TEST_DATABASE_URL is not set", file=sys.stderr)
    return None


if __name__ == "__main__":
    main()

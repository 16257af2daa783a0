"""Lists of 50 and the other pages, at 10,000 sources: python -m benchmarks.pages [--engine sqlite|postgresql]

Queries per page by Django's test client; milliseconds over HTTP through gunicorn with its production settings, one
reader. Target: a list of 50 in at most 45 ms (median). Prints a table and one JSON line per engine.
"""

import argparse
import http.client
import json
import statistics
import time
from pathlib import Path

from benchmarks.databases import on_each, settle

ROOT = Path(__file__).resolve().parent.parent
SOURCES = 10_000
LOOKS = 30
SLUG = "bench-pages"
LISTS = {
    "sources, page": f"/p/{SLUG}/sources/",
    "sources, page 100": f"/p/{SLUG}/sources/?page=100",
    "sources, API": f"/api/v1/projects/{SLUG}/documents/?page_size=50",
    "samples, page": f"/p/{SLUG}/samples/",
    "samples, API": f"/api/v1/projects/{SLUG}/samples/?page_size=50",
    "jobs, page": f"/p/{SLUG}/jobs/",
    "audit log, page": f"/p/{SLUG}/audit/",
}
PAGES = {
    "home": "/",
    "overview": f"/p/{SLUG}/",
    "my work": f"/p/{SLUG}/work/",
    "members": f"/p/{SLUG}/members/",
    "export": f"/p/{SLUG}/export/",
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", choices=["sqlite", "postgresql"])
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        one_engine(args.engine)
        return
    on_each("benchmarks.pages", args.engine, [], EPITOME_DB_POOL="8", EPITOME_WORKERS="2")


def one_engine(engine: str) -> None:
    import django

    django.setup()
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.test import Client

    from benchmarks.load import serving
    from tests.tasks.factories import make_project

    call_command("migrate", verbosity=0)
    make_project(SLUG, documents=SOURCES, groups=1, size=2, overlap=1, frozen=True, n_words=60)
    settle()
    admin = User.objects.create_superuser("admin", password="not-needed-here-1")
    client = Client(headers={"host": "127.0.0.1"})
    client.force_login(admin)
    fields = {"benchmark": "pages", "engine": engine, "sources": SOURCES, "pages": {}}
    queries = {name: count(client, path) for name, path in {**LISTS, **PAGES}.items()}
    cookie = "; ".join(f"{name}={morsel.value}" for name, morsel in client.cookies.items())
    with serving() as (port, _server):
        for name, path in {**LISTS, **PAGES}.items():
            times, size = look(port, path, cookie)
            row = {"queries": queries[name], "median_ms": times[0], "p95_ms": times[1], "bytes": size}
            fields["pages"][name] = row
            print(f"{name:20} {row['queries']:3} queries {times[0]:7.1f} ms median {times[1]:7.1f} p95 {size:8} bytes")
    print(json.dumps(fields))


def count(client, path: str) -> int:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    client.get(path)
    with CaptureQueriesContext(connection) as captured:
        answer = client.get(path)
    assert answer.status_code == 200, (path, answer.status_code)
    return len(captured)


def look(port: int, path: str, cookie: str) -> tuple[tuple[float, float], int]:
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    seconds, body = [], b""
    for _ in range(LOOKS + 4):
        started = time.perf_counter()
        link.request("GET", path, headers={"Cookie": cookie})
        answer = link.getresponse()
        body = answer.read()
        seconds.append(time.perf_counter() - started)
        assert answer.status == 200, (path, answer.status)
    link.close()
    other_seconds = sorted(seconds[4:])  # the first ones load templates in each worker
    return (
        round(statistics.median(other_seconds) * 1000, 1),
        round(other_seconds[int(len(other_seconds) * 0.95)] * 1000, 1),
    ), len(body)


if __name__ == "__main__":
    main()

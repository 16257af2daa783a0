"""The staff's pages at 100,000 samples: python -m benchmarks.dashboard [--engine sqlite|postgresql] [--samples 100000]

Server time of the page through Django's test client in this process, one reader, with the queries it made, after the
worker has stored its counts. Target: the dashboard opens in less than 300 ms. Prints a table and one JSON line per
engine.
"""

import argparse
import json
import statistics
import time
from datetime import timedelta
from pathlib import Path

from benchmarks.databases import on_each, settle

ROOT = Path(__file__).resolve().parent.parent
SLUG = "bench-staff"
PEOPLE = 24
LOOKS = 12
WRITTEN, SKIPPED = 0.6, 0.03
PAGES = {
    "dashboard": "",
    "progress": "progress/",
    "annotations": "annotations/",
    "annotations, page 500": "annotations/?page=500",
    "annotations, by state": "annotations/?sort=state",
    "annotations, filtered": "annotations/?state=returned&combination=lfh",
    "skips": "skips/",
    "ledger": "ledger/?since=2026-01-01&until=2026-12-31",
    "ledger, by week": "ledger/?since=2026-01-01&until=2026-12-31&per=week",
    "steering": "steering/",
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", choices=["sqlite", "postgresql"])
    parser.add_argument("--samples", type=int, default=100_000)
    parser.add_argument("--only", nargs="+", default=[""], help="pages whose names begin so")
    parser.add_argument("--explain", action="store_true", help="print every query with its milliseconds")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        one_engine(args)
        return
    arguments = ["--samples", str(args.samples), "--only", *args.only] + ["--explain"] * args.explain
    on_each("benchmarks.dashboard", args.engine, arguments)


def one_engine(args: argparse.Namespace) -> None:
    import django

    django.setup()
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.test import Client

    from annotation.services.staff import counts_cache

    call_command("migrate", verbosity=0)
    fill(args.samples)
    settle()
    begun = time.perf_counter()
    stored = counts_cache.refresh_counts()  # as the worker does; no page waits for it
    print(f"stored by the worker: {stored} project in {time.perf_counter() - begun:.1f} s")
    admin = User.objects.create_superuser("admin", password="not-needed-here-1")
    client = Client(headers={"host": "127.0.0.1"})
    client.force_login(admin)
    fields = {"benchmark": "dashboard", "engine": args.engine, "samples": args.samples, "pages": {}}
    for name, path in PAGES.items():
        if name.startswith(tuple(args.only)):
            fields["pages"][name] = row = look(client, f"/p/{SLUG}/{path}", args.explain)
            print(
                f"{name:24} {row['queries']:3} queries {row['median_ms']:7.1f} ms median {row['worst_ms']:7.1f} worst"
            )
    print(json.dumps(fields))


def look(client, path: str, explain: bool) -> dict:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    client.get(path)  # templates and the schema are read once per process
    with CaptureQueriesContext(connection) as captured:
        answer = client.get(path)
    queries = len(captured)  # before the next request clears the log
    assert answer.status_code == 200, (path, answer.status_code)
    if explain:
        for query in captured:
            print(f"    {1000 * float(query['time']):6.0f} ms  {query['sql'][:260]}")
    items = []
    for _ in range(LOOKS):
        started = time.perf_counter()
        client.get(path)
        items.append(1000 * (time.perf_counter() - started))
    return {"queries": queries, "median_ms": round(statistics.median(items), 1), "worst_ms": round(max(items), 1)}


def fill(samples: int) -> None:
    """Sources of eight samples; of every hundred, about sixty are written and three were skipped by somebody."""
    from annotation.models import Project
    from tests.tasks.factories import make_people, make_project

    project = make_project(SLUG, documents=samples // 8, groups=4, size=2, frozen=True, n_words=40, topics=1)
    people = make_people(PEOPLE, project)
    spread(project)
    attempts(project, people)
    Project.objects.filter(pk=project.pk).update(overlap=1)


def spread(project) -> None:
    """Samples over all 18 combinations; every group with two decisions about candidates."""
    from django.db.models import F
    from django.db.models.functions import Mod

    from annotation.models import Group, Sample
    from tests.tasks.factories import EXTS, LENGTHS, SPES

    codes = [(length, ext, spe) for length in LENGTHS for ext in EXTS for spe in SPES]
    for number, (length, ext, spe) in enumerate(codes):
        rows = Sample.objects.filter(project=project).alias(rest=Mod(F("pk"), len(codes))).filter(rest=number)
        values = {"length": length, "extractiveness": ext, "specificity": spe}
        rows.update(values=values, combination=length[0] + ext[0] + spe[0])
    fields = {"key": "topic", "candidate": "topic 1", "rank": 1, "shown": 1}
    Group.objects.filter(project=project).update(
        decisions=[{**fields, "text": "topic 1", "action": "picked"}, {**fields, "text": "own", "action": "own"}]
    )


def attempts(project, people) -> None:
    from annotation.models import Annotation, Assignment, Claim, Slot, SlotState

    slots = list(Slot.objects.filter(project=project).order_by("pk").values_list("pk", "sample", "group", "document"))
    version = project.guideline_version
    begun = project.created_at - timedelta(days=90)
    claims, rows, texts, filled = [], [], [], []
    for number, (slot, sample, group, document) in enumerate(slots):
        place = number % 100
        if place >= 100 * (WRITTEN + SKIPPED):
            continue
        at = begun + timedelta(seconds=60 * number % (80 * 86400))
        who = people[number % len(people)]
        claim = Claim(project=project, annotator=who, document_id=document, opened_at=at, lease_until=at, closed_at=at)
        state = "skipped" if place < 100 * SKIPPED else ("submitted", "accepted", "returned")[min(number % 9, 2)]
        if state != "skipped":
            filled.append(slot)
        row = Assignment(
            project=project, claim=claim, slot_id=slot, sample_id=sample, group_id=group, annotator=who, state=state,
            guideline_version=version, assistance="minimal", claimed_at=at, finished_at=at + timedelta(minutes=9),
            skip_reason="nothing_fits" if state == "skipped" else "",
        )  # fmt: skip
        claims.append(claim)
        rows.append(row)
        if state != "skipped":
            texts.append((row, at))
    Claim.objects.bulk_create(claims, batch_size=2000)
    Assignment.objects.bulk_create(rows, batch_size=2000)
    schema = project.schema_version
    Annotation.objects.bulk_create(
        (
            Annotation(
                project=project,
                sample_id=row.sample_id,
                assignment=row,
                schema_version=schema,
                payload={"summary": "The ferry left late because of a storm. " * 12, "title": "Late"},
                timings={"seconds": 540.0, "writing_seconds": 400.0 + row.pk % 200}
                | ({"active_seconds": 300.0 + row.pk % 100} if row.pk % 4 else {}),
                idempotency_key="k",
                created_at=at + timedelta(minutes=9),
            )
            for row, at in texts
        ),
        batch_size=1000,
    )
    for start in range(0, len(filled), 5000):
        Slot.objects.filter(pk__in=filled[start : start + 5000]).update(state=SlotState.FILLED)


if __name__ == "__main__":
    main()

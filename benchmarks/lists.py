"""Lists and pages at size: python -m benchmarks.lists [--engine sqlite|postgresql] [--samples 200000] [--others 2]

Builds other large projects first, then one of as many samples and summaries, three quarters of them by one veteran;
stores the counts as the worker does, and asks for each page through Django's test client in this process, one reader.
Targets: a page or list 45 ms, last pages and filters without an index of their own 80 ms, searches for a part of a
text 300 ms. Prints queries, the median of seven with the least and the processor time of this process, and the target
of every page, and one JSON line per engine.

A machine may be slower than the one of the targets, or than it was a minute ago: before every look the fixed loop of
benchmarks.machine is timed, and `at reference` is the median scaled to the loop of the reference machine.
"""

import argparse
import json
import os
import statistics
import time
from typing import Any

from benchmarks.databases import migrate, on_each, settle
from benchmarks.machine import REFERENCE_LOOP_MS, time_loop

SLUG = "bench-lists"
LOOKS = 7
PAGE, LAST, SEARCH = 45, 80, 300


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", choices=["sqlite", "postgresql"])
    parser.add_argument("--samples", type=int, default=200_000)
    parser.add_argument("--others", type=int, default=2)
    parser.add_argument("--only", nargs="+", default=[""], help="pages whose names begin so")
    parser.add_argument("--explain", action="store_true", help="print every query with its milliseconds")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        one_engine(args)
        return
    arguments = ["--samples", str(args.samples), "--others", str(args.others), "--only", *args.only]
    on_each("benchmarks.lists", args.engine, arguments + ["--explain"] * args.explain)


def one_engine(args: argparse.Namespace) -> None:
    import django

    django.setup()
    from annotation.models import Project

    migrate()
    if not Project.objects.filter(slug=SLUG).exists():
        build(args.samples, args.others)
    clients = sign_in()
    rows = {}
    for name, (who, path, target) in list_pages(args.samples).items():
        if name.startswith(tuple(args.only)):
            rows[name] = row = look(clients[who], path, args.explain)
            missed = "" if row["median_ms"] <= target else "  MISSED"
            print(
                f"{name:30} {row['queries']:3} queries {row['median_ms']:7.1f} ms (target {target}),"
                f" least {row['least_ms']:7.1f}, python {row['python_ms']:6.1f}, loop {row['loop_ms']:5.1f},"
                f" at reference {row['at_reference_ms']:5.1f}, {row['bytes']:6} bytes{missed}",
                flush=True,
            )
    fields = {"benchmark": "lists", "engine": args.engine, "samples": args.samples, "others": args.others}
    print(json.dumps({**fields, "load_average": os.getloadavg()[0], "pages": rows}))


def build(samples: int, others: int) -> None:
    from benchmarks.lists_data import fill_project

    begun = time.perf_counter()
    for n in range(others):
        fill_project(f"bench-other-{n}", samples)
    fill_project(SLUG, samples)
    settle()
    print(f"built in {time.perf_counter() - begun:.0f} s", flush=True)
    refresh()


def refresh() -> None:
    """What the worker does within a minute of a write; no page waits for it."""
    from annotation.services.staff import counts_cache

    begun = time.perf_counter()
    n_projects = counts_cache.refresh_counts()
    print(f"stored by the worker: {n_projects} projects in {time.perf_counter() - begun:.1f} s")


def sign_in() -> dict[str, Any]:
    """A client each for the admin, the veteran and an annotator without any work yet."""
    from django.contrib.auth.models import User
    from django.test import Client

    from annotation.models import Membership, Project, Role
    from tests.tasks.factories import make_people, pass_gate

    project = Project.objects.get(slug=SLUG)
    admin = User.objects.filter(is_superuser=True).first() or User.objects.create_superuser("admin", password="x" * 12)
    annotators = Membership.objects.filter(project=project, role=Role.ANNOTATOR).order_by("pk")
    newcomer = User.objects.filter(username="annotator9999").first() or make_people(1, project, start=9999)[0]
    pass_gate(project, newcomer)
    people = {"admin": admin, "veteran": annotators[0].user, "newcomer": newcomer}
    clients = {}
    for name, user in people.items():
        clients[name] = Client(headers={"host": "127.0.0.1"})
        clients[name].force_login(user)
    return clients


def list_pages(samples: int) -> dict[str, tuple[str, str, int]]:
    """Name -> who asks, path, target in milliseconds."""
    from annotation.models import Project
    from annotation.services.inspection.weekly_sample import week_of

    project = Project.objects.get(slug=SLUG)
    page, api, last = f"/p/{SLUG}/", f"/api/v1/projects/{SLUG}/", samples // 50
    week = week_of(project.created_at, project)
    veteran = project.memberships.filter(role="annotator").order_by("pk")[0].user.username
    attempts = project.assignments.filter(annotator__username=veteran).order_by("pk")
    old = attempts[attempts.count() // 2].public_id
    fields = {
        "my work, veteran": ("veteran", f"{page}work/", PAGE),
        "my work, older": ("veteran", f"{page}work/?before={old}", PAGE),
        "my work, newcomer": ("newcomer", f"{page}work/", PAGE),
        "home, veteran": ("veteran", "/", PAGE),
    }
    staff = {
        "home": ("/", PAGE),
        "overview": (page, PAGE),
        "progress": (f"{page}progress/", PAGE),
        "jobs": (f"{page}jobs/", PAGE),
        "jobs, API": (f"{api}jobs/", PAGE),
        "samples": (f"{page}samples/", PAGE),
        "samples, last": (f"{page}samples/?page={last}", LAST),
        "samples, void": (f"{page}samples/?state=void", PAGE),
        "samples, open": (f"{page}samples/?state=open", LAST),
        "samples, written": (f"{page}samples/?state=written", LAST),
        "samples, overlap": (f"{page}samples/?state=overlap", LAST),
        "samples, combination": (f"{page}samples/?combination=snh", PAGE),
        "samples, API": (f"{api}samples/", PAGE),
        "samples, API, last": (f"{api}samples/?page={last}", LAST),
        "samples, API, state": (f"{api}samples/?state=active", LAST),
        "annotations": (f"{page}annotations/", PAGE),
        "annotations, last": (f"{page}annotations/?page={last}", LAST),
        "annotations, by state": (f"{page}annotations/?sort=state", LAST),
        "annotations, by person": (f"{page}annotations/?sort=person", LAST),
        "annotations, by sample": (f"{page}annotations/?sort=sample", LAST),
        "annotations, returned": (f"{page}annotations/?state=returned", PAGE),
        "annotations, submitted": (f"{page}annotations/?state=submitted", LAST),
        "annotations, of one": (f"{page}annotations/?person={veteran}", LAST),
        "annotations, of a week": (f"{page}annotations/?week={week}", PAGE),
        "annotations, combination": (f"{page}annotations/?combination=snh", LAST),
        "annotations, API": (f"{api}annotations/", PAGE),
        "annotations, API, last": (f"{api}annotations/?page={last}", LAST),
        "annotations, API, returned": (f"{api}annotations/?state=returned", PAGE),
        "annotations, API, all": (f"{api}annotations/?revisions=all", PAGE),
        "inspection": (f"{page}inspection/", PAGE),
        "inspection, this week": (f"{page}inspection/?week={week}", PAGE),
        "inspection, API": (f"{api}inspections/", PAGE),
        "overlap": (f"{page}overlap/", PAGE),
        "overlap, waiting": (f"{page}overlap/?state=waiting", PAGE),
        "overlap, API": (f"{api}overlap/", PAGE),
        "statistics": (f"{page}statistics/", PAGE),
        "members": (f"{page}members/", PAGE),
        "members, API": (f"{api}members/", PAGE),
        "skips": (f"{page}skips/", PAGE),
        "sources": (f"{page}sources/", PAGE),
        "sources, last": (f"{page}sources/?page={last // 8}", LAST),
        "sources, contains": (f"{page}sources/?q=OC-1", SEARCH),
        "samples, contains": (f"{page}samples/?source=OC-1", SEARCH),
    }
    return {**fields, **{name: ("admin", path, target) for name, (path, target) in staff.items()}}


def look(client: Any, path: str, explain: bool) -> dict[str, Any]:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    client.get(path)  # templates and the schema are read once per process
    with CaptureQueriesContext(connection) as captured:
        answer = client.get(path)
    queries = len(captured)  # before the next request clears the log
    assert answer.status_code == 200, (path, answer.status_code, answer.content[:300])
    if explain:
        for query in captured:
            print(f"    {1000 * float(query['time']):6.0f} ms  {query['sql'][:1200]}")
    times, spent, loops = [], 0.0, []
    for _look in range(LOOKS):
        loops.append(time_loop())
        started, started_here = time.perf_counter(), time.process_time()
        client.get(path)
        times.append(1000 * (time.perf_counter() - started))
        spent += 1000 * (time.process_time() - started_here)
    median, loop = statistics.median(times), statistics.median(loops)
    return {
        "queries": queries,
        "median_ms": round(median, 1),
        "least_ms": round(min(times), 1),
        "python_ms": round(spent / LOOKS, 1),
        "loop_ms": round(loop, 1),
        "at_reference_ms": round(median * REFERENCE_LOOP_MS / loop, 1),
        "bytes": len(answer.content),
    }


if __name__ == "__main__":
    main()

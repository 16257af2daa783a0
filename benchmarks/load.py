"""Annotators over HTTP: python -m benchmarks.load [--engine sqlite|postgresql] [--samples 2000 10000] [--people 1 8 32]
[--drafts | --way browser|next] [--unit group|sample] [--tasks N]

Makes a database of its own (SQLite file; PostgreSQL where EPITOME_TEST_DATABASE_URL names a server), projects of
800-word sources with overlap 3, groups of 2 and topics frozen, starts gunicorn with the production settings
(epitome/site/gunicorn_conf.py: 2 workers, 4 threads each), and lets distinct annotators claim and submit with
tokens over kept connections from this machine. Then checks with SQL that nothing is lost, doubled or short.
Prints a table and one JSON line per engine.

--way browser: what the task page sends, with session cookies: one submit per task, which brings the next task's page,
while a worker runs beside. --way next: the API's submit with "next": "task". Otherwise a claim and a submit per task.
The processor time of the server and of PostgreSQL is counted.

--drafts: every task is a claim, three draft saves, a heartbeat and a submit; 10,000 samples, 1, 8, 32 and 100
annotators unless told otherwise. From PACED annotators on, each sends 6 requests in 30 seconds, as people do, and a
request's p95 counts; fewer send as fast as they can, and tasks per second count.
"""

import argparse
import contextlib
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.databases import SERVED, on_each, settle

ROOT = Path(__file__).resolve().parent.parent
TASKS = {1: 200, 8: 800, 32: 1600}
LIMITS = tuple(SERVED)
VETERAN_SHARE = 0.75
NEXT_TASKS = 200
DRAFT_TASKS = {1: 100, 8: 400, 32: 800, 100: 500}
PACED = 100
STOP_SECONDS = 300
"""A bound for a server that stops on a busy machine, not a measurement."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", choices=["sqlite", "postgresql"])
    parser.add_argument("--samples", type=int, nargs="+")
    parser.add_argument("--people", type=int, nargs="+")
    parser.add_argument("--drafts", action="store_true", help="with draft saves and heartbeats")
    parser.add_argument("--way", choices=["calls", "next", "browser"], default="calls")
    parser.add_argument("--unit", choices=["group", "sample"], default="group")
    parser.add_argument("--tasks", type=int, help="of every run, instead of the usual number")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    args.samples = args.samples or ([10_000] if args.drafts else [2000, 10_000])
    args.people = args.people or ([1, 8, 32, 100] if args.drafts else [1, 8, 32])
    if args.one:
        one_engine(args)
        return
    lists = ["--samples", *map(str, args.samples), "--people", *map(str, args.people)]
    more = ["--drafts"] * args.drafts + (["--tasks", str(args.tasks)] if args.tasks else [])
    more += ["--way", args.way, "--unit", args.unit]
    on_each("benchmarks.load", args.engine, [*lists, *more], **SERVED)


def one_engine(args: argparse.Namespace) -> None:
    """In a process of its own, with the environment set: build, serve, load, check, print."""
    import django

    from benchmarks import drafting

    engine, sizes, people = args.engine, args.samples, args.people

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    worlds = {size: World(size, people, args.unit) for size in sizes}
    settle()
    queries = count_queries(worlds[sizes[0]])
    fields = {
        "benchmark": "load",
        "engine": engine,
        "way": args.way,
        "unit": args.unit,
        "load_average": os.getloadavg()[0],
        "settings": {name: os.environ.get(name, "") for name in LIMITS},
        "queries": queries,
        "runs": [],
    }
    with serving() as (port, server), worker_beside(args.way == "browser"):
        fields["idle_mb"] = memory(server)
        if not args.drafts:
            fields["next_task_ms"] = next_task(port, list(worlds.values()))
        run = load_with_drafts if args.drafts else load
        for world in worlds.values():
            fields["runs"] += [run(port, world, n, server, args) for n in people]
        fields["loaded_mb"] = memory(server)
    if not args.drafts:
        costs = fields["next_task_ms"]
        small, large = costs[str(sizes[0])], costs[str(sizes[-1])]
        fields["next_task_ratio"] = {who: round(large[who] / small[who], 2) for who in small}
    fields["checks"] = {str(size): world.check() for size, world in worlds.items()}
    (drafting.show if args.drafts else show)(fields)
    print(json.dumps(fields))


class World:
    """One project with its annotators: separate ones for every run, one newcomer and one veteran."""

    def __init__(self, samples: int, people: list[int], unit: str = "group") -> None:
        from tests.tasks.factories import make_people, make_project, make_tokens

        self.samples = samples
        self.slug = f"bench-{samples}"
        self.stored: list[str] = []
        self.project = make_project(
            self.slug,
            documents=samples // 8,
            groups=4,
            size=2,
            overlap=3,
            frozen=True,
            n_words=800,
            claim_unit=unit,
        )
        count = sum(people) + 3  # two for the next task, one for the counting of queries
        users = make_people(count, self.project, start=samples)
        self.tokens = make_tokens(users)
        self.sessions = dict(zip(self.tokens, make_sessions(users), strict=True))
        self.free = list(self.tokens)
        self.newcomer, self.veteran, self.counted = (self.free.pop() for _ in range(3))
        make_veteran(self.project, users[-2])

    def take(self, n: int) -> list[str]:
        free, self.free = self.free[:n], self.free[n:]
        return free

    def check(self) -> dict[str, int]:
        """Nothing lost, doubled or short, by SQL; what was acknowledged must be what is stored."""
        from django.db.models import Count, F

        from annotation.models import Annotation, Assignment, Slot

        rows = Annotation.objects.filter(project=self.project)
        stored = {str(row) for row in rows.values_list("public_id", flat=True)}
        mine = Assignment.objects.filter(project=self.project)
        slots = Slot.objects.filter(project=self.project)
        acked = set(self.stored)
        return {
            "acknowledged": len(acked),
            "lost": len(acked - stored),
            "phantom": len(stored - acked),
            "doubled_annotations": rows.values("assignment").annotate(n=Count("pk")).filter(n__gt=1).count(),
            "doubled_people": mine.values("sample", "annotator").annotate(n=Count("pk")).filter(n__gt=1).count(),
            "doubled_slots": mine.live().values("slot").annotate(n=Count("pk")).filter(n__gt=1).count(),
            "over_quota": mine.live()
            .values("sample")
            .annotate(n=Count("pk"))
            .filter(n__gt=F("project__overlap"))
            .count(),
            "short": slots.filter(state="filled").count() - mine.filter(state="submitted").count(),
            "stuck": slots.filter(state="taken").exclude(assignments__state="claimed").count(),
        }


def make_sessions(users) -> list[str]:
    """The session cookie of each, as `name=value`, as after a sign-in."""
    from django.test import Client

    cookies = []
    for user in users:
        client = Client(SERVER_NAME="localhost")
        client.force_login(user)
        ((name, morsel),) = client.cookies.items()
        cookies.append(f"{name}={morsel.value}")
    return cookies


def make_veteran(project, person) -> None:
    """Somebody who has done everything in the front three quarters, once each; the other places are open still."""
    from django.utils import timezone

    from annotation.models import Assignment, Claim, GuidelineVersion, Slot

    slots = list(Slot.objects.filter(project=project, number=1).order_by("pk"))
    slots = slots[: int(len(slots) * VETERAN_SHARE)]
    now = timezone.now()
    claims = {}
    for slot in slots:
        if slot.group_id not in claims:
            claims[slot.group_id] = Claim(
                project=project,
                annotator=person,
                document_id=slot.document_id,
                opened_at=now,
                lease_until=now,
                closed_at=now,
            )
    Claim.objects.bulk_create(claims.values(), batch_size=1000)
    guideline = GuidelineVersion.objects.get(project=project)
    Assignment.objects.bulk_create(
        [
            Assignment(
                project=project,
                claim=claims[slot.group_id],
                slot=slot,
                sample_id=slot.sample_id,
                group_id=slot.group_id,
                annotator=person,
                state="submitted",
                guideline_version=guideline,
                assistance="minimal",
                claimed_at=now,
                finished_at=now,
            )
            for slot in slots
        ],
        batch_size=1000,
    )
    Slot.objects.filter(pk__in=[slot.pk for slot in slots]).update(state="filled")


def count_queries(world: World) -> dict[str, int]:
    """Statements per call without BEGIN and COMMIT, by Django's own log, in this process."""
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    client = Client(SERVER_NAME="localhost", headers={"Authorization": f"Token {world.counted}"})
    claim = f"/api/v1/projects/{world.slug}/assignments/claim/"
    fields: dict[str, int] = {}

    def counted(name: str, path: str, method: str = "post", **options) -> dict:
        with CaptureQueriesContext(connection) as log:
            answer = getattr(client, method)(path, content_type="application/json", **options)
        if answer.status_code not in (200, 201):
            raise SystemExit(f"{path} answered {answer.status_code}: {answer.content[:300]!r}")
        plain = [row for row in log.captured_queries if not row["sql"].startswith(("BEGIN", "COMMIT"))]
        fields[name] = max(fields.get(name, 0), len(plain))
        return answer.json()

    from benchmarks.annotators import PAYLOAD
    from benchmarks.drafting import PASTES

    counts = {"page": "bench", "typed": 40, "deleted": 2, "bursts": 1, "longest_burst": 40, "pastes": PASTES}
    for turn in range(6):
        task = counted("claim, new" if turn % 2 == 0 else "claim, live", claim)
        draft = {"revision": 0, "payload": {"summary": "Half."}, "step": "write", "authorship": counts}
        counted("draft", f"/api/v1/assignments/{task['id']}/draft/", method="put", data=draft)
        counted("heartbeat", f"/api/v1/assignments/{task['id']}/heartbeat/", data={"step": "mark"})
        path = f"/api/v1/assignments/{task['id']}/submit/"
        result = counted("submit", path, data={"payload": PAYLOAD}, headers={"Idempotency-Key": f"k{turn}"})
        world.stored.append(result["id"])
    return fields


@contextlib.contextmanager
def serving(application="epitome.site.wsgi"):
    """gunicorn on a free port, until the block ends; yields the port and the process id."""
    from django.db import connections

    connections.close_all()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    env = {**os.environ, "EPITOME_BIND": f"127.0.0.1:{port}"}
    command = [sys.executable, "-m", "gunicorn", "-c", "epitome/site/gunicorn_conf.py", application]
    server = subprocess.Popen(command, cwd=ROOT, env=env)
    try:
        for _try in range(100):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            time.sleep(0.2)
        yield port, server.pid
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(STOP_SECONDS)


def memory(pid: int) -> float:
    """MB of the server and its workers, shared pages counted once (proportional set size)."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    total = 0
    for item in [str(pid), *children]:
        for line in Path(f"/proc/{item}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1])
    return round(total / 1024, 1)


def cpu_seconds(pid: int) -> float:
    """Processor time of the server and its workers."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    ticks = 0
    for item in [str(pid), *children]:
        after_name = Path(f"/proc/{item}/stat").read_text().rpartition(")")[2].split()
        ticks += int(after_name[11]) + int(after_name[12])
    return ticks / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def worker_beside(wanted: bool):
    """A worker that looks for jobs as in a real installation, until the block ends."""
    if not wanted:
        yield
        return
    worker = subprocess.Popen([sys.executable, "manage.py", "worker"], cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        wait_for_quiet()
        yield
    finally:
        worker.send_signal(signal.SIGTERM)
        worker.wait(60)


def wait_for_quiet(seconds: int = 180) -> None:
    """Until the worker has done what the new project gave it to do: tokens to count."""
    from django.db import connections

    from annotation.models import Job, JobState

    time.sleep(20)  # it starts, and sweeps once
    for _second in range(seconds):
        if not Job.objects.filter(state__in=JobState.UNDER_WAY).exists():
            break
        time.sleep(1)
    connections.close_all()


def database_cpu_seconds() -> float:
    """Processor time of all processes of a PostgreSQL server on this machine; 0 without one."""
    ticks = 0
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            name, _, after_name = (entry / "stat").read_text().rpartition(")")
            if name.endswith("(postgres"):
                fields = after_name.split()
                ticks += sum(int(value) for value in fields[11:13])
    return ticks / os.sysconf("SC_CLK_TCK")


def load_with_drafts(port: int, world: World, people: int, server: int, args: argparse.Namespace) -> dict:
    from benchmarks import drafting

    paced = people >= PACED
    state_before = cpu_seconds(server)
    tasks = args.tasks or DRAFT_TASKS.get(people, 20 * people)
    seconds, seen = drafting.run(port, world.take(people), world.slug, tasks, paced=paced)
    world.stored += seen.stored
    every = [call for name in drafting.CALLS for call in seen.calls[name]]
    return {
        "samples": world.samples,
        "annotators": people,
        "paced": paced,
        "tasks": len(seen.stored),
        "tasks_per_s": round(len(seen.stored) / seconds, 1),
        "requests_per_s": round(len(every) / seconds, 1),
        "request_ms": spread(every),
        **{f"{name}_ms": spread(seen.calls[name]) for name in drafting.CALLS},
        "server_cpu_ms_per_task": round(1000 * (cpu_seconds(server) - state_before) / max(1, len(seen.stored)), 1),
        "waits": seen.waits,
        "locked": seen.locked,
        "errors": len(seen.errors),
        "first_errors": seen.errors[:3],
    }


def load(port: int, world: World, people: int, server: int, args: argparse.Namespace) -> dict:
    from benchmarks import annotators

    tasks = args.tasks or TASKS.get(people, 100 * people)
    state_before, database_before = cpu_seconds(server), database_cpu_seconds()
    tokens = world.take(people)
    credentials = [world.sessions[token] for token in tokens] if args.way == "browser" else tokens
    seconds, seen = annotators.run(port, credentials, world.slug, tasks, way=args.way)
    world.stored += seen.stored
    return {
        "samples": world.samples,
        "annotators": people,
        "tasks": len(seen.stored),
        "tasks_per_s": round(len(seen.stored) / seconds, 1),
        "task_ms": spread(seen.tasks),
        "claim_ms": spread(seen.fresh + seen.again),
        "submit_ms": spread(seen.submits),
        "server_cpu_ms_per_task": round(1000 * (cpu_seconds(server) - state_before) / max(1, len(seen.stored)), 1),
        "database_cpu_ms_per_task": round(
            1000 * (database_cpu_seconds() - database_before) / max(1, len(seen.stored)), 1
        ),
        "waits": seen.waits,
        "errors": len(seen.errors),
        "first_errors": seen.errors[:3],
    }


def next_task(port: int, worlds: list[World]) -> dict[str, dict[str, float]]:
    """Median milliseconds of a fresh claim for somebody new and for one who has done the whole front, with the projects
    taken in turns, so that whatever else the machine does falls on all of them alike."""
    from benchmarks.annotators import Connection, Tally, one_task

    links = {
        (world, who): (Connection(port, getattr(world, who)), Tally())
        for world in worlds
        for who in ("newcomer", "veteran")
    }
    for _turn in range(NEXT_TASKS):
        for (world, _who), (link, tally) in links.items():
            one_task(link, world.slug, tally)
    fields: dict[str, dict[str, float]] = {}
    for (world, who), (_link, tally) in links.items():
        world.stored += tally.stored
        fields.setdefault(str(world.samples), {})[who] = round(1000 * statistics.median(tally.fresh), 2)
    return fields


def spread(seconds: list[float]) -> dict[str, float]:
    if not seconds:
        return {"p50": 0.0, "p95": 0.0, "max": 0.0}
    ordered = sorted(seconds)
    at = {"p50": 0.5, "p95": 0.95}
    by_key = {
        name: round(1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))], 1) for name, share in at.items()
    }
    return {**by_key, "max": round(1000 * ordered[-1], 1)}


def show(found: dict) -> None:
    print(f"\n{found['engine']}  settings {found['settings']}, load average {found['load_average']:.1f}")
    print(f"queries {found['queries']}  memory idle {found['idle_mb']} MB, after {found['loaded_mb']} MB")
    print(
        "samples  people   tasks  tasks/s | task p50   p95   max | claim p50   p95 | submit p50   p95"
        " | cpu ms server, database | errors"
    )
    for run in found["runs"]:
        task, claim, submit = run["task_ms"], run["claim_ms"], run["submit_ms"]
        print(
            f"{run['samples']:7} {run['annotators']:7} {run['tasks']:7} {run['tasks_per_s']:8} |"
            f" {task['p50']:8} {task['p95']:5} {task['max']:5} | {claim['p50']:9} {claim['p95']:5} |"
            f" {submit['p50']:10} {submit['p95']:5} | {run['server_cpu_ms_per_task']:6},"
            f" {run['database_cpu_ms_per_task']:6} | {run['errors']:6}"
        )
    print(f"next task, median ms: {found['next_task_ms']}; ratio {found['next_task_ratio']}")
    print(f"checks: {found['checks']}")


if __name__ == "__main__":
    main()

"""Every kind of job is killed: python -m benchmarks.killing_jobs [--engine sqlite|postgresql] [--points 50] [--quick]
[--only NAME ...] [--fault kill|cut|full|flush] [--plant twice|lost|orphan] [--seed 1]

For each scenario (benchmarks/job_scenarios.py; there is one for every kind of job at least) a worker does the job
undisturbed, and counts its points: before and after every statement and commit, and every call to the file system below
the data folder. Then, at so many of them, drawn by the seed and as many of each sort, the fault comes. `kill`: the
worker is ended with SIGKILL, every other time with all processes that it started. `cut`: PostgreSQL ends every
connection. `full`: no file grows any more, until the job's next attempt. `flush`: a Celery worker on a Redis of its own
does the job, while Redis is emptied again and again. A second worker tries the job at once, which
the lease must prevent; then the leases are let run out, the sweepers run, and it takes the job up.

In the end every table and file is compared with those of the undisturbed job, but for ids, times and attempts; nothing
may be under way, leased or left behind, neither files (once the sweepers have run a day later) nor processes. Prints a
table on the standard error and one JSON line per engine; exit status 1 if anything differs. --plant plants a fault
that must be found: `twice`, leases are not looked at; `lost`, the next worker ends the job without its work; `orphan`,
an attempt leaves a file. --quick: an import of 500 sources instead of 20,000, and 6 points."""

import argparse
import contextlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.databases import engines, own_database
from benchmarks.job_rooms import (
    CUTS,
    FLUSHES,
    FULL,
    KILLS,
    Ended,
    Point,
    Points,
    Room,
    fork,
    serve_job,
    wait_for_session,
)
from benchmarks.killing_runs import own_redis

ROOT = Path(__file__).resolve().parent.parent
PLANTS = ("twice", "lost", "orphan")
EMPTY, START = "empty", "start"
QUICK_POINTS = 6
HEADER = "job                      points | ended as                 | differing orphans two owners leased temporary"
MOST_ROUNDS = 12
"""Attempts that a job may take to end; a bound, not a measurement."""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", choices=["sqlite", "postgresql"])
    parser.add_argument("--points", type=int)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--fault", choices=[KILLS, CUTS, FULL, FLUSHES], default=KILLS)
    parser.add_argument("--plant", choices=PLANTS)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    args.points = args.points or (QUICK_POINTS if args.quick else 50)
    right = True
    for engine in [args.engine] if args.engine else engines():
        if args.fault == CUTS and engine == "sqlite":
            continue  # no server whose connections could be cut
        with (
            tempfile.TemporaryDirectory() as folder,
            own_database(engine, Path(folder)) as url,
            own_redis(args.fault == FLUSHES) as redis,
        ):
            redis_url = redis.url if redis is not None else ""
            env = {
                **os.environ,
                "DATABASE_URL": url,
                "EPITOME_DATA_DIR": f"{folder}/data",
                "EPITOME_FAKE_SYSTEMS": "1",
                "EPITOME_DB_POOL": "0",
                "EPITOME_JOB_LEASE_SECONDS": "60",
                "EPITOME_JOB_POLL_SECONDS": "1",
                "EPITOME_BROKER_URL": redis_url,
                "EPITOME_LOG_LEVEL": "CRITICAL",
                "DJANGO_SETTINGS_MODULE": "benchmarks.killing_settings",
                "KILLING_JOBS": json.dumps({**vars(args), "engine": engine, "folder": folder, "redis": redis_url}),
            }
            command = [sys.executable, "-c", "import sys; from benchmarks.killing_jobs import one; sys.exit(one())"]
            right = subprocess.run(command, env=env, cwd=ROOT, check=False).returncode == 0 and right
    return 0 if right else 1


@dataclass
class Outcome:
    """What the points of one scenario came to."""

    name: str
    sorts: Counter[str] = field(default_factory=Counter)
    ended: Counter[str] = field(default_factory=Counter)
    differing: list[str] = field(default_factory=list)
    orphans: int = 0
    two_owners: int = 0
    leased: int = 0
    temporary: int = 0
    counted: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    @property
    def is_right(self) -> bool:
        return not (self.differing or self.orphans or self.two_owners or self.leased)

    def line(self) -> str:
        ended = ", ".join(f"{state} {n}" for state, n in sorted(self.ended.items()))
        counted = ", ".join(f"{what} {n}" for what, n in sorted(self.counted.items()))
        return (
            f"{self.name:24} {self.sorts.total():6} | {ended:24} | {len(self.differing):9} {self.orphans:7}"
            f" {self.two_owners:10} {self.leased:6} {self.temporary:9} | {self.seconds:6.0f} s {counted}"
        )


def one() -> int:
    """One engine, in a process of its own with the environment set."""
    import django

    django.setup()
    from benchmarks.job_scenarios import list_scenarios

    options = json.loads(os.environ["KILLING_JOBS"])
    room = Room(options["engine"], os.environ["DATABASE_URL"], Path(options["folder"]))
    room.data.mkdir(parents=True, exist_ok=True)
    room.temporary.mkdir(exist_ok=True)
    outcomes = []
    say(f"{options['engine']}, {options['fault']}, seed {options['seed']}, plant {options['plant']}")
    say(HEADER)
    try:
        fork(migrate, room)
        room.keep(EMPTY)
        for scenario in list_scenarios(quick=options["quick"]):
            if not options["only"] or scenario.name in options["only"]:
                outcomes.append(try_scenario(scenario, room, options))
                say(outcomes[-1].line())
                for text in outcomes[-1].differing[:3]:
                    say(f"    {text[:1500]}")
    finally:
        room.close()
    line = {
        "benchmark": "killing_jobs",
        **{name: options[name] for name in ("engine", "fault", "points", "quick", "plant", "seed")},
        "jobs": len(outcomes),
        "tried": sum(outcome.sorts.total() for outcome in outcomes),
        "sorts": dict(sum((outcome.sorts for outcome in outcomes), Counter())),
        "ended": dict(sum((outcome.ended for outcome in outcomes), Counter())),
        "differing": sum(len(outcome.differing) for outcome in outcomes),
        **{name: sum(getattr(outcome, name) for outcome in outcomes) for name in ("orphans", "two_owners", "leased")},
        "seconds": round(sum(outcome.seconds for outcome in outcomes), 1),
    }
    print(json.dumps(line), flush=True)
    return 0 if all(outcome.is_right for outcome in outcomes) and outcomes else 1


def say(text: str) -> None:
    """A line of the table, beside the result."""
    print(text, file=sys.stderr, flush=True)


def migrate() -> None:
    from django.core.management import call_command

    call_command("migrate", verbosity=0, run_syncdb=True)


def try_scenario(scenario: Any, room: Room, options: dict[str, Any]) -> Outcome:
    outcome = Outcome(scenario.name)
    begun = time.monotonic()
    with scenario.open() as place:
        try:
            room.restore(EMPTY)
            _signal, made, _pid = fork(lambda: scenario.make(place), room)
            job_id, kept = made if isinstance(made, tuple) else (made, None)
            place.restore(kept)
            room.keep(START)
            attempt = Attempts(scenario, place, room, job_id, options)
            expected = attempt.undisturbed()
            attempt.draw(scenario.name)
            for number, point in enumerate(attempt.points):
                attempt.disturb(point, outcome, expected, group=number % 2 == 1)
                if len(outcome.differing) >= 5:
                    break
        except Ended as error:
            outcome.differing.append(str(error)[-1500:])
    outcome.seconds = time.monotonic() - begun
    return outcome


class Attempts:
    """One job, done again and again from the same start."""

    def __init__(self, scenario: Any, place: Any, room: Room, job_id: int, options: dict[str, Any]) -> None:
        self.scenario, self.place, self.room, self.job_id = scenario, place, room, job_id
        self.options = options
        self.counts: Counter[str] = Counter()
        self.points: list[Point] = []

    def undisturbed(self) -> dict[str, Any]:
        """What the job leaves; and how many points it has."""
        self.start()
        if self.options["fault"] == FLUSHES:
            self.counts = Counter({"while at work": self.options["points"]})
            fork(lambda: serve_job(self.scenario, self.job_id, self.options["redis"], flushes=False), self.room)
        else:
            _signal, self.counts, _pid = fork(self._work, self.room)
        _signal, state, _pid = fork(self._take_up, self.room)
        return {**state, "counted": self.place.count()}

    def start(self) -> None:
        self.room.restore(START)
        self.place.restore()

    def draw(self, name: str) -> None:
        """So many points, as many of each sort as there are; all of them where there are no more."""
        chance = random.Random(f"{self.options['seed']} {name}")
        left = {kind: chance.sample(range(1, n + 1), n) for kind, n in sorted(self.counts.items())}
        most = min(self.options["points"], self.scenario.most)
        while len(self.points) < most and any(left.values()):
            for kind, places in left.items():
                if places and len(self.points) < most:
                    self.points.append((kind, places.pop()))

    def disturb(self, point: Point, outcome: Outcome, expected: dict[str, Any], *, group: bool) -> None:
        self.start()
        if self.options["fault"] == FLUSHES:
            serve = lambda: serve_job(self.scenario, self.job_id, self.options["redis"], flushes=True)  # noqa: E731
            ended_by, n_flushes, pid = fork(serve, self.room)
            outcome.counted["flushes"] += n_flushes
        else:
            ended_by, _counts, pid = fork(lambda: self._work(point, group=group), self.room)
        where = f"{point[0]} {point[1]} of {self.counts[point[0]]}"
        if self.options["fault"] == KILLS and not ended_by:
            return  # this time the job went another way, and did not come there
        outcome.sorts[point[0]] += 1
        outcome.orphans += wait_for_session(pid)
        _signal, state, taker = fork(self._take_up, self.room)
        outcome.orphans += wait_for_session(taker)
        outcome.ended[state["state"]] += 1
        outcome.two_owners += state["two_owners"]
        outcome.leased += state["leased"]
        outcome.temporary += len(list(self.room.temporary.iterdir()))
        counted = self.place.count()
        outcome.counted.update(counted)
        faults = compare_states(expected, state) + self.place.compare(expected["counted"], counted)
        if faults:
            outcome.differing.append(f"{where}: {'; '.join(faults[:4])}")

    def _work(self, point: Point | None = None, *, group: bool = False) -> Counter[str]:
        """The job, by a worker that may not come to its end."""
        from annotation.jobs import run_job

        points = Points((self.room.data,), point, self.options["fault"], group=group)
        with self.scenario.around(), planted(self.options["plant"], self.room, is_first=True):
            points.watch()
            try:
                run_job(self.job_id)
            except Exception:  # a fault other than a kill may break the worker: what it leaves is looked at
                if self.options["fault"] == KILLS:
                    raise
        points.is_counting = False
        return points.counts

    def _take_up(self) -> dict[str, Any]:
        """The job, by the next worker; what is there in the end."""
        from annotation.jobs import run_job, run_sweepers
        from annotation.models import Job

        with self.scenario.around(), planted(self.options["plant"], self.room, is_first=False):
            before = Job.objects.get(pk=self.job_id)
            two_owners = int(run_job(self.job_id) and before.state == "running")
            for _round in range(MOST_ROUNDS):
                let_leases_run_out()
                run_sweepers()
                for job in self.scenario.jobs_to_do(self.job_id):
                    run_job(job)
                if self.scenario.is_settled(self.job_id):
                    break
            age_files(self.room.data)
            run_sweepers()
            # What is queued by itself once data have come to rest depends on when it is looked at.
            Job.objects.under_way().filter(arguments__automatic=True).exclude(pk=self.job_id).delete()
            return {"two_owners": two_owners, **describe_all(self.scenario, self.room, self.job_id)}


@contextlib.contextmanager
def planted(plant: str | None, room: Room, *, is_first: bool) -> Iterator[None]:
    """A fault in the place of what protects from it, for the rest of this process. is_first: whether this worker meets
    the point at which it ends."""
    if plant == "twice":
        from annotation.models import JobState
        from annotation.models.jobs import JobQuerySet

        under_way = JobState.UNDER_WAY
        JobQuerySet.claimable = lambda rows, _now: rows.filter(state__in=under_way)  # type: ignore[method-assign]
    if plant == "lost" and not is_first:
        from annotation.jobs import HANDLERS

        for handler in HANDLERS:
            object.__setattr__(handler, "work", lambda _job, _progress: {})
    if plant == "orphan":
        (room.data / f"left-{os.getpid()}.part").write_text("half")
    yield


def let_leases_run_out() -> None:
    """As if so long had passed: every lease is over, and what waits to be tried again is due."""
    from datetime import timedelta

    from django.apps import apps
    from django.utils import timezone

    from annotation.models import Job, WebhookDelivery
    from annotation.models.leased_work import LeasedWork

    past = timezone.now() - timedelta(days=2)
    for model in apps.get_models():
        if issubclass(model, LeasedWork):
            model._base_manager.exclude(lease_until=None).update(lease_until=past)
    Job.objects.under_way().exclude(started_at=None).update(started_at=past)
    WebhookDelivery.objects.filter(due_at__gt=past).update(due_at=past)


def age_files(folder: Path) -> None:
    """As if days had passed: what killed processes left is swept when it is a day old."""
    past = time.time() - 2 * 24 * 3600
    for path in folder.rglob("*"):
        with contextlib.suppress(FileNotFoundError):
            os.utime(path, (past, past))


def describe_all(scenario: Any, room: Room, job_id: int) -> dict[str, Any]:
    from django.apps import apps

    from annotation.models import Job
    from annotation.models.leased_work import LeasedWork
    from benchmarks.job_states import Tables, describe_files

    rows, shown = Tables(scenario.left_out, scenario.noted_again).describe()
    leased = sum(
        model._base_manager.filter(state=model.work_states.leased).count()
        for model in apps.get_models()
        if issubclass(model, LeasedWork) and model is not Job
    )
    own = Job.objects.filter(pk=job_id)
    return {
        "state": own.values_list("state", flat=True).first() or "replaced",
        "leased": leased + own.under_way().count(),
        "rows": rows,
        "shown": shown,
        "files": describe_files(room.data),
    }


def compare_states(expected: dict[str, Any], found: dict[str, Any]) -> list[str]:
    from benchmarks.job_states import compare

    return compare(expected, found)


if __name__ == "__main__":
    sys.exit(main())

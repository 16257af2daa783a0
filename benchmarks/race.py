"""Everybody at once: python -m benchmarks.race [--people 32] [--samples 2000] [--overlap 3] [--chaos]
[--choose] [--seeds 1]

Simultaneous annotators claim and submit through the services, in several processes with several threads each, on a
database of their own (SQLite, and PostgreSQL where EPITOME_TEST_DATABASE_URL names a server), until nothing is left.
With --chaos they also skip, give back, let leases run out and hand in late. Then SQL counts what is doubled or short;
places that nobody left can fill must be listed. With --choose topics are to be chosen first, and a refused choice is a
fault. At last 50 equal submits race for one row. One JSON line per run; exit
status 1 if anything is wrong.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from benchmarks.databases import engines, migrate, own_database

ROOT = Path(__file__).resolve().parent.parent
DJANGO = {"DJANGO_SETTINGS_MODULE": "epitome.site.settings"}
CHAOS = 0.06  # of each: skipping, giving back, vanishing


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", choices=["sqlite", "postgresql"])
    parser.add_argument("--people", type=int, default=32)
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--overlap", type=int, default=3)
    parser.add_argument("--unit", default="group")
    parser.add_argument("--kind", choices=["summary", "aggregation"], default="summary")
    parser.add_argument("--chaos", action="store_true")
    parser.add_argument("--choose", action="store_true")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--part", nargs=3, type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.part:
        part(*args.part, chaos=args.chaos)
        return 0
    right = True
    for engine in [args.engine] if args.engine else engines():
        for seed in range(args.seeds):
            with tempfile.TemporaryDirectory() as folder, own_database(engine, Path(folder)) as url:
                changed = {"DATABASE_URL": url, "EPITOME_DATA_DIR": folder, "EPITOME_DB_POOL": "0"}
                command = [sys.executable, "-c", "from benchmarks.race import one; one()"]
                result = json.dumps({**vars(args), "engine": engine, "seed": seed})
                completed = subprocess.run(
                    command, cwd=ROOT, env={**os.environ, **changed, "RACE": result, **DJANGO}, check=False
                )
                right = right and completed.returncode == 0
    return 0 if right else 1


def one() -> None:
    """One engine and seed, in a process of its own."""
    import django

    django.setup()
    from django.db import connections

    from benchmarks.checking import faults
    from tests.tasks.factories import make_people, make_project

    data = json.loads(os.environ["RACE"])
    migrate()
    project = make_project(
        "race",
        documents=max(1, data["samples"] // 8),
        groups=4,
        size=2,
        overlap=data["overlap"],
        frozen=not data["choose"],
        claim_unit=data["unit"],
        kind=data["kind"],
    )
    make_people(data["people"], project)
    connections.close_all()
    start = time.perf_counter()
    children = [
        subprocess.Popen(
            [
                *(sys.executable, "-m", "benchmarks.race", "--part"),
                *(str(data["seed"]), str(number), str(data["processes"])),
                *(["--chaos"] if data["chaos"] else []),
            ],
            cwd=ROOT,
        )
        for number in range(data["processes"])
    ]
    failed = sum(child.wait() != 0 for child in children)
    seconds = time.perf_counter() - start
    fields = {
        **faults(project),
        **shortage(project),
        **refused_choices(project),
        "failed_processes": failed,
        **equal_submits(data["kind"]),
    }
    counted = {key: fields.pop(key) for key in ("filled", "listed", "surplus", "choices", "rows", "answers")}
    wrong = {name: n for name, n in fields.items() if n}
    names = ("engine", "kind", "people", "samples", "overlap", "unit", "chaos", "choose", "seed")
    line = {"benchmark": "race", **{name: data[name] for name in names}, "seconds": round(seconds, 1)}
    print(json.dumps({**line, **counted, "faults": fields}), flush=True)
    sys.exit(1 if wrong or counted["rows"] != 1 or counted["answers"] != 1 else 0)


def shortage(project) -> dict[str, int]:
    """Slots that are neither filled nor listed as out of everybody's reach."""
    from annotation.models import Annotation, Slot
    from annotation.services.tasks import assignments

    slots = Slot.objects.filter(project=project)
    filled = slots.filter(state="filled").count()
    listed = sum(row.places - row.people for row in assignments.list_unfillable(project, limit=10**6))
    surplus = Annotation.objects.filter(project=project, surplus=True).count()
    return {"filled": filled, "listed": listed, "surplus": surplus, "short": slots.count() - filled - listed}


def refused_choices(project) -> dict[str, int]:
    """How many groups were chosen for, and how many choices came second and were thrown away."""
    from annotation.models import AuditEvent, Group

    choices = Group.objects.filter(project=project, chosen_by__isnull=False).count()
    refused = AuditEvent.objects.filter(project=project, target="bench:refused-choice").count()
    return {"choices": choices, "refused_choices": refused}


def choose_topics(task) -> None:
    """Choose a topic of one's own for the group, if nobody has chosen yet; a refusal is entered in the audit log."""
    from annotation.models import AuditVerb
    from annotation.services.core import audit
    from annotation.services.core.errors import Conflict
    from annotation.services.tasks import choose

    if task.group.frozen_at is not None or not task.group.asks:
        return
    chosen = {key: [{"text": f"topic of {task.annotator_id}", "candidate": None}] for key in task.group.asks}
    try:
        choose.save_choice(assignment=task, chosen=chosen)
    except Conflict as refused:
        if refused.code == "frozen":
            audit.record_event(
                project=task.project, actor=None, verb=AuditVerb.GROUP_CHOOSE, target="bench:refused-choice"
            )


def part(seed: int, number: int, of: int, *, chaos: bool) -> None:
    """Every `of`-th annotator, each in a thread of this process."""
    import django

    django.setup()
    from annotation.models import Membership, Project

    project = Project.objects.get()
    members = Membership.objects.filter(project=project).select_related("user").order_by("user_id")
    mine = [first.user for i, first in enumerate(members) if i % of == number]
    broken: list[Exception] = []
    gate = threading.Barrier(len(mine)) if mine else None

    def run(person) -> None:
        from django.db import connections

        try:
            gate.wait()
            annotate(Project.objects.get(), person, random.Random(f"{seed}:{person.username}"), chaos)
        except Exception as error:  # told to the parent by the exit status
            broken.append(error)
            raise
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(person,)) for person in mine]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.exit(1 if broken else 0)


def annotate(project, person, rng: random.Random, chaos: bool) -> None:
    """Claim and submit until nothing is left for this person."""
    from annotation.models import Claim
    from annotation.services.core.errors import Conflict
    from annotation.services.tasks import claim, leases, skip, submit
    from tests.tasks.factories import payload_of

    late = []
    while True:
        next_ = claim.claim_next(project=project, annotator=person)
        task = next_.assignment
        if task is None:
            if next_.reason == "leased":
                time.sleep(0.02)
                continue
            break
        choose_topics(task)
        fate = rng.random() / CHAOS if chaos else 9.0
        if fate < 1:
            skip.skip_task(assignment=task, reason="other")
        elif fate < 2:
            leases.release_task(assignment=task, whole_unit=rng.random() < 0.5)
            chaos = rng.random() < 0.99  # whoever gave back everything may get it all back for ever
        elif fate < 3:
            Claim.objects.filter(pk=task.claim_id).update(lease_until="2020-01-01T00:00:00Z")
            leases.expire_leases()
            late.append(task)
        else:
            key = f"{person.pk}-{task.pk}"
            submit.submit_task(assignment=task, payload=payload_of(project.kind), idempotency_key=key)
        if late and rng.random() < 0.3:
            task = late.pop()
            try:
                late_payload = payload_of(project.kind)
                submit.submit_task(assignment=task, payload=late_payload, idempotency_key=f"late-{task.pk}")
            except Conflict:
                pass  # it had been taken up again and finished


def equal_submits(kind: str, n: int = 50) -> dict[str, int]:
    """One task, the same submit n times at once: rows stored and different answers."""
    from django.db import connections

    from annotation.models import Annotation
    from annotation.services.tasks import assignments, claim, submit
    from tests.tasks.factories import make_people, make_project, payload_of

    project = make_project("equal", documents=1, groups=1, size=1, frozen=True, kind=kind)
    (person,) = make_people(1, project, start=10_000)
    task = claim.claim_next(project=project, annotator=person).assignment
    gate = threading.Barrier(n)
    answers: list[str] = []

    def send() -> None:
        try:
            own_assignment = assignments.get_own_assignment(person, task.public_id)
            gate.wait()
            other_task = submit.submit_task(assignment=own_assignment, payload=payload_of(kind), idempotency_key="same")
            answers.append(json.dumps([other_task.status, other_task.body]))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=send) for _ in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rows = Annotation.objects.filter(project=project).count()
    return {"rows": rows, "answers": len(set(answers)), "unanswered": n - len(answers)}


if __name__ == "__main__":
    sys.exit(main())

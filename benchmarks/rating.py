"""Raters over HTTP: python -m benchmarks.rating [--engine sqlite|postgresql] [--items 5000] [--raters 32] [--pause 1.0]

Makes a database of its own (SQLite file; PostgreSQL where EPITOME_TEST_DATABASE_URL names a server), a project of
800-word sources with a human summary each, and a round over all of them with three ratings per item. Starts gunicorn
with the production settings (2 workers, 4 threads each). Distinct raters claim and answer with tokens over kept
connections from this machine until nothing is left, each pausing --pause seconds between items (0: as fast as they
can); an answer brings the next item with it. Then checks with SQL that no item was rated twice by one rater, and none
more or less often than asked. Prints one JSON line per engine; web_cpu_ms_per_item: processor time of the web
processes, their start included.
"""

import argparse
import json
import os
import resource
import statistics
import threading
import time
from dataclasses import dataclass, field

from benchmarks.annotators import Connection
from benchmarks.databases import SERVED, on_each, settle
from benchmarks.load import LIMITS, serving

PER_ITEM = 3
MOST_WAITS = 200


@dataclass
class Seen:
    """What one rater saw: seconds of answer + next item, and unexpected answers."""

    turns: list[float] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", choices=["sqlite", "postgresql"])
    parser.add_argument("--items", type=int, default=300)
    parser.add_argument("--raters", type=int, default=32)
    parser.add_argument("--pause", type=float, default=1.0)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        one_engine(args)
        return
    arguments = ["--items", str(args.items), "--raters", str(args.raters), "--pause", str(args.pause)]
    on_each("benchmarks.rating", args.engine, arguments, **SERVED)


def one_engine(args: argparse.Namespace) -> None:
    """In a process of its own, with the environment set: build, serve, rate, check, print."""
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    start = time.perf_counter()
    round_id, tokens = build(args.items, args.raters)
    settle()
    fields = {
        "benchmark": "rating",
        "engine": args.engine,
        "settings": {name: os.environ.get(name, "") for name in LIMITS},
        "items": args.items,
        "raters": args.raters,
        "pause": args.pause,
        "build_s": round(time.perf_counter() - start, 1),
        "load_average": os.getloadavg()[0],
    }
    state_before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with serving() as (port, _server):
        took, seen = run(port, tokens, round_id, args.pause)
    state_after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = state_after.ru_utime + state_after.ru_stime - state_before.ru_utime - state_before.ru_stime
    turns = sorted(turn for item in seen for turn in item.turns)
    fields |= {
        "seconds": round(took, 1),
        "turns": len(turns),
        "per_second": round(len(turns) / took, 1),
        "p50_ms": round(1000 * statistics.median(turns), 1),
        "p95_ms": round(1000 * turns[int(0.95 * len(turns))], 1),
        "web_cpu_ms_per_item": round(1000 * spent / len(turns), 1),
        "errors": [error for item in seen for error in item.errors][:5],
        **check(args.items, sum(len(item.items) for item in seen)),
    }
    print(json.dumps(fields))


def build(items: int, raters: int) -> tuple[str, list[str]]:
    """A launched round whose raters have read the instructions; its id and a token for each rater."""
    from django.utils import timezone

    from annotation.models import Annotation, Role, Sample
    from evaluation.models import RaterReading
    from evaluation.services.rounds import instructions as round_instructions
    from evaluation.services.rounds import launch as round_launch
    from tests.rounds.factories import config
    from tests.tasks.factories import make_people, make_project, make_tokens

    project = make_project("bench", documents=items, groups=1, size=1, overlap=1, frozen=True, n_words=800, topics=1)
    now = timezone.now()
    Annotation.objects.bulk_create(
        (
            Annotation(
                project=project,
                sample=sample,
                origin="import",
                payload={"summary": f"The night ferry left late, number {sample.pk}. " * 3},
                schema_version=project.schema_version,
                created_at=now,
            )
            for sample in Sample.objects.filter(project=project)
        ),
        batch_size=1000,
    )
    people = make_people(raters, project, Role.RATER)
    draft = round_launch.make_draft(project=project, text=config(n_raters=PER_ITEM, n=items), by=None)
    round_launch.launch_round(round_=draft, by=None)
    result = round_instructions.instructions_hash(draft)
    RaterReading.objects.bulk_create(
        RaterReading(round=draft, rater=item, instructions_hash=result, read_at=now) for item in people
    )
    return str(draft.public_id), make_tokens(people)


def run(port: int, tokens: list[str], round_id: str, pause: float) -> tuple[float, list[Seen]]:
    gate = threading.Barrier(len(tokens) + 1)
    seen = [Seen() for _token in tokens]
    threads = [
        threading.Thread(target=rate, args=(port, token, round_id, pause, number, gate, item), daemon=True)
        for number, (token, item) in enumerate(zip(tokens, seen, strict=True))
    ]
    for thread in threads:
        thread.start()
    gate.wait()
    start = time.perf_counter()
    for thread in threads:
        thread.join()
    return time.perf_counter() - start, seen


def rate(port: int, token: str, round_id: str, pause: float, number: int, gate: threading.Barrier, seen: Seen) -> None:
    """Claim, then answer and claim the next one until there is none."""
    link = Connection(port, token)
    gate.wait()
    time.sleep(pause * number / 32)  # people do not press their keys in step
    item, _took = claim(link, round_id, seen)
    while item is not None:
        time.sleep(pause)
        answers = {question["key"]: {"answer": question["options"][0]["value"]} for question in item["questions"]}
        sent = json.dumps({"payload": {"answers": answers}, "done": True, "next": "item"}).encode()
        start = time.perf_counter()
        status, _headers, body = link.call("POST", f"items/{item['id']}/judgements/", sent)
        took = time.perf_counter() - start
        data = json.loads(body)
        if status == 200:
            seen.items.append(item["id"])
        else:
            seen.errors.append(f"answer {status}: {body[:200]!r}")
        item = data.get("next")
        if item is not None:
            seen.turns.append(took)
        elif data.get("reason", "busy") in ("leased", "busy"):
            item, _took = claim(link, round_id, seen)


def claim(link: Connection, round_id: str, seen: Seen) -> tuple[dict | None, float]:
    """The next item and how long its call took; None when there is none for this rater any more."""
    for _look in range(MOST_WAITS):
        start = time.perf_counter()
        status, headers, body = link.call("POST", f"rounds/{round_id}/items/claim/")
        took = time.perf_counter() - start
        if status in (200, 201):
            return json.loads(body), took
        if status != 204:
            seen.errors.append(f"claim {status}: {body[:200]!r}")
        elif headers.get("x-reason") != "leased":
            return None, took
        time.sleep(0.05)
    return None, 0.0


def check(items: int, acked: int) -> dict[str, int]:
    """doubled: one rater twice on an item, or more ratings than asked. short: places not filled. lost: acknowledged and
    not stored."""
    from django.db.models import Count

    from evaluation.models import ItemAssignment, Judgement, RatingSlot

    item_assignments = ItemAssignment.objects.filter(state="done")
    twice = item_assignments.values("item", "rater").annotate(n=Count("pk")).filter(n__gt=1).count()
    over = item_assignments.values("item").annotate(n=Count("pk")).filter(n__gt=PER_ITEM).count()
    halves = item_assignments.annotate(n=Count("judgements")).exclude(n=3).count()
    return {
        "doubled": twice + over,
        "short": PER_ITEM * items - RatingSlot.objects.filter(state="filled").count(),
        "lost": acked - item_assignments.count(),
        "half_answered": halves,
        "judgements": Judgement.objects.count(),
    }


if __name__ == "__main__":
    main()

"""The report of a large round: python -m benchmarks.report [--engine sqlite|postgresql] [--judgements 100000]

Makes a database of its own (SQLite file; PostgreSQL where EPITOME_TEST_DATABASE_URL names a server) and an unblinded
round of three systems in two domains, every item rated by eight people, whose answers are drawn from a fixed seed.
Runs the job of its report with 1,000 bootstrap replicates, then asks for the page of the stored report. Prints one JSON
line per engine: seconds of the job (by the clock and of the processor), milliseconds (the same two) and queries of the
page.
"""

import argparse
import json
import os
import statistics
import time
from pathlib import Path

from benchmarks.databases import on_each, settle

ROOT = Path(__file__).resolve().parent.parent
RATERS = 8
SYSTEMS = ("lead", "other")
PER_ITEM = RATERS * 3  # three questions
LOOKS = 20


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", choices=["sqlite", "postgresql"])
    parser.add_argument("--judgements", type=int, default=100_000)
    parser.add_argument("--profile", action="store_true", help="print what the job spends its time on")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        one_engine(args)
        return
    arguments = ["--judgements", str(args.judgements)] + ["--profile"] * args.profile
    on_each("benchmarks.report", args.engine, arguments)


def one_engine(args: argparse.Namespace) -> None:
    """In a process of its own, with the environment set: build, run the job, look at the page, print."""
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    round_ = build(args.judgements)
    settle()
    if args.profile:
        profile(round_)
    fields = {"benchmark": "report", "engine": args.engine, "judgements": round_.judgements.count()}
    print(json.dumps({**fields, "load_average": os.getloadavg()[0], **job(round_), **page(round_)}))


def build(judgements: int):  # type: ignore[no-untyped-def]
    """An unblinded round with about so many judgements."""
    from evaluation.models import Item
    from evaluation.services.rounds import launch as round_launch
    from tests.rounds.factories import config, make_run, project_with_gold, raters_of

    n = judgements // PER_ITEM // (1 + len(SYSTEMS)) + 1
    project = project_with_gold("bench", documents=n // 2 + 1, n_words=200)
    for key in SYSTEMS:
        make_run(project, key)
    raters = raters_of(project, RATERS)
    more = "\n".join(f'[[target]]\nsystem = "{key}"' for key in SYSTEMS)
    draft = round_launch.make_draft(project=project, text=config(n_raters=RATERS, n=n, more=more), by=None)
    round_launch.launch_round(round_=draft, by=None)
    Item.objects.filter(round=draft, document_id__in=project.documents.values("pk")[: n // 4]).update(domain="dialogue")
    answer(draft, raters)
    return draft


def answer(round_, raters) -> None:  # type: ignore[no-untyped-def]
    """Every rater answers every item; how often yes depends on the system, the item and the rater."""
    import random
    import uuid

    from django.utils import timezone

    from evaluation.models import Item, ItemAssignment, Judgement, RatingSlot, Round

    rng, now = random.Random(7), timezone.now()
    slots: dict[int, list[int]] = {}
    for pk, item in RatingSlot.objects.filter(round=round_).order_by("number").values_list("pk", "item_id"):
        slots.setdefault(item, []).append(pk)
    items = list(Item.objects.filter(round=round_).order_by("number"))
    same = {"round": round_, "opened_at": now, "lease_until": now, "answered_at": now, "closed_at": now}
    views = ItemAssignment.objects.bulk_create(
        (
            ItemAssignment(
                public_id=uuid.uuid4(),
                item=item,
                slot_id=slots[item.pk][lane],
                document_id=item.document_id,
                rater=rater,
                state="done",
                position=place,
                active_seconds=rng.uniform(5, 60),
                **same,
            )
            for place, item in enumerate(items, 1)
            for lane, rater in enumerate(raters)
        ),
        batch_size=1000,
    )
    ease = {item.pk: rng.gauss(1.5 - len(item.targets[0]["target"]) / 5, 1) for item in items}
    bias = {rater.pk: rng.gauss(0, 0.5) for rater in raters}
    Judgement.objects.bulk_create(
        (
            Judgement(
                item_assignment=view,
                round=round_,
                item_id=view.item_id,
                rater_id=view.rater_id,
                question=question,
                answer="yes" if rng.gauss(0, 1) < ease[view.item_id] + bias[view.rater_id] else "no",
                answered_at=now,
            )
            for view in views
            for question in view.item.questions
        ),
        batch_size=2000,
    )
    RatingSlot.objects.filter(round=round_).update(state="filled")
    Round.objects.filter(pk=round_.pk).update(state="unblinded", closed_at=now, unblinded_at=now)
    round_.refresh_from_db()


def profile(round_) -> None:  # type: ignore[no-untyped-def]
    import cProfile
    import pstats

    from evaluation.services.reports import report_jobs

    watch = cProfile.Profile()
    watch.runcall(report_jobs.make_report, round_)
    pstats.Stats(watch).sort_stats("cumulative").print_stats(60)


def job(round_) -> dict[str, float]:  # type: ignore[no-untyped-def]
    from annotation.jobs import run_job
    from annotation.models import Job
    from evaluation.services.reports import report_jobs

    report = report_jobs.start_report(round_=round_, by=None)
    start, spent = time.perf_counter(), time.process_time()
    run_job(report.pk)
    took = {"job_s": round(time.perf_counter() - start, 2), "job_cpu_s": round(time.process_time() - spent, 2)}
    assert Job.objects.get(pk=report.pk).state == "done", Job.objects.get(pk=report.pk).error
    return took


def page(round_) -> dict[str, float]:  # type: ignore[no-untyped-def]
    """The median of some looks, in process, after the first."""
    from django.conf import settings
    from django.contrib.auth.models import User
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext
    from django.urls import reverse

    from annotation.models import Membership, Role

    settings.ALLOWED_HOSTS = ["testserver"]
    reader = User.objects.create(username="reader")
    Membership.objects.create(project=round_.project, user=reader, role=Role.RESEARCHER)
    client, url = Client(), reverse("round-report", args=[round_.project.slug, round_.public_id])
    client.force_login(reader)
    assert b"Share of yes, rater 8" in client.get(url).content
    took, spent = [], time.process_time()
    for _look in range(LOOKS):
        start = time.perf_counter()
        client.get(url)
        took.append(time.perf_counter() - start)
    spent = time.process_time() - spent
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(url)
    return {
        "page_ms": round(1000 * statistics.median(took), 1),
        "page_cpu_ms": round(1000 * spent / LOOKS, 1),
        "page_worst_ms": round(1000 * max(took), 1),
        "page_queries": len(queries),
        "page_kb": round(len(answer.content) / 1000),
    }


if __name__ == "__main__":
    main()

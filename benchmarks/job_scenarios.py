"""A job of every kind with what it needs, for benchmarks/killing_jobs.py: small enough to be done again and again."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from benchmarks.job_places import Place, open_pipelines
from benchmarks.scenarios_of_calls import (
    go_on_paying,
    go_on_sending,
    make_bonuses,
    make_decisions,
    make_deliveries,
    make_study,
    open_platform,
    open_receiver,
)
from benchmarks.scenarios_of_data import (
    ask_meter_again,
    make_contrastives,
    make_contrastives_import,
    make_draw,
    make_export,
    make_extra_texts,
    make_extraction,
    make_import,
    make_meter,
    make_publication,
    make_restore,
    make_scores,
    make_statistics,
    make_token_counts,
    make_tuples,
    open_hub,
)
from benchmarks.scenarios_of_systems import (
    in_a_demo,
    make_construction,
    make_example,
    make_judging,
    make_report,
    make_report_of_rounds,
    make_reset,
    make_run,
    make_run_scores,
    make_tables,
    make_training,
    open_chat,
    open_torch,
)

IMPORTED, IMPORTED_QUICKLY = 20_000, 500
Make = Callable[[Any], Any]


@dataclass(frozen=True)
class Scenario:
    """A job, and what belongs to it.

    make: makes the world and queues the job, whose id it returns. open: the place outside. around: what holds in every
    worker. follows: kinds of jobs that this one starts and that belong to it. left_out: columns that may differ.
    settle: called with the job's id where it is over: what people or the site do next; whether there is more to do.
    noted_again: events that every attempt notes that comes so far. most: points that are tried at most, where one
    attempt takes long.
    """

    name: str
    make: Make
    kind: str = ""
    open: Callable[[], AbstractContextManager[Place]] = lambda: nullcontext(Place())
    around: Callable[[], AbstractContextManager[Any]] = nullcontext
    follows: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    settle: Callable[[int], bool] = lambda _job: False
    noted_again: tuple[str, ...] = ()
    most: int = 10**6

    @property
    def job_kind(self) -> str:
        return self.kind or self.name

    def jobs_to_do(self, job_id: int) -> list[int]:
        """The job and those that follow from it, as far as they are not over."""
        from django.db.models import Q

        from annotation.models import Job

        rows = Job.objects.under_way().filter(Q(pk=job_id) | Q(kind__in=self.follows)).order_by("pk")
        return list(rows.values_list("pk", flat=True))

    def is_settled(self, job_id: int) -> bool:
        return not self.jobs_to_do(job_id) and not self.settle(job_id)


PUBLISHED = ("publication.check", "publication.write", "publication.push")
RESUMED = ("annotation.Job.result", "annotation.Job.progress_done", "annotation.Job.progress_total")
"""What a job that goes on from the middle says of its last attempt alone."""


def list_scenarios(*, quick: bool = False) -> Sequence[Scenario]:
    n_imported = IMPORTED_QUICKLY if quick else IMPORTED
    return [
        Scenario("import", lambda _place: make_import(n_imported)),
        Scenario("import: restore", make_restore, kind="import"),
        Scenario("export", make_export, noted_again=("dataset.export",)),
        Scenario("count_tokens", make_token_counts, left_out=RESUMED),
        Scenario("extract", make_extraction, left_out=RESUMED, open=open_pipelines),
        Scenario("sample", make_draw, left_out=RESUMED),
        Scenario("tuples", make_tuples, left_out=RESUMED),
        Scenario("score", make_scores, left_out=RESUMED, open=open_pipelines),
        Scenario("statistics", make_statistics, open=open_pipelines),
        Scenario("extra-texts", make_extra_texts, open=open_pipelines),
        Scenario("meter", make_meter, settle=ask_meter_again, follows=("meter",), open=open_pipelines),
        Scenario("contrastives", make_contrastives, left_out=RESUMED, open=open_pipelines),
        Scenario("contrastives-import", make_contrastives_import),
        Scenario(
            "publication-check", lambda _place: make_publication("check"), open=open_pipelines, noted_again=PUBLISHED
        ),
        Scenario("publication-write", lambda _place: make_publication("write"), noted_again=PUBLISHED),
        Scenario("publication-push", lambda _place: make_publication("push"), open=open_hub, noted_again=PUBLISHED),
        Scenario(
            "webhooks",
            make_deliveries,
            open=open_receiver,
            follows=("webhooks",),
            settle=go_on_sending,
            left_out=(*RESUMED, "annotation.WebhookDelivery.attempts"),
        ),
        Scenario("prolific_study", make_study, open=open_platform, left_out=("annotation.CrowdLink.digest",)),
        Scenario("prolific_decision", make_decisions, open=open_platform, left_out=RESUMED),
        Scenario(
            "prolific_bonus",
            make_bonuses,
            open=open_platform,
            left_out=(*RESUMED, "annotation.BonusBatch.platform_id", "annotation.AuditEvent.*"),  # every call is noted
            settle=go_on_paying,
        ),
        Scenario("run", make_run, left_out=RESUMED + MEASURED),
        Scenario("train", make_training, open=open_torch, left_out=RESUMED + MEASURED),
        Scenario("construction", make_construction, open=open_chat, left_out=RESUMED + MEASURED),
        Scenario("judge-round", make_judging, left_out=RESUMED),
        Scenario("round-report", make_report),
        Scenario("rounds-report", make_report_of_rounds),
        Scenario("run-scores", make_run_scores),
        Scenario("tables", make_tables),
        Scenario("example-reset", make_reset, around=in_a_demo, most=10),
        Scenario("example-finish", make_example, left_out=RESUMED + MEASURED, most=4),
    ]


MEASURED = (
    "modelbridge.RunMeter.*",
    "modelbridge.WarmSystem.*",
    "modelbridge.SystemOutput.attempts",
    "modelbridge.SystemOutput.worker",
    "modelbridge.SystemOutput.seconds",
    "modelbridge.SystemOutput.lease_until",
    "modelbridge.Run.meters",
    "modelbridge.Rewrite.attempts",
    "modelbridge.Rewrite.worker",
    "modelbridge.Rewrite.interrupted",
    "modelbridge.Rewrite.seconds",
)
"""Attempts and seconds of single outputs, and what each worker has measured or has in memory."""
WITHOUT_SCENARIO = {
    "example-model": "it needs weights; its steps are those of example-finish and its runs those of run"
}
"""Kinds of jobs that are not killed, and why."""

"""Reports of rounds: worked out by a job, kept in its result, shown from there; a page says when they are stale."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Count, Max
from django.utils.translation import gettext as _

from annotation.jobs import JobRefused, NoProgress, Progress, handler
from annotation.models import Job, JobState, Score
from annotation.services.errors import Conflict
from annotation.services.starting import start_job
from annotation.transactions import write
from evaluation.models import Adjudication, Judgement, MachineJudgement, Round, RoundRater, RoundState

KIND = "round-report"
VERSION = 2
UNDER_WAY = (JobState.QUEUED, JobState.RUNNING)
PARTS = 13


@dataclass(frozen=True)
class Stored:
    """The newest finished report of a round."""

    job: Job
    at: datetime | None
    version: str
    report: dict[str, Any]


def data_version(round_: Round) -> str:
    """Changes with anything a report is made of."""
    told = [
        Judgement.objects.filter(round=round_).aggregate(n=Count("pk"), last=Max("answered_at")),
        list(RoundRater.objects.filter(round=round_).order_by("pk").values_list("pk", "void", "left_at")),
        Adjudication.objects.filter(round=round_).aggregate(n=Count("pk"), last=Max("decided_at")),
        MachineJudgement.objects.filter(round=round_).count(),
        Score.objects.filter(project=round_.project).aggregate(n=Count("pk"), last=Max("pk")),
        VERSION,
    ]
    return hashlib.sha256(repr(told).encode()).hexdigest()[:24]


def readable(round_: Round) -> None:
    """A report names systems, so the round must be unblinded. Raises Conflict."""
    if round_.state != RoundState.UNBLINDED:
        raise Conflict(_("The round is blind still: its report names systems. Unblind it first."), code="blind")


def make_report(round_: Round, progress: Progress | None = None) -> dict[str, Any]:
    """The whole report as JSON values, here and now. Raises Conflict for a blind round."""
    from evaluation.reports.build import build
    from evaluation.services.adjudicating import decided_lines
    from evaluation.services.automatic_scores import pairs_of, systems_table
    from evaluation.services.report_rows import answers_of, frame_of, machine_answers

    readable(round_)
    progress = progress or NoProgress()
    progress.set(0, PARTS)
    answers = [*answers_of(round_), *machine_answers(round_)]
    frame = frame_of(round_, answers)
    progress.advance()
    automatic = systems_table(round_, frame, answers)
    pairs = pairs_of(round_, frame, answers)
    progress.advance()
    found = build(frame, answers, pairs, [automatic] if automatic else [], lambda part: progress.advance())
    return {**found.as_json(), "decisions": decided_lines(round_)}


def stored(round_: Round) -> Stored | None:
    """The newest report, or None."""
    jobs = Job.objects.filter(project=round_.project, kind=KIND, state=JobState.DONE, result__has_key="report")
    job = jobs.filter(arguments__round=round_.pk).order_by("-pk").first()
    return Stored(job, job.finished_at, job.result["version"], job.result["report"]) if job is not None else None


def under_way(round_: Round) -> Job | None:
    jobs = Job.objects.filter(project=round_.project, kind=KIND, state__in=UNDER_WAY, arguments__round=round_.pk)
    return jobs.order_by("pk").first()


def start(*, round_: Round, by: AbstractBaseUser | None) -> Job:
    """Queue the report; while a job for it waits or runs, that one. Raises Conflict for a blind round."""
    readable(round_)
    with write():
        # Whoever else starts it at this moment waits here and then finds the job.
        Round.objects.select_for_update().only("pk").get(pk=round_.pk)
        waiting = under_way(round_)
        if waiting is not None:
            return waiting
        return start_job(kind=KIND, project=round_.project, by=by, arguments={"round": round_.pk})


def _clear_older(job: Job) -> None:
    """Only the newest report is shown, so older ones are not kept."""
    older = Job.objects.filter(project=job.project, kind=KIND, state=JobState.DONE, pk__lt=job.pk)
    older.filter(arguments__round=job.arguments["round"], result__has_key="report").update(result={})


@handler(KIND, queue="text", stored=_clear_older)
def run_report(job: Job, progress: Progress) -> dict[str, Any]:
    round_ = Round.objects.filter(pk=job.arguments["round"]).select_related("project").first()
    if round_ is None:
        raise JobRefused(_("The round is gone."))
    version = data_version(round_)  # before reading: what changes meanwhile makes the result stale
    try:
        report = make_report(round_, progress)
    except Conflict as error:
        raise JobRefused(error.message) from error
    return {"version": version, "report": report}

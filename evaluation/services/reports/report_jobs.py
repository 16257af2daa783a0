"""Reports of rounds: computed by a job and stored in its result; `data_version` shows whether they are stale."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Count, Max, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.jobs import JobRefused, NoProgress, Progress, register_handler
from annotation.jobs.clock import database_now
from annotation.models import Job, JobState, Score
from annotation.services.core.errors import Conflict
from annotation.services.core.job_start import start_job
from annotation.transactions import write_transaction
from evaluation.models import Adjudication, Judgement, MachineJudgement, Round, RoundRater, RoundState
from evaluation.services.reports.example_counts import count_examples

KIND = "round-report"
VERSION = 7
PROGRESS_STEPS = 19


@dataclass(frozen=True)
class StoredReport:
    """The newest finished report of a round."""

    job: Job
    at: datetime | None
    version: str
    report: dict[str, Any]


def data_version(round_: Round) -> str:
    """A hash that changes with any data a report depends on."""
    inputs = [
        Judgement.objects.filter(round=round_).aggregate(n=Count("pk"), last=Max("answered_at")),
        list(RoundRater.objects.filter(round=round_).order_by("pk").values_list("pk", "void", "left_at")),
        Adjudication.objects.filter(round=round_).aggregate(n=Count("pk"), last=Max("decided_at")),
        MachineJudgement.objects.filter(round=round_).count(),
        count_examples(round_),
        Score.objects.filter(project=round_.project).aggregate(n=Count("pk"), last=Max("pk")),
        VERSION,
    ]
    return hashlib.sha256(repr(inputs).encode()).hexdigest()[:24]


def check_unblinded(round_: Round) -> None:
    """Raise Conflict unless the round is unblinded: a report names systems."""
    if round_.state != RoundState.UNBLINDED:
        raise Conflict(
            _("Results are still blinded, and the report names systems. Unblind the round first."), code="blind"
        )


def make_report(round_: Round, progress: Progress | None = None) -> dict[str, Any]:
    """Compute the report synchronously, as JSON values. Raises Conflict for a blind round."""
    from epitome.reports.build import build_report
    from evaluation.services.reports.adjudication import decision_lines
    from evaluation.services.reports.combined_material import load_material
    from evaluation.services.reports.report_rows import build_frame, load_answers, load_machine_answers
    from evaluation.services.runs_compared.automatic_scores import pair_scores, systems_table

    check_unblinded(round_)
    progress = progress or NoProgress()
    progress.set(0, PROGRESS_STEPS)
    answers = [*load_answers(round_), *load_machine_answers(round_)]
    frame = build_frame(round_, answers)
    progress.advance()
    automatic = systems_table(round_, frame, answers)
    pairs = pair_scores(round_, frame, answers)
    progress.advance()
    report = build_report(
        frame,
        answers,
        pairs,
        [automatic] if automatic else [],
        lambda _section: progress.advance(),
        load_material(round_),
    )
    return {**report.as_json(), "decisions": decision_lines(round_)}


def _finished_jobs(round_: Round) -> "QuerySet[Job]":
    jobs = Job.objects.done().filter(project=round_.project, kind=KIND, result__has_key="report")
    return jobs.filter(arguments__round=round_.pk)


def has_report(round_: Round) -> bool:
    """Whether there is a finished report, without reading it."""
    return _finished_jobs(round_).exists()


def stored_report(round_: Round) -> StoredReport | None:
    """The newest finished report, or None."""
    job = _finished_jobs(round_).order_by("-pk").first()
    return StoredReport(job, job.finished_at, job.result["version"], job.result["report"]) if job is not None else None


def find_running_job(round_: Round) -> Job | None:
    jobs = Job.objects.under_way().filter(project=round_.project, kind=KIND, arguments__round=round_.pk)
    return jobs.order_by("pk").first()


def start_report(*, round_: Round, by: AbstractBaseUser | None) -> Job:
    """Queue the report, or return the job that is already queued or running. Raises Conflict for a blind round."""
    check_unblinded(round_)
    with write_transaction():
        # A concurrent call waits for this lock and then finds the job.
        Round.objects.select_for_update().only("pk").get(pk=round_.pk)
        waiting = find_running_job(round_)
        if waiting is not None:
            return waiting
        return start_job(kind=KIND, project=round_.project, by=by, arguments={"round": round_.pk})


def _clear_older(job: Job) -> None:
    """Clear the results of older report jobs: only the newest report is shown."""
    older = Job.objects.done().filter(project=job.project, kind=KIND, pk__lt=job.pk)
    older.filter(arguments__round=job.arguments["round"], result__has_key="report").update(result={})


def store_report(*, round_: Round, report: dict[str, Any], version: str) -> Job:
    """Keep what a command made, as the pages keep the report of a job; version: `data_version` before it was made."""
    with write_transaction():
        now = database_now()
        job = Job.objects.create(
            kind=KIND,
            project=round_.project,
            arguments={"round": round_.pk},
            state=JobState.DONE,
            result={"version": version, "report": report},
            started_at=now,
            finished_at=now,
        )
        _clear_older(job)
        return job


@register_handler(KIND, gettext_lazy("Round report"), queue="text", stored=_clear_older, page="rounds")
def run_report(job: Job, progress: Progress) -> dict[str, Any]:
    round_ = Round.objects.filter(pk=job.arguments["round"]).select_related("project").first()
    if round_ is None:
        raise JobRefused(_("The round was deleted."))
    version = data_version(round_)  # computed before reading, so that changes made meanwhile make the result stale
    try:
        report = make_report(round_, progress)
    except Conflict as error:
        raise JobRefused(error.message) from error
    return {"version": version, "report": report}

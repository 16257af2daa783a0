"""The tables of a project's runs, computed by a job and stored in its result; pages only show what is stored.

Their words are English, like those of their files.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.jobs import JobRefused, Progress, register_handler
from annotation.models import Job, JobState, Project
from annotation.services.core.errors import Conflict
from annotation.services.core.job_start import start_job
from annotation.transactions import write_transaction
from evaluation.services.runs_compared.paper_tables import CompositionRuns, build_tables, count_steps
from evaluation.services.runs_compared.run_comparison import state_key
from modelbridge.models import Run

KIND = "tables"


@dataclass(frozen=True)
class StoredTables:
    """views: the tables as JSON values. is_current: nothing has changed since they were computed, at `computed_at`."""

    views: dict[str, Any]
    is_current: bool
    computed_at: datetime | None


def find_tables(project: Project, runs: Sequence[Run], composition: CompositionRuns | None) -> StoredTables | None:
    """The newest tables of exactly these runs; None where a job must compute them first."""
    jobs = Job.objects.done().filter(project=project, kind=KIND, arguments=_arguments(runs, composition))
    job = jobs.filter(result__has_key="views").order_by("-pk").first()
    if job is None:
        return None
    is_current = job.result["version"] == _version(project, runs, composition)
    return StoredTables(job.result["views"], is_current, job.finished_at)


def was_tried(project: Project, runs: Sequence[Run], composition: CompositionRuns | None) -> bool:
    """Whether the newest job of these runs failed or was cancelled: then no page starts it again by itself."""
    jobs = Job.objects.filter(project=project, kind=KIND, arguments=_arguments(runs, composition))
    newest = jobs.order_by("-pk").first()
    return newest is not None and newest.state in (*JobState.UNSUCCESSFUL, JobState.CANCELLED)


def find_running_job(project: Project, runs: Sequence[Run], composition: CompositionRuns | None) -> Job | None:
    jobs = Job.objects.under_way().filter(project=project, kind=KIND, arguments=_arguments(runs, composition))
    return jobs.order_by("pk").first()


def start_tables(
    *, project: Project, runs: Sequence[Run], composition: CompositionRuns | None, by: AbstractBaseUser | None
) -> Job:
    """Queue the tables, or return the job that is already queued or running."""
    with write_transaction():
        # A concurrent call waits for this lock and then finds the job.
        Project.objects.select_for_update(no_key=True).only("pk").get(pk=project.pk)
        waiting = find_running_job(project, runs, composition)
        if waiting is not None:
            return waiting
        return start_job(kind=KIND, project=project, by=by, arguments=_arguments(runs, composition))


def read_tables(
    project: Project, runs: Sequence[Run], composition: CompositionRuns | None
) -> tuple[StoredTables | None, Job | None]:
    """The stored tables and, unless they are current, the job that computes them if there is one; nothing is started.

    Raises Conflict where there is neither: code failed if the newest job failed, else notcalculated.
    """
    stored = find_tables(project, runs, composition)
    job = None if stored is not None and stored.is_current else find_running_job(project, runs, composition)
    if stored is not None or job is not None:
        return stored, job
    if was_tried(project, runs, composition):
        raise Conflict(_("The tables could not be calculated. Start the calculation again."), code="failed")
    raise Conflict(_("The tables have not been calculated yet. Start the calculation."), code="notcalculated")


def _all_runs(runs: Sequence[Run], composition: CompositionRuns | None) -> list[Run]:
    return [*runs, *([composition.together, *composition.alone.values()] if composition is not None else [])]


def _arguments(runs: Sequence[Run], composition: CompositionRuns | None) -> dict[str, Any]:
    alone = {name: run.pk for name, run in sorted(composition.alone.items())} if composition is not None else {}
    return {
        "runs": [run.pk for run in runs],
        "together": composition.together.pk if composition is not None else None,
        "alone": alone,
    }


def _version(project: Project, runs: Sequence[Run], composition: CompositionRuns | None) -> str:
    return hashlib.sha256(state_key(project, _all_runs(runs, composition)).encode()).hexdigest()[:24]


def _clear_older(job: Job) -> None:
    """Clear the results of older jobs for the same choice of runs."""
    older = Job.objects.done().filter(project=job.project, kind=KIND, pk__lt=job.pk, arguments=job.arguments)
    older.filter(result__has_key="views").update(result={})


@register_handler(KIND, gettext_lazy("Tables of runs"), queue="text", stored=_clear_older, page="project-tables")
def run_tables(job: Job, progress: Progress) -> dict[str, Any]:
    """Compute the tables of the job's runs."""
    together, alone = job.arguments["together"], job.arguments["alone"]
    keys = [*job.arguments["runs"], *([together] if together else []), *alone.values()]
    by_key = Run.objects.select_related("revision__system").in_bulk(keys)
    project = job.project
    if project is None or len(by_key) != len(set(keys)):
        raise JobRefused(_("A run was deleted."))
    runs = [by_key[key] for key in job.arguments["runs"]]
    composition = (
        CompositionRuns(by_key[together], {name: by_key[key] for name, key in alone.items()}) if together else None
    )
    progress.set(0, count_steps(runs, composition))
    version = _version(project, runs, composition)
    return {"version": version, "views": build_tables(project, runs, composition, progress.advance)}

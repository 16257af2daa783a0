"""The table of scores of some runs, computed by a job and stored in its result; pages only show what is stored."""

import hashlib
from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import get_language, gettext_lazy, override
from django.utils.translation import gettext as _

from annotation.jobs import JobRefused, Progress, register_handler
from annotation.models import Job, Project
from annotation.services import statistics as statistics_service
from annotation.services.core.job_start import start_job
from annotation.transactions import write_transaction
from epitome.figures.table_rendering import render_table
from epitome.figures.tables import Table
from evaluation.services.runs_compared.run_comparison import compare_runs, state_key
from evaluation.services.runs_compared.score_tables import control_table
from modelbridge.models import Run
from modelbridge.services.runs.run_tables import RUN_TABLES, StoredTable

KIND = "run-scores"


@RUN_TABLES.register
def load_run_table(project: Project, run: Run) -> StoredTable:
    """The table of one run, for its page."""
    return load_scores(project, [run])


def load_scores(project: Project, runs: Sequence[Run], **query: str) -> StoredTable:
    """The newest table of exactly these runs in the reader's language. Nothing is computed. query: is added to the
    address that starts the computation."""
    jobs = Job.objects.filter(project=project, kind=KIND, **_same_choice(runs))
    version = _version(project, runs)
    stored = jobs.done().filter(result__has_key="table").order_by("-pk").first()
    rendered = render_table(Table.from_json(stored.result["table"]), gettext=_) if stored is not None else None
    is_current = stored is not None and stored.result["version"] == version
    job = None if is_current else jobs.under_way().order_by("pk").first() or statistics_service.find_measuring(project)
    starts = not is_current and job is None and not jobs.filter(arguments__version=version).exists()
    chosen = urlencode([*(("run", str(run.public_id)) for run in runs), *query.items()])
    start_url = f"{reverse('runs-scores', args=[project.slug])}?{chosen}"
    return StoredTable(rendered, is_current, job, starts, start_url)


def start_scores(*, project: Project, runs: Sequence[Run], by: AbstractBaseUser | None) -> Job:
    """Queue the table of these runs, or return the job that is already queued or running."""
    with write_transaction():
        # A concurrent call waits for this lock and then finds the job.
        Project.objects.select_for_update(no_key=True).only("pk").get(pk=project.pk)
        waiting = Job.objects.under_way().filter(project=project, kind=KIND, **_same_choice(runs)).first()
        if waiting is not None:
            return waiting
        arguments = {"runs": _run_keys(runs), "language": get_language() or "", "version": _version(project, runs)}
        return start_job(kind=KIND, project=project, by=by, arguments=arguments)


def _same_choice(runs: Sequence[Run]) -> dict[str, str]:
    """Lookups of the jobs of these runs in the reader's language."""
    return {"arguments__runs": _run_keys(runs), "arguments__language": get_language() or ""}


def _run_keys(runs: Sequence[Run]) -> str:
    return ",".join(str(run.pk) for run in runs)


def _version(project: Project, runs: Sequence[Run]) -> str:
    return hashlib.sha256(state_key(project, runs).encode()).hexdigest()[:24]


def _clear_older(job: Job) -> None:
    """Only the newest table of a choice of runs is shown, so older ones are not kept."""
    choice = {f"arguments__{name}": job.arguments[name] for name in ("runs", "language")}
    older = Job.objects.done().filter(project=job.project, kind=KIND, pk__lt=job.pk, **choice)
    older.filter(result__has_key="table").update(result={})


@register_handler(KIND, gettext_lazy("Scores of runs"), queue="text", stored=_clear_older, page="runs")
def run_scores(job: Job, progress: Progress) -> dict[str, Any]:
    """Compute the table in the language of the page that asked."""
    keys = [int(key) for key in job.arguments["runs"].split(",")]
    by_key = Run.objects.select_related("revision__system").in_bulk(keys)
    if job.project is None or len(by_key) != len(set(keys)):
        raise JobRefused(_("A run was deleted."))
    runs = [by_key[key] for key in keys]
    progress.set(0, len(runs) + 1)
    version = _version(job.project, runs)  # before reading: what changes meanwhile makes the result stale
    with override(job.arguments["language"] or None):
        table = control_table(compare_runs(job.project, runs, progress.advance), runs).table
    return {"version": version, "table": table.as_json()}

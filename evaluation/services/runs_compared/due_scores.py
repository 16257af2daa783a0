"""Scores and tables of runs are calculated once a run has ended and its texts are measured, before anybody looks."""

from datetime import timedelta

from django.conf import settings
from django.utils.translation import override

from annotation.jobs import database_now, register_sweeper
from annotation.models import Job, Project
from annotation.services import statistics as statistics_service
from annotation.services.accounts.languages import load_language
from evaluation.services.runs_compared import score_jobs, table_jobs, table_runs
from modelbridge.models import Run

RECENT = timedelta(days=2)
"""Runs that ended earlier are calculated when somebody looks at them."""


@register_sweeper
def start_due_scores() -> int:
    """Queue the scores of each run that ended lately, and the tables of the project's newest runs; returns how many
    jobs. Each once: what changes later is calculated anew when somebody looks."""
    ended = Run.objects.writing().done().filter(finished_at__gt=database_now() - RECENT, project__archived_at=None)
    runs = list(ended.select_related("project", "created_by", "revision__system").order_by("pk"))
    by_project: dict[Project, list[Run]] = {}
    for run in runs:
        by_project.setdefault(run.project, []).append(run)
    return sum(_start_project(project, ended_runs) for project, ended_runs in by_project.items())


def _start_project(project: Project, runs: list[Run]) -> int:
    if Run.objects.under_way().filter(project=project).exists() or statistics_service.is_measured_now(project):
        return 0
    jobs = Job.objects.filter(project=project)
    fresh = [run for run in runs if not jobs.filter(kind=score_jobs.KIND, arguments__runs=str(run.pk)).exists()]
    for run in fresh:
        language = load_language(run.created_by) if run.created_by is not None else ""
        with override(language or settings.LANGUAGE_CODE):
            score_jobs.start_scores(project=project, runs=[run], by=None)
    newest = max(run.finished_at for run in runs if run.finished_at is not None)
    if jobs.filter(kind=table_jobs.KIND, created_at__gt=newest).exists():
        return len(fresh)
    chosen = table_runs.choose_runs(table_runs.list_table_runs(project), [])
    table_jobs.start_tables(project=project, runs=chosen, composition=None, by=None)
    return len(fresh) + 1

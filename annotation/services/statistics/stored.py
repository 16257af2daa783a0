"""Statistics are computed by a job and stored in its result; the page reads the newest, and says if it is stale."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Count, Max, QuerySet, Subquery
from django.db.models.fields.json import KeyTransform
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.jobs import JobRefused, Progress, register_handler
from annotation.models import (
    Annotation,
    Assignment,
    Job,
    Project,
    RestoredSkip,
    Sample,
    SampleState,
    SchemaVersion,
    Score,
    SourceDocument,
)
from annotation.services.core.job_start import start_job
from annotation.services.core.kept_results import keep_while_unchanged
from annotation.services.core.list_pages import LARGE
from annotation.services.staff.header_counts import build_count
from annotation.services.statistics.filters import Filter
from annotation.transactions import write_transaction

KIND = "statistics"
VERSION = 4
"""Version of the tables and figures; a new one makes stored statistics stale."""
SMALL = 5000
"""Up to this many summaries the page requests fresh statistics automatically."""


@dataclass(frozen=True)
class StoredStatistics:
    """The newest statistics of a project for one filter. view: None when the filter names a split that is not in it."""

    job: Job
    at: datetime | None
    version: str
    splits: list[str]
    view: dict[str, Any] | None


def _count_written(project: Project) -> tuple[int, int | None, int, int | None, int]:
    """Annotations and the newest, samples and the newest, void samples. One query."""
    annotations, samples = Annotation.objects.filter(project=project), Sample.objects.filter(project=project)
    columns = (
        *(build_count(annotations), _select_newest(annotations), build_count(samples), _select_newest(samples)),
        build_count(samples.filter(state=SampleState.VOID)),
    )
    counts: tuple[int, int | None, int, int | None, int] = Project.objects.filter(pk=project.pk).values_list(*columns)[
        0
    ]
    return counts


def _select_newest(rows: "QuerySet[Any]") -> Subquery:
    return Subquery(rows.order_by("-pk").values("pk")[:1])


def _count_states(project: Project) -> list[tuple[str, int]]:
    """(state, number of attempts)"""
    attempts = Assignment.objects.filter(project=project).order_by("state")
    return list(attempts.values_list("state").annotate(n=Count("pk")))


def _count_others(project: Project) -> tuple[int, int, str]:
    """Scores, restored skips and the newest schema."""
    scores = Score.objects.filter(project=project, target_kind=Score.Target.ANNOTATION).count()
    skips = RestoredSkip.objects.filter(project=project).count()
    schemas = SchemaVersion.objects.filter(project=project).order_by("-number")
    return scores, skips, schemas.values_list("content_hash", flat=True)[0]


def data_version(project: Project) -> tuple[str, int]:
    """(hash that changes with any input of the statistics, number of annotations). Reads only counts and newest ids;
    those of many rows are kept until something is written in the project."""
    counts, states = keep_while_unchanged(
        project,
        ("inputs of statistics",),
        lambda: (_count_written(project), tuple(sorted(_count_states(project)))),
        is_large=lambda read: max(read[0][0], read[0][2]) >= LARGE,
    )
    n, last, n_samples, last_sample, n_void = counts
    n_scores, n_restored, schema = _count_others(project)
    inputs = [
        (n, last, n_scores, n_samples, last_sample),
        n_void,
        list(states),
        list(_count_sources(project)),
        n_restored,
        schema,
        VERSION,
    ]
    return hashlib.sha256(repr(inputs).encode()).hexdigest()[:24], n


def _count_sources(project: Project) -> Sequence[tuple[str, int, int, int]]:
    """(split, sources, newest, sources with counted tokens). Kept once all are counted: a count never changes, and new
    sources come with an event."""

    def read() -> Sequence[tuple[str, int, int, int]]:
        sources = SourceDocument.objects.filter(project=project).order_by("split")
        return tuple(sources.values_list("split").annotate(Count("pk"), Max("pk"), Count("n_tokens")))

    return keep_while_unchanged(project, ("sources of statistics",), read, is_large=_is_counted)


def _is_counted(sources: Sequence[tuple[str, int, int, int]]) -> bool:
    return sum(row[1] for row in sources) >= LARGE and all(n == counted for _split, n, _last, counted in sources)


def _newest_job(project: Project) -> Job | None:
    """The job that holds the newest statistics, without its contents."""
    jobs = Job.objects.done().filter(project=project, kind=KIND, result__has_key="views")
    return jobs.only("pk", "public_id", "finished_at").order_by("-pk").first()


def stored_splits(project: Project) -> list[str] | None:
    """The splits in the newest statistics; None if there are no statistics."""
    job = _newest_job(project)
    if job is None:
        return None
    splits: list[str] = Job.objects.filter(pk=job.pk).values_list("result__splits", flat=True)[0]
    return splits


def load_statistics(project: Project, chosen: Filter) -> StoredStatistics | None:
    """The newest finished statistics, or None. Only the view of this filter is read from the row."""
    job = _newest_job(project)
    if job is None:
        return None
    row = Job.objects.filter(pk=job.pk)
    version, splits, which = row.values_list("result__version", "result__splits", "result__which")[0]
    name = which.get(chosen.key)
    view = row.values_list(KeyTransform(name, KeyTransform("views", "result")), flat=True)[0] if name else None
    return StoredStatistics(job, job.finished_at, version, splits, view)


def job_under_way(project: Project) -> Job | None:
    return Job.objects.under_way().filter(project=project, kind=KIND).order_by("pk").first()


def find_measuring(project: Project) -> Job | None:
    """The job that measures texts, if one waits or runs: what is calculated before its end is stale at once."""
    return Job.objects.under_way().filter(project=project, kind="score").order_by("pk").first()


def is_measured_now(project: Project) -> bool:
    """Whether texts are being measured, so that new statistics would be stale at once."""
    return find_measuring(project) is not None


def was_tried(project: Project, version: str) -> bool:
    """Whether a job was started for this data version already, whatever its outcome."""
    return Job.objects.filter(project=project, kind=KIND, arguments__version=version).exists()


def start_statistics(*, project: Project, by: AbstractBaseUser | None) -> Job:
    """Queue the statistics of a project; returns the job that waits or runs already, if any."""
    version, _n = data_version(project)
    with write_transaction():
        # A concurrent start waits for this lock and then finds the job.
        list(Project.objects.select_for_update(no_key=True).filter(pk=project.pk).values_list("pk"))
        waiting = job_under_way(project)
        if waiting is not None:
            return waiting
        return start_job(kind=KIND, project=project, by=by, arguments={"version": version})


def _clear_older(job: Job) -> None:
    """Only the newest statistics are shown, so older ones are not kept."""
    older = Job.objects.done().filter(project=job.project, kind=KIND, pk__lt=job.pk)
    older.filter(result__has_key="views").update(result={})


@register_handler(KIND, gettext_lazy("Calculate statistics"), queue="text", stored=_clear_older, page="statistics")
def run_statistics(job: Job, progress: Progress) -> dict[str, Any]:
    from annotation.services.statistics.building import build_statistics

    if job.project is None:
        raise JobRefused(_("The project was deleted."))
    version, n = data_version(job.project)  # before reading: what changes meanwhile makes the result stale
    result = build_statistics(job.project, progress)
    return {"version": version, "annotations": n, **result}

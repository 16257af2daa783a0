"""Statistics are computed by a job and stored in its result; the page reads the newest, and says if it is stale."""

import hashlib
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
from annotation.services.core.list_pages import LARGE, keep_while_unchanged
from annotation.services.core.prepared_queries import IntParam, Prepared, TextParam
from annotation.services.staff.header_counts import build_count
from annotation.services.statistics.filters import Filter
from annotation.transactions import write_transaction

KIND = "statistics"
VERSION = 3
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


def _build_counts() -> "QuerySet[Any]":
    """Of what was written, in one row: annotations and the newest, samples and the newest, void samples."""
    project = IntParam("project")
    annotations, samples = Annotation.objects.filter(project=project), Sample.objects.filter(project=project)
    return Project.objects.filter(pk=project).values_list(
        *(build_count(annotations), _last_id(Annotation), build_count(samples), _last_id(Sample)),
        build_count(samples.filter(state=SampleState.VOID)),
    )


def _last_id(model: "type[Annotation | Sample]") -> Subquery:
    """By a range, with which the database walks the index of the project and not the rows of all newer ones."""
    project = IntParam("project")
    rows = model._default_manager.filter(project__gte=project, project__lte=project)
    return Subquery(rows.order_by("-project_id", "-pk").values("pk")[:1])


def _build_others() -> "QuerySet[Any]":
    """Scores, restored skips and the newest schema, in one row."""
    project = IntParam("project")
    scores = Score.objects.filter(project=project, target_kind=Score.Target.ANNOTATION)
    schemas = SchemaVersion.objects.filter(project=project).order_by("-number")
    return Project.objects.filter(pk=project).values_list(
        build_count(scores),
        build_count(RestoredSkip.objects.filter(project=project)),
        Subquery(schemas.values("content_hash")[:1]),
    )


COUNTS: Prepared[tuple[int, int | None, int, int | None, int]] = Prepared(_build_counts)
OTHERS: Prepared[tuple[int, int, str]] = Prepared(_build_others)
STATES: Prepared[tuple[str, int]] = Prepared(
    lambda: (
        Assignment.objects.filter(project=IntParam("project"))
        .order_by("state")
        .values_list("state")
        .annotate(n=Count("pk"))
    )
)
SOURCES: Prepared[tuple[str, int, int, int]] = Prepared(
    lambda: (
        SourceDocument.objects.filter(project=IntParam("project"))
        .order_by("split")
        .values_list("split")
        .annotate(Count("pk"), Max("pk"), Count("n_tokens"))
    )
)
NEWEST_JOB: Prepared[Job] = Prepared(
    lambda: (
        Job.objects.done()
        .filter(project=IntParam("project"), kind=KIND, result__has_key="views")
        .order_by("-pk")
        .only("pk", "public_id", "finished_at")[:1]
    )
)
UNDER_WAY: Prepared[Job] = Prepared(
    lambda: Job.objects.under_way().filter(project=IntParam("project"), kind=TextParam("kind")).order_by("pk")[:1]
)


def data_version(project: Project) -> tuple[str, int]:
    """(hash that changes with any input of the statistics, number of annotations). Reads only counts and newest ids;
    those of many rows are kept until something is written in the project."""
    counts, states = keep_while_unchanged(
        project,
        ("inputs of statistics",),
        lambda: (COUNTS.rows(project=project.pk)[0], sorted(STATES.rows(project=project.pk))),
        is_large=lambda read: max(read[0][0], read[0][2]) >= LARGE,
    )
    (n, last, n_samples, last_sample, n_void), (n_scores, n_restored, schema) = (
        counts,
        OTHERS.rows(project=project.pk)[0],
    )
    inputs = [
        (n, last, n_scores, n_samples, last_sample),
        n_void,
        states,
        _count_sources(project),
        n_restored,
        schema,
        VERSION,
    ]
    return hashlib.sha256(repr(inputs).encode()).hexdigest()[:24], n


def _count_sources(project: Project) -> list[tuple[str, int, int, int]]:
    """(split, sources, newest, sources with counted tokens). Kept once all are counted: a count never changes, and new
    sources come with an event."""

    def read() -> list[tuple[str, int, int, int]]:
        return SOURCES.rows(project=project.pk)

    return keep_while_unchanged(project, ("sources of statistics",), read, is_large=_is_counted)


def _is_counted(sources: list[tuple[str, int, int, int]]) -> bool:
    return sum(row[1] for row in sources) >= LARGE and all(n == counted for _split, n, _last, counted in sources)


def _newest_job(project: Project) -> Job | None:
    """The job that holds the newest statistics, without its contents."""
    return NEWEST_JOB.first(project=project.pk)


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
    return UNDER_WAY.first(project=project.pk, kind=KIND)


def is_measured_now(project: Project) -> bool:
    """Whether a scoring job waits or runs, so that new statistics would be stale at once."""
    return UNDER_WAY.first(project=project.pk, kind="score") is not None


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


@register_handler(KIND, gettext_lazy("Calculate statistics"), queue="text", stored=_clear_older)
def run_statistics(job: Job, progress: Progress) -> dict[str, Any]:
    from annotation.services.statistics.building import build_statistics

    if job.project is None:
        raise JobRefused(_("The project was deleted."))
    version, n = data_version(job.project)  # before reading: what changes meanwhile makes the result stale
    result = build_statistics(job.project, progress)
    return {"version": version, "annotations": n, **result}

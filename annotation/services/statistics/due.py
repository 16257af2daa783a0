"""Statistics are calculated when their data have come to rest, so that nobody waits for them who looks.

Many changes in a row give one calculation: it waits until nothing has been handed in for a minute, though at most an
hour, and until measuring has ended. One that took long is not repeated soon: a project whose statistics take a minute
gets new ones every ten at most.
"""

from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef

from annotation.jobs import create_job, database_now, register_sweeper
from annotation.models import Annotation, Job, Project
from annotation.services.statistics import stored
from annotation.transactions import write_transaction

QUIET = timedelta(minutes=1)
"""Nothing was handed in for so long."""
LONGEST = timedelta(hours=1)
"""Statistics are at most this old while people hand in without a pause."""
REST = 10
"""After a calculation, the next one begins this many times its length later at the earliest."""


@register_sweeper
def start_due_statistics() -> int:
    """Queue the statistics of every project whose data changed and have come to rest; returns how many."""
    has_texts = Exists(Annotation.objects.filter(project=OuterRef("pk")))
    projects = Project.objects.filter(has_texts, archived_at=None, pilot_of=None)
    return sum(_start_if_due(project) for project in projects)


def _start_if_due(project: Project) -> bool:
    now = database_now()
    last = Job.objects.filter(project=project, kind=stored.KIND).defer("result", "faults").order_by("-pk").first()
    if not _is_at_rest(project, last, now) or stored.is_measured_now(project):
        return False
    version, _n = stored.data_version(project)
    if stored.was_tried(project, version):
        return False
    with write_transaction():
        list(Project.objects.select_for_update(no_key=True).filter(pk=project.pk).values_list("pk"))
        if stored.job_under_way(project) is not None:
            return False
        create_job(kind=stored.KIND, project=project, by=None, arguments={"version": version, "automatic": True})
    return True


def _is_at_rest(project: Project, last: Job | None, now: datetime) -> bool:
    if last is not None and last.finished_at is None:
        return False
    if last is not None and last.finished_at is not None:
        length = last.finished_at - (last.started_at or last.finished_at)
        if now < last.finished_at + max(QUIET, REST * length):
            return False
        if now > last.finished_at + LONGEST:
            return True
    newest = Annotation.objects.filter(project=project).order_by("-pk").values_list("created_at", flat=True)[:1]
    return all(created_at < now - QUIET for created_at in newest)

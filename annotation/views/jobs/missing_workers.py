"""What people read where a job waits and no running worker takes jobs of its queue."""

from collections.abc import Iterable
from typing import NamedTuple

from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.jobs import count_workers
from annotation.models import Job, JobState, Project


class MissingWorker(NamedTuple):
    """Shown by annotation/core/_missing_worker.html."""

    title: str
    text: str


def describe_missing_worker(queues: Iterable[str]) -> MissingWorker | None:
    """None if a worker runs for each of the queues on which jobs wait."""
    waiting = sorted({*queues})
    if not waiting:
        return None
    served = count_workers()
    unserved = [queue for queue in waiting if not served[queue]]
    if not unserved:
        return None
    names = ",".join(unserved)
    if not served:
        return MissingWorker(
            _("No worker is running"),
            _("Nothing is lost: the job starts when a worker is running. Start one with: manage.py worker"),
        )
    return MissingWorker(
        _("No worker for the queue %(queues)s is running") % {"queues": names},
        _("Nothing is lost. Start a worker for it with: manage.py worker --queues %(queues)s") % {"queues": names},
    )


def find_missing_worker(job: Job | None) -> MissingWorker | None:
    """The missing worker of one job; None if the job does not wait, or if a worker for it runs."""
    return describe_missing_worker([job.queue]) if job is not None and _is_waiting(job) else None


def find_missing_worker_of(project: Project, *kinds: str) -> MissingWorker | None:
    """The missing worker of the project's waiting jobs, or of those of some kinds."""
    jobs = Job.objects.filter(project=project, state=JobState.QUEUED)
    jobs = jobs.filter(kind__in=kinds) if kinds else jobs
    return describe_missing_worker(jobs.order_by().values_list("queue", flat=True).distinct())


def _is_waiting(job: Job) -> bool:
    is_abandoned = job.state == JobState.RUNNING and job.lease_until is not None and job.lease_until < timezone.now()
    return job.state == JobState.QUEUED or is_abandoned

"""Creates jobs and notifies the workers."""

import logging
from functools import partial
from typing import Any

from celery import current_app
from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError, transaction
from kombu.exceptions import KombuError
from kombu.exceptions import OperationalError as BrokerDown

from annotation.jobs.registry import HANDLERS
from annotation.models import Job, Project
from annotation.transactions import write_transaction

log = logging.getLogger(__name__)
TASK = "annotation.run_job"


def create_job(
    *,
    kind: str,
    project: Project | None,
    by: AbstractBaseUser | None,
    arguments: dict[str, Any] | None = None,
    idempotency_key: str | None = None,
    queue: str | None = None,
) -> Job:
    """Store a job and notify the workers after the commit. An idempotency key already in use returns the existing job.

    queue: overrides the default queue of the kind.
    """
    try:
        with write_transaction():
            job = Job.objects.create(
                kind=kind,
                queue=queue or HANDLERS[kind].queue,
                project=project,
                requested_by_id=by.pk if by is not None else None,
                arguments=arguments or {},
                idempotency_key=idempotency_key,
            )
            notify_workers(job)
    except IntegrityError:
        if idempotency_key is None:
            raise
        return Job.objects.get(idempotency_key=idempotency_key)
    return job


def notify_workers(job: Job) -> None:
    """Send a hint after the commit, without waiting and without failing: workers poll the rows anyway."""
    transaction.on_commit(partial(send_hint, job.pk, job.queue))


def send_hint(job_id: int, queue: str) -> None:
    """Tell the workers of a job where they share a broker; without one they find its row a moment later."""
    if settings.EPITOME_BROKER_SHARED:
        put_hint(job_id, queue)


def put_hint(job_id: int, queue: str) -> None:
    """Put a message into the broker as this process sees it."""
    try:
        current_app.send_task(TASK, args=(job_id,), queue=queue, retry=False, ignore_result=True)
    except (BrokerDown, KombuError, OSError) as error:
        log.warning("no hint for job %s, a worker will find it by polling: %s", job_id, error)

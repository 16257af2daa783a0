"""Starting a job on request: a person may have at most EPITOME_JOBS_AT_ONCE of them waiting or running in a project.

Jobs started by sweepers and other jobs are not counted: they have no requester, or a unique idempotency key.
"""

from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, User
from django.utils.translation import ngettext

from annotation.jobs import create_job
from annotation.models import Job, Project
from annotation.services.core.errors import Conflict
from annotation.transactions import write_transaction


def start_job(
    *, kind: str, project: Project, by: AbstractBaseUser | None, arguments: dict[str, Any] | None = None
) -> Job:
    """Queue a job that a person asked for. Raises Conflict while too many of theirs wait or run in the project."""
    with write_transaction():
        if by is not None:
            _check_job_limit(project, by)
        return create_job(kind=kind, project=project, by=by, arguments=arguments)


def _check_job_limit(project: Project, by: AbstractBaseUser) -> None:
    limit: int = settings.EPITOME_JOBS_AT_ONCE
    if not limit:
        return
    # A concurrent start by the same person waits for this lock and then counts this job too.
    list(User.objects.select_for_update(no_key=True).filter(pk=by.pk).values_list("pk"))
    if Job.objects.under_way().filter(project=project, requested_by=by.pk, idempotency_key=None).count() >= limit:
        raise Conflict(
            ngettext(
                "%(n)d of your jobs is already waiting or running in this project. "
                "Start this one when it has finished.",
                "%(n)d of your jobs are already waiting or running in this project. "
                "Start this one when one of them has finished.",
                limit,
            )
            % {"n": limit},
            code="toomanyjobs",
        )

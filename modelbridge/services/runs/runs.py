"""Starting, cancelling and resuming runs. The list of samples is frozen when a run starts."""

import math
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, User
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.jobs import create_job
from annotation.models import AuditVerb, Job, JobState, Project
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict
from annotation.transactions import write_transaction
from modelbridge.models import OutputState, Run, RunState, SystemOutput, SystemRevision
from modelbridge.services.runs.sample_selection import count_left_out, describe_left_out, list_samples, work_orders
from modelbridge.systems.registry import KINDS

KIND = "run"
BATCH = 1000
SAMPLES_PER_WORKER = 64
"""Smaller runs get a single worker: loading the model twice would take longer than the work."""
MAX_SEED = 2**63 - 1


def start_run(
    *,
    project: Project,
    revision: SystemRevision,
    split: str = "",
    by: AbstractBaseUser | None,
    seed: int = 0,
    label: str = "",
    queue_it: bool = True,
) -> Run:
    """Freeze the list of samples and queue the work. queue_it=False: the caller does the work itself (run_system).

    Raises BadInput: a system that does not generate or runs elsewhere, no sample; Conflict: too many runs of this user.
    """
    _check_runnable(revision, seed)
    samples = list_samples(project, split)
    if not samples:
        raise BadInput(_no_samples(project, split), field="split", code="nosamples")
    with write_transaction():
        if by is not None and queue_it:
            _check_run_limit(project, by)
        run = Run.objects.create(
            project=project,
            revision=revision,
            label=label[:200],
            split=split,
            n_samples=len(samples),
            left_out=count_left_out(project, split),
            seed=seed,
            created_by_id=by.pk if by is not None else None,
        )
        SystemOutput.objects.bulk_create(
            (
                SystemOutput(project=project, run=run, sample_id=sample.pk, position=position, work_order=order)
                for position, (sample, order) in enumerate(zip(samples, work_orders(samples), strict=True))
            ),
            batch_size=BATCH,
        )
        if queue_it:
            queue_jobs(run)
        audit.record_event(
            project=project, actor=by, verb=AuditVerb.RUN_START, target=f"run:{run.public_id}", samples=len(samples)
        )
    return run


def _check_runnable(revision: SystemRevision, seed: int) -> None:
    if revision.kind == "upload":
        raise BadInput(_("This system runs elsewhere; upload its predictions."), field="system", code="upload")
    if revision.kind not in KINDS:
        raise BadInput(_("There is no kind %(kind)s any more.") % {"kind": revision.kind}, field="system", code="kind")
    if revision.role != "generate":
        message = _("This system cannot write summaries: its role is %(role)s.") % {"role": revision.role}
        raise BadInput(message, field="system", code="role")
    if not 0 <= seed <= MAX_SEED:
        raise BadInput(_("The seed must be a whole number from 0."), field="seed", code="seed")


def _no_samples(project: Project, split: str) -> str:
    waiting = count_left_out(project, split)
    if waiting:
        return _("No sample is ready. Left out: %(why)s.") % {"why": describe_left_out(waiting)}
    if split:
        return _('There is no sample in the split "%(split)s".') % {"split": split[:20]}
    return _("There are no samples yet: import references, or sample attributes.")


def _check_run_limit(project: Project, by: AbstractBaseUser) -> None:
    """Limit a user's concurrent runs in a project, as for other jobs. Raises Conflict."""
    limit: int = settings.EPITOME_JOBS_AT_ONCE
    if not limit:
        return
    list(User.objects.select_for_update(no_key=True).filter(pk=by.pk).values_list("pk"))
    if Run.objects.under_way().filter(project=project, created_by=by.pk).count() >= limit:
        message = _("%(n)d runs of yours wait or run in this project already. Start this one when one of them is done.")
        raise Conflict(message % {"n": limit}, code="toomanyruns")


def queue_jobs(run: Run) -> None:
    """Queue one job per worker that should share the run; call inside a transaction."""
    open_outputs = run.outputs.filter(state__in=OutputState.OPEN).count()
    n_workers = min(settings.EPITOME_RUN_WORKERS, max(1, math.ceil(open_outputs / SAMPLES_PER_WORKER)))
    n_live = jobs_of(run).under_way().count()
    for _number in range(n_live, n_workers):
        job = create_job(
            kind=KIND,
            project=run.project,
            by=None,
            arguments={"run": run.pk},
            queue=KINDS[run.revision.kind].queue,
        )
        Run.objects.filter(pk=run.pk).update(job=job)
        run.job = job


def jobs_of(run: Run) -> Any:
    return Job.objects.filter(project=run.project_id, kind=KIND, arguments__run=run.pk)


def find_unfinished_run(*, revision: SystemRevision, split: str, seed: int) -> Run | None:
    """The newest run of a revision over a split with a seed, unless it is complete."""
    runs = Run.objects.filter(revision=revision, split=split, seed=seed).select_related("revision__system", "project")
    last = runs.order_by("-pk").first()
    complete = last is not None and last.state == RunState.DONE
    return None if last is None or complete else last


def cancel_run(*, run: Run, by: AbstractBaseUser | None) -> Run:
    """Cancel the run, including the batches being generated. Raises Conflict when it has ended."""
    now = timezone.now()
    with write_transaction():
        stopped = Run.objects.under_way().filter(pk=run.pk).update(state=RunState.CANCELLED, finished_at=now)
        if not stopped:
            raise Conflict(_("This run has ended already."), code="ended")
        jobs_of(run).under_way().update(state=JobState.CANCELLED, finished_at=now, lease_until=None)
        audit.record_event(project=run.project, actor=by, verb=AuditVerb.RUN_CANCEL, target=f"run:{run.public_id}")
    run.refresh_from_db()
    return run


def resume_run(*, run: Run, by: AbstractBaseUser | None, queue_it: bool = True) -> Run:
    """Resume a cancelled, failed or incomplete run; failed samples are retried, finished ones are kept.

    Raises Conflict: it is under way or complete.
    """
    with write_transaction():
        if run.revision.kind == "upload":
            raise Conflict(_("An upload cannot be resumed."), code="upload")
        failed = run.outputs.filter(state=OutputState.FAILED)
        if run.state == RunState.DONE and not failed.exists():
            raise Conflict(_("Every sample has its output already."), code="complete")
        resumed = Run.objects.filter(pk=run.pk).exclude(state__in=RunState.UNDER_WAY).update(
            state=RunState.QUEUED, finished_at=None, error=""
        )  # fmt: skip
        if not resumed:
            raise Conflict(_("This run is under way."), code="underway")
        failed.update(state=OutputState.WAITING, attempts=0, error="", finished_at=None)
        run.outputs.filter(state=OutputState.WAITING).update(attempts=0)
        run.refresh_from_db()
        if queue_it:
            queue_jobs(run)
        audit.record_event(project=run.project, actor=by, verb=AuditVerb.RUN_RESUME, target=f"run:{run.public_id}")
    return run

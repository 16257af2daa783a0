"""Leads the work on a step, from a job or a command. Calls are sent by a process that a killed worker does not take
along (call_process.py)."""

import time
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Max
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.jobs import (
    STOPPING,
    JobLost,
    JobPaused,
    JobRefused,
    Progress,
    database_now,
    register_handler,
    register_sweeper,
)
from annotation.models import Job, JobState
from annotation.transactions import write_transaction
from epitome.construction.steps import STEPS
from modelbridge.models import ConstructionStep
from modelbridge.services.construction.call_process import FAILED, CallProcess
from modelbridge.services.construction.step_worker import POLL_SECONDS, StepFault, count_calls, work_in_process
from modelbridge.services.construction.steps import KIND, fail_step, jobs_of_step, queue_step, stop_step
from modelbridge.services.runs.system_processes import python_paths

PAUSE_SECONDS = 1.0
"""Before the next process is started after one that ended with calls still open, which others have leased."""


def lead_step(
    step: ConstructionStep,
    progress: Progress,
    *,
    seconds: float | None = None,
    is_wanted: Callable[[], bool] = lambda: True,
) -> None:
    """Work on a step until it has ended, for about this many seconds, or until it is cancelled; calls under way
    are then still answered. Raises StepFault."""
    if not STEPS[step.key].asks or not settings.EPITOME_CALL_PROCESSES:
        work_in_process(step, progress, seconds=seconds)
        return
    until = None if seconds is None else time.monotonic() + seconds
    while _is_under_way(step) and is_wanted() and not STOPPING.is_set():
        remaining = None if until is None else until - time.monotonic()
        if remaining is not None and remaining <= 0:
            return
        _lead_process(step, progress, remaining, is_wanted)
        if _is_under_way(step):
            time.sleep(PAUSE_SECONDS)


def _lead_process(
    step: ConstructionStep, progress: Progress, seconds: float | None, is_wanted: Callable[[], bool]
) -> None:
    process = CallProcess(step.pk, seconds, python_paths())
    try:
        while not process.wait(POLL_SECONDS):
            progress.set(*count_calls(step))
            if STOPPING.is_set() or not is_wanted():
                return
    finally:
        process.dismiss()
    progress.set(*count_calls(step))
    if process.process.returncode == FAILED:
        step.refresh_from_db()
        raise StepFault(step.error)
    if process.process.returncode > 0:  # one that was killed is replaced by the next
        message = _("The process that sends the calls ended with exit code %(code)d.")
        fail_step(step, message % {"code": process.process.returncode})
        raise StepFault(message % {"code": process.process.returncode})


def _is_under_way(step: ConstructionStep) -> bool:
    return ConstructionStep.objects.under_way().filter(pk=step.pk).exists()


def _stop_with_job(job: Job, by: AbstractBaseUser | None) -> None:
    stop_step(step=ConstructionStep.objects.select_related("project").get(pk=job.arguments["step"]), by=by)


@register_handler(
    KIND,
    gettext_lazy("Construct the benchmark"),
    queue="text",
    takes_turns=True,
    page="construction",
    kept=gettext_lazy("The answers so far stay; calls under way are still answered, for they are paid for."),
    cancelled=_stop_with_job,
)
def work_on_step(job: Job, progress: Progress) -> dict[str, Any]:
    """Work on a step for a time slice, then yield to other jobs in the queue."""
    steps = ConstructionStep.objects.select_related("revision__system", "project")
    step = steps.filter(pk=job.arguments.get("step")).first()
    if step is None:
        raise JobRefused(_("The step was deleted."))
    n_ended = count_calls(step)[0]

    def is_wanted() -> bool:
        return _is_under_way(step) and job.held().exists() and not progress.is_turn_over()

    try:
        lead_step(step, progress, seconds=settings.EPITOME_RUN_SLICE_SECONDS, is_wanted=is_wanted)
    except StepFault as error:
        raise JobRefused(str(error)) from error
    if not job.held().exists():
        raise JobLost(f"job {job.pk} of step {step.pk} was called off")
    if count_calls(step)[0] > n_ended:
        reset_attempts(job)
    if _is_under_way(step):
        raise JobPaused
    return {"step": step.key}


def reset_attempts(job: Job) -> None:
    """A job that made progress may be tried as often as a new one."""
    with write_transaction():
        job.held().update(attempts=1)


@register_sweeper
def restart_stalled_steps() -> int:
    """Queue a job for steps that nobody works on; returns how many."""
    stalled = [step for step in ConstructionStep.objects.under_way().select_related("project") if _is_stalled(step)]
    for step in stalled:
        last = jobs_of_step(step).order_by("-pk").first()
        if last is not None and last.state == JobState.DEAD and not _advanced_since(step, last):
            fail_step(step, last.error)
        else:
            with write_transaction():
                queue_step(step)
    return len(stalled)


def _is_stalled(step: ConstructionStep) -> bool:
    """Whether it has neither a job nor a worker without one, such as a command, nor was active within a lease."""
    now = database_now()
    if jobs_of_step(step).under_way().exists():
        return False
    if step.rewrites.in_work(now).exists():
        return False
    last = step.rewrites.aggregate(last=Max("finished_at"))["last"] or step.started_at or step.created_at
    is_recent: bool = (now - last).total_seconds() < settings.EPITOME_JOB_LEASE_SECONDS
    return not is_recent


def _advanced_since(step: ConstructionStep, job: Job) -> bool:
    return step.rewrites.filter(finished_at__gte=job.created_at).exists()

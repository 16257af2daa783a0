"""Works on a step: its calls, several at once, until none is open; then builds its summaries.

The calls are sent from threads; this thread alone reads and writes rows. It stores each answer by itself as soon as it
has arrived, so that a worker that is killed loses the calls that the server had not answered, and no answer beside
those that arrived within the milliseconds of a commit."""

import threading
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial
from typing import Any, cast

from django.conf import settings
from django.db.models import Max, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.jobs import (
    STOPPING,
    JobLost,
    JobPaused,
    JobRefused,
    NoProgress,
    Progress,
    database_now,
    register_handler,
    register_sweeper,
    renew_in_background,
)
from annotation.models import Job, JobState
from annotation.schema import SchemaError
from annotation.services.core.errors import ServiceError
from annotation.transactions import write_transaction
from modelbridge.construction.steps import STEPS
from modelbridge.models import ConstructionStep, Rewrite, RewriteState, RunState
from modelbridge.prompts.chat import Message
from modelbridge.services.construction import calls
from modelbridge.services.construction.building import finish_step
from modelbridge.services.construction.steps import KIND, fail_step, jobs_of_step, queue_step
from modelbridge.systems.chat_client import ChatFault, ServerFault, Stopped
from modelbridge.systems.chat_rewrite import ChatRewrite
from modelbridge.systems.files import seed_of
from modelbridge.systems.protocol import Output, SystemFault
from modelbridge.systems.registry import make_system

POLL_SECONDS = 0.5
"""How often it is looked whether the step was stopped while all calls are under way."""


class StepFault(Exception):
    """The step cannot go on now; the message is shown to people."""


Answers = dict["Future[Output]", tuple[Rewrite, list[Message]]]


class StepWorker:
    """One worker's share of a step. `token` marks the calls it leases. job: its job, None for a command."""

    def __init__(self, step: ConstructionStep, progress: Progress, job: Job | None = None) -> None:
        self.step, self.progress, self.job = step, progress, job
        self.token = calls.new_token()
        self.fault: SystemFault | None = None
        self.stop = threading.Event()

    def work(self, seconds: float | None = None) -> bool:
        """Work until no call can be claimed, then build; False when `seconds` have passed before.

        A stop in order waits for the calls under way, because they are paid for. Raises StepFault.
        """
        until = None if seconds is None else time.monotonic() + seconds
        self._mark_running()
        if STEPS[self.step.key].asks:
            self._answer_calls(until)
        if self.fault is not None:
            raise StepFault(str(self.fault))
        if not self.is_wanted():
            return True
        if self.step.rewrites.open().exists():
            return False
        try:
            finish_step(self.step)
        except ServiceError as error:
            raise StepFault(error.message) from error
        return True

    def _mark_running(self) -> None:
        with write_transaction():
            ConstructionStep.objects.filter(pk=self.step.pk, state=RunState.QUEUED).update(
                state=RunState.RUNNING, started_at=database_now()
            )

    def _load_system(self) -> ChatRewrite:
        assert self.step.revision is not None
        try:
            return cast(ChatRewrite, make_system(self.step.revision.config))
        except (SystemFault, SchemaError) as error:
            raise StepFault(str(error)) from error

    def _answer_calls(self, until: float | None) -> None:
        system = self._load_system()
        self.fault, self.stop = None, threading.Event()
        n_at_once = system.settings.concurrency
        lease = renew_in_background(f"calls-{self.step.pk}", partial(calls.extend_leases, self.step, self.token))
        with lease, ThreadPoolExecutor(n_at_once) as pool:
            answers: Answers = {}
            try:
                while True:
                    if self._may_ask_more(until):
                        self._send_calls(system, pool, answers, n_at_once - len(answers))
                    if not answers:
                        break
                    self._store_arrived(answers)
            finally:
                self._end_calls(answers)

    def _end_calls(self, answers: Answers) -> None:
        """Store what is still under way, also after an error or Ctrl+C, and give the other calls back."""
        self.stop.set()
        while answers:
            self._store_arrived(answers)
        calls.release_calls(self.step, self.token)

    def _may_ask_more(self, until: float | None) -> bool:
        in_time = until is None or time.monotonic() < until
        return self.fault is None and in_time and self.is_wanted()

    def _send_calls(self, system: ChatRewrite, pool: ThreadPoolExecutor, answers: Answers, n: int) -> None:
        assert self.step.revision is not None
        if n <= 0:
            return
        for call in calls.claim_calls(self.step, self.step.revision, self.token, n):
            messages = calls.build_conversation(call, system.settings)
            call_id = str(call.public_id)
            seed = seed_of(self.step.seed, f"{call.document_id}:{call.call}:{call.subject}:{call.attempt}")
            future = pool.submit(system.answer, messages, seed=seed, call_id=call_id, stop=self.stop)
            answers[future] = (call, messages)

    def _store_arrived(self, answers: Answers) -> None:
        """Wait for the first answer and store what has arrived, each by itself."""
        arrived = wait(answers, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED).done
        for future in arrived:
            call, messages = answers.pop(future)
            try:
                calls.store_answer(call, self.token, future.result(), messages)
            except (ServerFault, Stopped) as fault:  # released at the end, with the other calls of this worker
                self.fault = self.fault or fault
                self.stop.set()
            except ChatFault as fault:
                calls.fail_call(call, self.token, str(fault))
        if arrived:
            self._report_progress()

    def is_wanted(self) -> bool:
        """Whether to continue: the step is under way, the worker still owns its job and was not asked to stop."""
        if STOPPING.is_set():
            return False
        under_way = ConstructionStep.objects.under_way().filter(pk=self.step.pk).exists()
        return under_way and self.is_ours()

    def is_ours(self) -> bool:
        """Whether this worker still owns its job; a command has none."""
        return self.job is None or self._own_job().exists()

    def _own_job(self) -> "QuerySet[Job]":
        assert self.job is not None
        return Job.objects.run_by(self.job.worker, self.job.pk)

    def _report_progress(self) -> None:
        """Show how many calls have ended, and reset the attempts of a job that advanced."""
        states = self.step.rewrites.values_list("state", flat=True)
        n_open = sum(state in RewriteState.OPEN for state in states)
        self.progress.set(len(states) - n_open, len(states))
        if self.job is not None:
            with write_transaction():
                self._own_job().update(attempts=1)


def work_in_process(step: ConstructionStep, progress: Progress | None = None) -> None:
    """Work on a step in this process until it has ended, together with any other workers. Raises StepFault."""
    worker = StepWorker(step, progress or NoProgress())
    while worker.is_wanted():
        calls.release_dead_calls(step)
        if not _work_or_fail(worker, None) and worker.is_wanted():
            time.sleep(POLL_SECONDS)  # the remaining calls are leased by others


def _work_or_fail(worker: StepWorker, seconds: float | None) -> bool:
    """`work`, but the step fails if it cannot go on. Raises StepFault."""
    try:
        return worker.work(seconds)
    except StepFault as fault:
        fail_step(worker.step, str(fault))
        raise


@register_handler(KIND, gettext_lazy("Construct the benchmark"), queue="text")
def work_on_step(job: Job, progress: Progress) -> dict[str, Any]:
    """Work on a step for a time slice, then yield to other jobs in the queue."""
    steps = ConstructionStep.objects.select_related("revision__system", "project")
    step = steps.filter(pk=job.arguments.get("step")).first()
    if step is None:
        raise JobRefused(_("The step was deleted."))
    worker = StepWorker(step, progress, job)
    calls.release_dead_calls(step)
    try:
        ended = _work_or_fail(worker, settings.EPITOME_RUN_SLICE_SECONDS)
    except StepFault as error:
        raise JobRefused(str(error)) from error
    if not worker.is_ours():
        raise JobLost(f"job {job.pk} of step {step.pk} was called off")
    if not ended or (STOPPING.is_set() and not _has_ended(step)):
        raise JobPaused
    return {"step": step.key}


def _has_ended(step: ConstructionStep) -> bool:
    return not ConstructionStep.objects.under_way().filter(pk=step.pk).exists()


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
    if step.rewrites.filter(state=RewriteState.LEASED, lease_until__gte=now).exists():
        return False
    last = step.rewrites.aggregate(last=Max("finished_at"))["last"] or step.started_at or step.created_at
    is_recent: bool = (now - last).total_seconds() < settings.EPITOME_JOB_LEASE_SECONDS
    return not is_recent


def _advanced_since(step: ConstructionStep, job: Job) -> bool:
    return step.rewrites.filter(finished_at__gte=job.created_at).exists()

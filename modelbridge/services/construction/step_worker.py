"""Works on a step: its calls, several at once, until none is open; then builds its summaries.

The calls are sent from threads; this thread alone reads and writes rows. It stores each answer by itself as soon as it
has arrived, so that a process that is killed loses the calls that the server had not answered, and no answer but those
that arrived within the milliseconds of a commit. `call_process` keeps workers that are killed from taking it along.
"""

import threading
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import cast

from django.db import InterfaceError, OperationalError, connection
from django.db.models import Count, Q

from annotation.jobs import STOPPING, NoProgress, Progress, database_now, new_token, renew_leases
from annotation.services.core.errors import ServiceError
from annotation.transactions import write_transaction
from epitome.construction.steps import STEPS
from epitome.prompts.chat import Message
from epitome.schema import SchemaError
from epitome.systems.chat_client import ChatFault, ServerFault, Stopped
from epitome.systems.chat_rewrite import ChatRewrite
from epitome.systems.files import seed_of
from epitome.systems.protocol import Output, SystemFault
from epitome.systems.registry import make_system
from modelbridge.models import ConstructionStep, Rewrite, RewriteState, RunState
from modelbridge.services.construction import calls
from modelbridge.services.construction.building import finish_step
from modelbridge.services.construction.steps import fail_step

POLL_SECONDS = 0.5
"""How often it is looked whether the step was stopped while all calls are under way."""

DATABASE_PATIENCE = 300.0
"""Seconds for which an answer is kept while the database does not take it."""


class StepFault(Exception):
    """The step cannot go on now; the message is shown to people."""


Answers = dict["Future[Output]", tuple[Rewrite, list[Message]]]


class StepWorker:
    """One process's share of a step. `token` marks the calls it leases."""

    def __init__(self, step: ConstructionStep, progress: Progress) -> None:
        self.step, self.progress = step, progress
        self.token = new_token()
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
        lease = renew_leases(f"calls-{self.step.pk}", self.step.rewrites.held_by(self.token))
        with lease, ThreadPoolExecutor(n_at_once) as pool:
            answers: Answers = {}
            try:
                while True:
                    if self._may_ask_more(until):
                        self._send_calls(system, pool, answers, n_at_once - len(answers))
                    elif not self.is_wanted():
                        self.stop.set()  # what waits for another attempt waits no longer
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
                self._store_answer(call, future.result(), messages)
            except Stopped:
                pass  # it was not sent; given back at the end, with the other calls of this worker
            except ServerFault as fault:
                self.fault = self.fault or fault
                self.stop.set()
            except ChatFault as fault:
                calls.fail_call(call, self.token, str(fault))
        if arrived:
            self._report_progress()

    def _store_answer(self, call: Rewrite, output: Output, messages: list[Message]) -> None:
        """Store an answer, also when the database is away for a while: it is paid for."""
        until = time.monotonic() + DATABASE_PATIENCE
        while True:
            try:
                calls.store_answer(call, self.token, output, messages)
                return
            except (OperationalError, InterfaceError):
                if time.monotonic() >= until:
                    raise
                connection.close()
                time.sleep(POLL_SECONDS)

    def is_wanted(self) -> bool:
        """Whether to continue: the step is under way, and the process was not asked to stop."""
        return not STOPPING.is_set() and ConstructionStep.objects.under_way().filter(pk=self.step.pk).exists()

    def _report_progress(self) -> None:
        self.progress.set(*count_calls(self.step))


def count_calls(step: ConstructionStep) -> tuple[int, int]:
    """(calls that have ended, calls known so far)."""
    is_open = Q(state__in=RewriteState.OPEN)
    counts = step.rewrites.aggregate(ended=Count("pk", filter=~is_open), known=Count("pk"))
    return counts["ended"], counts["known"]


def work_in_process(step: ConstructionStep, progress: Progress | None = None, *, seconds: float | None = None) -> None:
    """Work on a step in this process until it has ended, together with other workers, or for about this many seconds.
    The step fails if it cannot go on; then raises StepFault."""
    worker = StepWorker(step, progress or NoProgress())
    until = None if seconds is None else time.monotonic() + seconds
    try:
        while worker.is_wanted():
            calls.release_dead_calls(step)
            ended = worker.work(None if until is None else until - time.monotonic())
            if ended or (until is not None and time.monotonic() >= until):
                return
            time.sleep(POLL_SECONDS)  # the remaining calls are leased by others
    except StepFault as fault:
        fail_step(step, str(fault))
        raise

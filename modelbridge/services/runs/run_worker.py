"""Works on runs: batch by batch until it is complete, cancelled, or its time slice ends.

The next batch is claimed, built and sent while the system works on one, so that it does not wait in between.
"""

import math
import time
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Max, Sum
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation.jobs import (
    STOPPING,
    JobLost,
    JobPaused,
    JobRefused,
    NoProgress,
    Progress,
    database_now,
    name_process,
    new_token,
    register_handler,
    register_sweeper,
    renew_leases,
)
from annotation.jobs.heartbeats import BEAT_SECONDS
from annotation.jobs.priorities import TURN_SECONDS
from annotation.models import Job, JobState
from annotation.services.core.errors import BadInput
from annotation.services.scores.score_jobs import start_scoring
from annotation.transactions import write_transaction
from epitome.figures.numbers import format_money
from epitome.schema import SchemaError
from modelbridge.models import OutputState, Run
from modelbridge.services.runs import output_leases, run_meters, warm_systems
from modelbridge.services.runs.run_progress import progress_of
from modelbridge.services.runs.runs import KIND, cancel_run, jobs_of, queue_jobs
from modelbridge.services.runs.system_processes import HOSTS, Host, HostDied, HostFault, Reply, WorkCancelled
from modelbridge.services.runs.system_requests import BatchWork, build_work
from modelbridge.services.systems.weights_access import list_weight_names, refuse_foreign_weights

LOADS = 3
"""Attempts to load a system before the run fails."""
GRACE = 2.0
"""Seconds a batch may still take after the worker was asked to stop."""
MOST_SLICES = 10
"""Time slices in a row while nothing else waits; broker messages are repeated when one takes too long."""
SMALLEST_SHARE = 8
"""Rows of the last batches, which the workers of a run share evenly, at least."""


class RunWorker:
    """One worker's share of a run. `token` marks the rows it leases. job: its job, None for a command."""

    def __init__(self, run: Run, progress: Progress, job: Job | None = None) -> None:
        self.run, self.progress, self.job = run, progress, job
        self.token = new_token()
        self.asked_to_end = 0.0
        self.texts_per_row = 0.0 if run.reads_texts else 1.0
        self.host: Host | None = None
        self.ahead: BatchWork | None = None
        """Sent to the system, after the batch that it works on."""
        self.has_output = False
        """Whether a sample is known to have one, so that its fault is no longer that of all."""
        self.doubts_all = False
        """Whether so many failed alike that the shortest source is tried next."""
        self.n_batches = 0
        self.batch_seconds = 0.0
        """Of the last batch."""
        self.load_seconds = 0.0
        self.reported = time.monotonic()

    def work(self, seconds: float | None = None) -> bool:
        """Work until nothing can be claimed (True) or, where others wait, until `seconds` have passed (whether the run
        has ended).

        Raises HostFault, JobLost."""
        began = time.monotonic()
        try:
            while self.is_wanted():
                if STOPPING.is_set():
                    return False
                output_leases.fail_exhausted_outputs(self.run)
                gives_way = seconds is not None and self._gives_way(time.monotonic() - began, seconds)
                if gives_way and self.n_batches and self.ahead is None:
                    return output_leases.settle_run(self.run)
                # A slow system gains nothing by the batch after it, and whoever waits would wait for both.
                is_quick = self.batch_seconds < TURN_SECONDS
                if not self.work_batch(prepares_next=is_quick and not gives_way):
                    break
        finally:
            self._drop_ahead()
        output_leases.settle_run(self.run)
        return True

    def _gives_way(self, elapsed: float, seconds: float) -> bool:
        """Whether the job has had its turn, its time slice is over and another job waits, or the last of several slices
        in a row is."""
        if elapsed < seconds or self.job is None:
            return elapsed >= seconds or self.progress.is_turn_over()
        return elapsed >= MOST_SLICES * seconds or warm_systems.is_other_work_waiting(self.job)

    def work_batch(self, *, prepares_next: bool = False) -> int:
        """Claim a batch, unless one is sent already, have it generated, store it; returns how many rows it had.

        prepares_next: send the batch after it too. Raises HostFault, JobLost."""
        try:
            work = self._take_ahead() or self._send_batch()
            if work is None:
                return 0
            assert self.host is not None
            begun = time.monotonic()
            with renew_leases(f"outputs-{self.run.pk}", self.run.outputs.held_by(self.token)):
                if prepares_next and self.texts_per_row and self.run.budget is None:
                    self.ahead = self._send_batch(ahead=True)
                self._store(work, self.host.receive(self.is_wanted))
                self.report_progress()
            self._stop_if_all_fail()
            self.batch_seconds = time.monotonic() - begun
            return len(work.outputs)
        except HostDied as error:
            self.ahead = None
            return output_leases.release_outputs(self.run, self.token, reason=str(error))
        except WorkCancelled:
            self.ahead = None
            output_leases.release_outputs(self.run, self.token, counted=False)
            return 0
        except BaseException:
            self._drop_ahead()
            output_leases.release_outputs(self.run, self.token, counted=False)
            raise

    def _take_ahead(self) -> BatchWork | None:
        """The batch that the system already has, now started."""
        work, self.ahead = self.ahead, None
        if work is not None:
            output_leases.begin_batch(self.run, self.token, work.outputs)
        return work

    def _send_batch(self, *, ahead: bool = False) -> BatchWork | None:
        """Claim a batch and send it; None where nothing can be claimed."""
        if not ahead:
            self._check_budget()
            self.host = self._host()
        assert self.host is not None
        limit = 1 if self.doubts_all else self._count_rows(self.host.limit)
        batch = output_leases.claim_batch(self.run, self.token, limit, ahead=ahead, last_first=self.doubts_all)
        if not batch:
            return None
        work = build_work(self.run, batch)
        self.host.send(work.message)
        return work

    def _store(self, work: BatchWork, reply: Reply) -> None:
        """The results, and in the same transaction how busy this worker was."""
        collected = work.collect(self.run.revision.role, reply.results)
        with write_transaction():
            run_meters.add_batch(
                self.run,
                reply.meter,
                reply.results,
                n_stored=output_leases.store_results(self.run, self.token, collected),
                is_first=not self.n_batches,
                loaded=self.load_seconds,
            )
        self.n_batches, self.load_seconds = self.n_batches + 1, 0.0
        self.texts_per_row = max(1.0, len(reply.results) / len(work.outputs))

    def _stop_if_all_fail(self) -> None:
        """Raises HostFault where the first samples and the one with the shortest source failed alike."""
        if self.has_output:
            return
        fault = output_leases.find_shared_fault(self.run)
        self.doubts_all = fault is not None
        if fault is None:
            self.has_output = self.run.outputs.filter(state=OutputState.DONE).exists()
        elif fault.is_of_all:
            words = ngettext(
                "The first %(n)d sample failed alike: %(why)s", "The first %(n)d samples failed alike: %(why)s", fault.n
            )
            raise HostFault(words % {"n": fault.n, "why": fault.reason})

    def _drop_ahead(self) -> None:
        """End the system's process if it still has a batch, whose outputs wait again."""
        if self.ahead is not None and self.host is not None:
            self.ahead = None
            self.host.close()
            output_leases.release_outputs(self.run, self.token, counted=False)

    def _count_rows(self, limit: int) -> int:
        """How many rows to claim for about `limit` requests; one until it is known how many texts a row has. Workers
        that share the run share its last rows evenly."""
        if not self.texts_per_row:
            return 1
        rows = max(1, int(limit / self.texts_per_row))
        n_workers = jobs_of(self.run).filter(state=JobState.RUNNING).count()
        if n_workers < 2:
            return rows
        share = math.ceil(output_leases.count_waiting(self.run) / n_workers)
        return min(rows, max(share, SMALLEST_SHARE))

    def _check_budget(self) -> None:
        """Raises HostFault once the outputs of the run have cost its budget."""
        if self.run.budget is None:
            return
        spent = self.run.outputs.aggregate(cost=Sum("cost"))["cost"] or 0.0
        if spent >= self.run.budget:
            words = _("The budget of %(n)s is spent. Resume with a larger one to do the rest.")
            raise HostFault(words % {"n": format_money(self.run.budget)})

    def is_wanted(self) -> bool:
        """Whether to continue: the run is under way, the worker still owns its job and was not asked to stop."""
        if STOPPING.is_set():
            self.asked_to_end = self.asked_to_end or time.monotonic()
            if time.monotonic() - self.asked_to_end > GRACE:
                return False
        under_way = Run.objects.under_way().filter(pk=self.run.pk).exists()
        return under_way and self.is_ours()

    def is_ours(self) -> bool:
        """Whether this worker still owns its job; a command has none."""
        return self.job is None or self.job.held().exists()

    def _host(self) -> Host:
        """The loaded system. A process that dies while loading is started up to LOADS times. Raises HostFault."""
        self._check_weights()
        for tried in range(1, LOADS + 1):
            try:
                host = HOSTS.get(self.run.revision.config, self.is_wanted)
                if seconds := host.take_load_seconds():
                    self.load_seconds += seconds
                    self._report_loaded()
                return host
            except HostDied as error:
                if tried == LOADS:
                    raise HostFault(_("The system could not be loaded: %(why)s") % {"why": error}) from error
        raise AssertionError("unreachable")

    def _check_weights(self) -> None:
        """Raises HostFault for weights that the project may not use; an operator's command names any."""
        revision = self.run.revision
        if revision.created_by_id is None:
            return
        try:
            refuse_foreign_weights(project=self.run.project, names=list_weight_names(revision.config))
        except BadInput as error:
            raise HostFault(error.message) from error

    def _report_loaded(self) -> None:
        """Store what this worker has loaded, for others that look for work; a command takes no work from others."""
        if self.job is not None:
            self.reported = time.monotonic()
            warm_systems.store_loaded(name_process(), warm_systems.list_loaded())

    def report_progress(self) -> None:
        """Store how many outputs are done or failed, and reset the attempts of a job that advanced."""
        run_progress = progress_of(self.run)
        self.progress.set(run_progress.done + run_progress.failed, run_progress.total, run_progress.note)
        if self.job is not None:
            with write_transaction():  # progress was made: reset the job's attempts
                self.job.held().update(attempts=1)
        if time.monotonic() - self.reported >= BEAT_SECONDS:
            self._report_loaded()


def work_in_process(run: Run, progress: Progress | None = None) -> None:
    """Work on a run in this process until it has ended, together with any other workers.

    Between two batches `progress.checkpoint()` is called where it says that the turn is over, so that a job of which a
    run is a part gives way. Raises HostFault.
    """
    worker = RunWorker(run, progress or NoProgress())
    while worker.is_wanted():
        output_leases.release_dead_leases(run)
        _work_or_fail(worker, math.inf)
        if Run.objects.under_way().filter(pk=run.pk).exists():
            worker.progress.checkpoint()
            time.sleep(0.5)  # the remaining outputs are leased by others


def _work_or_fail(worker: RunWorker, seconds: float | None) -> bool:
    """`work`, but the run fails if its system cannot continue. Raises HostFault."""
    try:
        return worker.work(seconds)
    except HostFault as error:
        output_leases.fail_run(worker.run, str(error))
        raise
    except SchemaError as error:
        output_leases.fail_run(worker.run, str(error))
        raise HostFault(str(error)) from error


def _cancel_with_job(job: Job, by: AbstractBaseUser | None) -> None:
    cancel_run(run=Run.objects.select_related("project").get(pk=job.arguments["run"]), by=by)


def _title_job(job: Job) -> str:
    """With the system's key, and the worker's number where several share the run."""
    words = {"system": job.arguments.get("system", ""), "n": job.arguments.get("worker", 1)}
    if not words["system"]:
        return ""
    return (_("Run %(system)s, worker %(n)d") if words["n"] > 1 else _("Run %(system)s")) % words


@register_handler(
    KIND,
    gettext_lazy("Run a system"),
    queue="text",
    takes_turns=True,
    page="runs",
    kept=gettext_lazy("The texts made so far stay; the run can be resumed."),
    cancelled=_cancel_with_job,
    title=_title_job,
)
def work_on_run(job: Job, progress: Progress) -> dict[str, Any]:
    """Work on a run for a time slice, then yield to other jobs in the queue."""
    run = Run.objects.select_related("revision__system", "project").filter(pk=job.arguments.get("run")).first()
    if run is None:
        raise JobRefused(_("The run was deleted."))
    worker = RunWorker(run, progress, job)
    try:
        ended = _work_or_fail(worker, settings.EPITOME_RUN_SLICE_SECONDS)
    except HostFault as error:
        raise JobRefused(str(error)) from error
    if not worker.is_ours():
        raise JobLost(f"job {job.pk} of run {run.pk} was called off")
    if not ended:
        raise JobPaused
    if Run.objects.writing().done().filter(pk=run.pk).exists():  # now, and not with the next sweep: somebody waits
        start_scoring(project=run.project, by=None, automatic=True)
    return {"run": str(run.public_id)}


@register_sweeper
def restart_stalled_runs() -> int:
    """Queue jobs for runs that nobody works on, and end those that are complete or keep failing; returns how many."""
    moved = 0
    for run in Run.objects.under_way().select_related("revision", "project"):
        output_leases.fail_exhausted_outputs(run)
        if output_leases.settle_run(run):
            moved += 1
        elif not jobs_of(run).under_way().exists() and not _is_worked_on(run):
            moved += 1
            restart_run(run)
    return moved


def _is_worked_on(run: Run) -> bool:
    """Whether it is worked on without a job, as by a command, or was active within the last lease period."""
    now = database_now()
    if run.outputs.in_work(now).exists():
        return True
    last = run.outputs.aggregate(last=Max("finished_at"))["last"] or run.created_at
    is_recent: bool = (now - last).total_seconds() < settings.EPITOME_JOB_LEASE_SECONDS
    return is_recent


def restart_run(run: Run) -> None:
    """Queue the jobs of a run again; fail the run when its last job died without storing an output."""
    last = jobs_of(run).order_by("-pk").first()
    stuck = last is not None and last.state == JobState.DEAD
    if last is not None and stuck and not run.outputs.filter(finished_at__gte=last.created_at).exists():
        output_leases.fail_run(run, last.error)
        return
    with write_transaction():
        queue_jobs(run)

"""Starting, cancelling and resuming runs. The list of samples is frozen when a run starts."""

import math
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, User
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.jobs import create_job
from annotation.models import AuditVerb, Job, JobState, Project
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict
from annotation.transactions import write_transaction
from epitome.schema import SchemaError
from epitome.systems.registry import KINDS, find_queue
from epitome.systems.roles import traits_of
from modelbridge.models import OutputState, Run, RunState, SystemOutput, SystemRevision
from modelbridge.models.runs import TEST
from modelbridge.services.runs.extracts import find_extract_run
from modelbridge.services.runs.ranking_texts import name_release
from modelbridge.services.runs.run_names import complete_over
from modelbridge.services.runs.run_options import check_options
from modelbridge.services.runs.sample_selection import (
    ListedSample,
    count_left_out,
    describe_left_out,
    find_test_sample,
    list_samples,
    parse_asks,
    work_orders,
)
from modelbridge.services.runs.text_sets import find_text_set
from modelbridge.services.runs.worked_examples import draw_run_examples

KIND = "run"
BATCH = 1000
SAMPLES_PER_WORKER = 64
"""Smaller runs get a single worker: loading the model twice would take longer than the work."""
MAX_SEED = 2**63 - 1
MAX_BUDGET = 1e9


def start_run(
    *,
    project: Project,
    revision: SystemRevision,
    split: str = "",
    asks: str = "",
    by: AbstractBaseUser | None,
    seed: int = 0,
    label: str = "",
    over: str = "",
    options: Mapping[str, Any] | None = None,
    budget: float | None = None,
    is_test: bool = False,
    queue_it: bool = True,
) -> Run:
    """Freeze the list of samples and queue the work. queue_it=False: the caller does the work itself (run_system).
    is_test: a test of the system on one sample, see `TEST`.

    asks: attributes by commas; only samples that ask for exactly these. over: of a system that scores, ranks, rewrites
    or judges texts, the set of texts (text_sets.py); only samples that have one are in the list. options: of a judge,
    see run_options.py. budget: the run stops once its outputs have cost so much, in the currency of the system's price.

    Raises BadInput: a system that runs elsewhere, texts that do not fit its role, no sample; Conflict: too many runs of
    this user.
    """
    _check_runnable(revision, seed)
    _check_budget(revision, budget)
    if is_test and (over or not traits_of(revision.role).writes):
        raise BadInput(_("Only a system that writes summaries can be tested on one sample."), field="system")
    checked_options = check_options(revision.role, options or {})
    asks, over = parse_asks(project, asks), complete_over(project, name_release(project, over))
    samples, left_out = _list_run_samples(project, revision.role, split, asks, over)
    if not samples:
        raise BadInput(_no_samples(project, split, asks, over), field="over" if over else "split", code="nosamples")
    notes: dict[str, Any] = {
        **draw_run_examples(project=project, revision=revision, judge_options=checked_options),
        **find_extract_run(project, revision),
    }
    with write_transaction():
        if by is not None and queue_it:
            check_run_limit(project, by)
        return create_run(
            project=project,
            revision=revision,
            samples=[find_test_sample(project)] if is_test else samples,
            by=by,
            queue_it=queue_it,
            label=label[:200],
            split=split,
            asks=asks,
            over=TEST if is_test else over,
            options=checked_options,
            left_out=left_out,
            notes=notes,
            seed=seed,
            budget=budget,
        )


def create_run(
    *,
    project: Project,
    revision: SystemRevision,
    samples: list[ListedSample],
    by: AbstractBaseUser | None,
    queue_it: bool,
    **fields: Any,
) -> Run:
    """Store a run with its list of samples and queue its work; call inside a transaction. fields: of the row."""
    run = Run.objects.create(
        project=project,
        revision=revision,
        n_samples=len(samples),
        created_by_id=by.pk if by is not None else None,
        **fields,
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
    if revision.declared_kind.elsewhere:
        raise BadInput(_("This system runs elsewhere. Upload its predictions."), field="system", code="upload")
    if revision.kind not in KINDS:
        raise BadInput(_("The kind %(kind)s no longer exists.") % {"kind": revision.kind}, field="system", code="kind")
    if not 0 <= seed <= MAX_SEED:
        raise BadInput(_("The seed must be a whole number from 0."), field="seed", code="seed")


def read_budget(text: str) -> float | None:
    """The budget that a person wrote; None for nothing. Raises BadInput."""
    if not text.strip():
        return None
    try:
        budget = float(text)
    except ValueError:
        budget = math.nan
    if not 0 < budget < MAX_BUDGET:
        raise BadInput(_("A budget is a number above 0."), field="budget", code="budget")
    return budget


def has_price(revision: SystemRevision) -> bool:
    """Whether the system's configuration states what its tokens cost."""
    try:
        return bool(getattr(revision.config.settings, "price", None))
    except SchemaError:  # written for another version of the program
        return False


def _check_budget(revision: SystemRevision, budget: float | None) -> None:
    """Raises BadInput: no amount, or the system states no price, so that nothing would ever be counted."""
    if budget is None:
        return
    if not 0 < budget < MAX_BUDGET:
        raise BadInput(_("A budget is a number above 0."), field="budget", code="budget")
    if not has_price(revision):
        message = _("This system states no price ([options.price]), so a budget cannot be kept.")
        raise BadInput(message, field="budget", code="noprice")


def _list_run_samples(
    project: Project, role: str, split: str, asks: str, over: str
) -> tuple[list[ListedSample], dict[str, int]]:
    """The samples of a run, and why others are left out. Raises BadInput: `over` does not fit the role."""
    samples, left_out = list_samples(project, split, asks), count_left_out(project, split)
    if asks and (n_others := len(list_samples(project, split)) - len(samples)):
        left_out["other attributes"] = n_others
    if traits_of(role).writes:
        if over:
            message = _("This system writes texts from sources; it does not work on texts that are there already.")
            raise BadInput(message, field="over", code="over")
        return samples, left_out
    text_set, argument = find_text_set(over, role)
    text_set.check(project, argument)
    having_text = set(text_set.list_samples(project, argument))
    chosen = [sample for sample in samples if sample.pk in having_text]
    return chosen, left_out | ({"no text": len(samples) - len(chosen)} if len(chosen) < len(samples) else {})


def _no_samples(project: Project, split: str, asks: str, over: str) -> str:
    if over and list_samples(project, split, asks):
        return _("No sample of these has such a text.")
    if asks and list_samples(project, split):
        return _("No sample asks for exactly %(asks)s.") % {"asks": asks.replace(",", ", ")}
    waiting = count_left_out(project, split)
    if waiting:
        return _("No sample is ready. Left out: %(why)s.") % {"why": describe_left_out(waiting)}
    if split:
        return _('There is no sample in the split "%(split)s".') % {"split": split[:20]}
    return _("There are no samples yet. Import references or draw samples.")


def check_run_limit(project: Project, by: AbstractBaseUser) -> None:
    """Limit a user's concurrent runs in a project, as for other jobs. Raises Conflict."""
    limit: int = settings.EPITOME_JOBS_AT_ONCE
    if not limit:
        return
    list(User.objects.select_for_update(no_key=True).filter(pk=by.pk).values_list("pk"))
    if Run.objects.under_way().filter(project=project, created_by=by.pk).count() >= limit:
        message = ngettext(
            "%(n)d of your runs is already waiting or running in this project. Start this one when it has finished.",
            "%(n)d of your runs are already waiting or running in this project. "
            "Start this one when one of them has finished.",
            limit,
        )
        raise Conflict(message % {"n": limit}, code="toomanyruns")


def queue_jobs(run: Run) -> None:
    """Queue one job per worker that should share the run; call inside a transaction."""
    open_outputs = run.outputs.filter(state__in=OutputState.OPEN).count()
    n_workers = min(settings.EPITOME_RUN_WORKERS, max(1, math.ceil(open_outputs / SAMPLES_PER_WORKER)))
    n_live = jobs_of(run).under_way().count()
    kind = KINDS[run.revision.kind]
    queue = find_queue(run.revision.config) if kind.wraps_system else kind.queue
    for number in range(n_live, n_workers):
        job = create_job(
            kind=KIND,
            project=run.project,
            by=None,
            arguments={"run": run.pk, "system": run.revision.system.key, "worker": number + 1},
            queue=queue,
        )
        Run.objects.filter(pk=run.pk).update(job=job)
        run.job = job


def jobs_of(run: Run) -> Any:
    return Job.objects.filter(project=run.project_id, kind=KIND, arguments__run=run.pk)


def find_unfinished_run(
    *,
    revision: SystemRevision,
    split: str,
    seed: int,
    asks: str = "",
    over: str = "",
    options: Mapping[str, Any] | None = None,
) -> Run | None:
    """The newest run of a revision over the same samples and texts with a seed, unless it is complete."""
    project = revision.system.project
    asks, over = parse_asks(project, asks), complete_over(project, name_release(project, over))
    same = {"revision": revision, "split": split, "asks": asks, "seed": seed, "over": over}
    same["options"] = check_options(revision.role, options or {})
    runs = Run.objects.filter(**same).select_related("revision__system", "project")
    last = runs.order_by("-pk").first()
    complete = last is not None and last.state == RunState.DONE
    return None if last is None or complete else last


def cancel_run(*, run: Run, by: AbstractBaseUser | None) -> Run:
    """Cancel the run, including the batches being generated. Raises Conflict when it has ended."""
    now = timezone.now()
    with write_transaction():
        stopped = Run.objects.under_way().filter(pk=run.pk).update(state=RunState.CANCELLED, finished_at=now)
        if not stopped:
            raise Conflict(_("This run has already ended."), code="ended")
        jobs_of(run).under_way().end(JobState.CANCELLED, finished_at=now)
        audit.record_event(project=run.project, actor=by, verb=AuditVerb.RUN_CANCEL, target=f"run:{run.public_id}")
    run.refresh_from_db()
    return run


def resume_run(*, run: Run, by: AbstractBaseUser | None, budget: float | None = None, queue_it: bool = True) -> Run:
    """Resume a cancelled, failed or incomplete run; failed samples are retried, finished ones are kept.

    budget: instead of the one that it has. Raises Conflict: it is under way or complete; BadInput: the budget.
    """
    _check_budget(run.revision, budget)
    changes = {"budget": budget} if budget is not None else {}
    with write_transaction():
        if run.revision.declared_kind.elsewhere:
            raise Conflict(_("An upload cannot be resumed."), code="upload")
        failed = run.outputs.filter(state=OutputState.FAILED)
        if run.state == RunState.DONE and not failed.exists():
            raise Conflict(_("Every sample already has an output."), code="complete")
        resumed = Run.objects.filter(pk=run.pk).exclude(state__in=RunState.UNDER_WAY).update(
            state=RunState.QUEUED, finished_at=None, error="", **changes
        )  # fmt: skip
        if not resumed:
            raise Conflict(_("This run is already in progress."), code="underway")
        failed.update(state=OutputState.WAITING, attempts=0, error="", finished_at=None)
        run.outputs.filter(state=OutputState.WAITING).update(attempts=0, error="")
        run.refresh_from_db()
        if queue_it:
            queue_jobs(run)
        audit.record_event(project=run.project, actor=by, verb=AuditVerb.RUN_RESUME, target=f"run:{run.public_id}")
    return run

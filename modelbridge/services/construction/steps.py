"""Starting, stopping and resuming the steps of a construction. What is asked is frozen when a step starts."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.jobs import create_job
from annotation.kinds import get_task_kind
from annotation.models import AuditVerb, Job, JobState, Project
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict, NotFound
from annotation.services.core.word_patterns import join_names
from annotation.transactions import write_transaction
from epitome.construction.estimates import Estimate, estimate_focus, estimate_readability
from epitome.construction.steps import STEPS, StepPlan, default_options
from epitome.construction.summaries import draw_sample
from epitome.systems.chat_options import ChatOptions
from epitome.systems.cleaning import clean_text
from modelbridge.models import ConstructionStep, Rewrite, RewriteState, RunState, SystemRevision
from modelbridge.services.construction.built_pool import list_test_originals
from modelbridge.services.construction.calls import ask_again
from modelbridge.services.construction.papers import list_papers

KIND = "construction"
MAX_SIZE = 1_000_000
MAX_SEED = 2**63 - 1
BATCH = 1000
NEEDED_ATTRIBUTES = ("length", "keywords", "readability", "focus")


def find_plan(key: str) -> StepPlan:
    """Raises NotFound, which lists the steps."""
    if key not in STEPS:
        raise NotFound(
            _("There is no step %(key)s; there are: %(known)s.") % {"key": key[:40], "known": join_names(STEPS)}
        )
    return STEPS[key]


def check_project(project: Project) -> None:
    """Raises BadInput: only a project of summaries with CCSBench's attributes can be constructed."""
    schema = project.schema_version.schema
    missing = [key for key in NEEDED_ATTRIBUTES if schema.find(key) is None]
    if missing or not get_task_kind(project.kind, has_sample=True).summarizes:
        message = _("The schema needs the attributes of the preset ccsbench: length, keywords, readability and focus.")
        raise BadInput(message, field="project", code="schema")


def check_options(plan: StepPlan, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a step with its defaults. Raises BadInput naming the option."""
    checked = default_options(plan)
    for name, value in options.items():
        if name not in checked:
            raise BadInput(_("This step has no option %(name)s.") % {"name": str(name)[:40]}, field=str(name)[:40])
        checked[name] = _check_option(name, value)
    return checked


def _check_option(name: str, value: Any) -> Any:
    if name == "exact":
        if not isinstance(value, bool):
            raise BadInput(_("This value has the wrong type."), field=name)
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadInput(_("This value has the wrong type."), field=name)
    if name == "keyword_share":
        if not 0 <= value <= 1:
            raise BadInput(_("Give a share from 0 to 1."), field=name)
        return float(value)
    if not isinstance(value, int) or not 1 <= value <= MAX_SIZE:
        raise BadInput(_("Give a whole number from 1 to %(n)d.") % {"n": MAX_SIZE}, field=name)
    return value


def find_step(project: Project, key: str) -> ConstructionStep | None:
    steps = ConstructionStep.objects.filter(project=project, key=key)
    return steps.select_related("revision__system", "project").first()


def start_step(
    *,
    project: Project,
    key: str,
    revision: SystemRevision | None = None,
    options: Mapping[str, Any] | None = None,
    seed: int | None = None,
    by: AbstractBaseUser | None,
    queue_it: bool = True,
) -> ConstructionStep:
    """Start a step, or go on with one that was stopped or has failed calls. queue_it=False: the caller does the work.

    revision: of a system of kind chat-rewrite, for steps that ask one. seed: 0 if absent. A resumed step keeps its
    options, its seed and every answer it has; what is still to be asked is asked of this revision.

    Raises NotFound: no such step; BadInput: the schema, the system or an option does not fit; Conflict: a step it needs
    is not done, it is under way, it is complete, or it was started with other options or another seed.
    """
    plan = find_plan(key)
    check_project(project)
    if seed is not None and not 0 <= seed <= MAX_SEED:
        raise BadInput(_("The seed must be a whole number from 0."), field="seed", code="seed")
    _check_revision(plan, revision)
    _check_needs(project, plan)
    earlier = find_step(project, key)
    if earlier is not None:
        return _resume_step(earlier, revision, options or {}, seed, by=by, queue_it=queue_it)
    seed = seed or 0
    checked_options = check_options(plan, options or {})
    planned = plan_calls(project, key, checked_options, seed)
    if plan.asks and not planned:
        raise BadInput(_("There is no paper with an abstract. Import papers first."), field="project", code="nopapers")
    try:
        return _store_step(project, plan, revision, checked_options, seed, planned, by=by, queue_it=queue_it)
    except IntegrityError:  # the same step was started at the same moment
        raise Conflict(_("This step is already in progress."), code="underway") from None


def _store_step(
    project: Project,
    plan: StepPlan,
    revision: SystemRevision | None,
    options: dict[str, Any],
    seed: int,
    planned: Sequence[Rewrite],
    *,
    by: AbstractBaseUser | None,
    queue_it: bool,
) -> ConstructionStep:
    with write_transaction():
        step = ConstructionStep.objects.create(
            project=project,
            key=plan.key,
            revision=revision if plan.asks else None,
            options=options,
            seed=seed,
            created_by_id=by.pk if by is not None else None,
        )
        for call in planned:
            call.step = step
        Rewrite.objects.bulk_create(planned, batch_size=BATCH)
        if queue_it:
            queue_step(step)
        _record_event(step, by, AuditVerb.CONSTRUCTION_START)
    return step


def _resume_step(
    step: ConstructionStep,
    revision: SystemRevision | None,
    options: Mapping[str, Any],
    seed: int | None,
    *,
    by: AbstractBaseUser | None,
    queue_it: bool,
) -> ConstructionStep:
    changed_options: dict[str, Any] = {**options, **({} if seed is None else {"seed": seed})}
    for name, value in changed_options.items():
        if {**step.options, "seed": step.seed}.get(name) != value:
            raise Conflict(
                _("The step was started with another %(name)s.") % {"name": str(name)[:40]}, field=str(name)[:40]
            )
    with write_transaction():
        failed = step.rewrites.failed()
        if step.state == RunState.DONE and not failed.exists():
            raise Conflict(_("This step is complete."), code="complete")
        resumed = ConstructionStep.objects.filter(pk=step.pk).exclude(state__in=RunState.UNDER_WAY).update(
            state=RunState.QUEUED, error="", finished_at=None, revision=revision if STEPS[step.key].asks else None
        )  # fmt: skip
        if not resumed:
            raise Conflict(_("This step is already in progress."), code="underway")
        ask_again(step)
        step.refresh_from_db()
        if queue_it:
            queue_step(step)
        _record_event(step, by, AuditVerb.CONSTRUCTION_START)
    return step


def _check_revision(plan: StepPlan, revision: SystemRevision | None) -> None:
    if not plan.asks:
        return
    if revision is None:
        raise BadInput(_("Choose a system of kind chat-rewrite."), field="system", code="system")
    if not revision.declared_kind.rewrites:
        raise BadInput(_("This step needs a system of kind chat-rewrite."), field="system", code="kind")


def _check_needs(project: Project, plan: StepPlan) -> None:
    ended = ConstructionStep.objects.filter(project=project, state=RunState.DONE).values_list("key", flat=True)
    missing = [key for key in plan.needs if key not in set(ended)]
    if missing:
        raise Conflict(_("First come the steps: %(steps)s.") % {"steps": join_names(missing)}, code="needs")


def plan_calls(project: Project, key: str, options: Mapping[str, Any], seed: int) -> list[Rewrite]:
    """The first calls of a step, not stored; [] for steps that ask nobody."""
    if key == "compositional":
        originals = list_test_originals(project, n=options["test"], seed=seed)
        return [
            Rewrite(
                project=project,
                document_id=original.document,
                base_id=original.annotation,
                call=Rewrite.Call.READABILITY,
                subject=original.aspect,
                text=original.summary.text,
            )
            for original in originals
        ]
    if not STEPS[key].asks:
        return []
    papers = draw_sample(list_papers(project), options["n"], seed, key, lambda paper: paper.external_id)
    first = Rewrite.Call.READABILITY if key == "readability" else Rewrite.Call.IDENTIFICATION
    return [
        Rewrite(
            project=project,
            document_id=paper.document,
            base_id=paper.base[0] if paper.base is not None else None,
            call=first,
            subject="abstract",
            text=paper.abstract,
        )
        for paper in papers
    ]


def estimate_step(
    *,
    project: Project,
    key: str,
    revision: SystemRevision | None,
    options: Mapping[str, Any] | None = None,
    seed: int | None = None,
) -> Estimate:
    """What starting or resuming a step would cost; nothing is stored and nobody is asked. Raises as `start_step`, but
    not Conflict for what is complete."""
    plan = find_plan(key)
    check_project(project)
    checked_options = check_options(plan, options or {})
    _check_revision(plan, revision)
    _check_needs(project, plan)
    step = find_step(project, key)
    if step is None:
        texts = [call.text for call in plan_calls(project, key, checked_options, seed or 0)]
    else:
        again = step.rewrites.filter(state__in=(*RewriteState.OPEN, RewriteState.FAILED))
        texts = list(again.values_list("text", flat=True))
    settings_of_system = cast(ChatOptions, revision.config.settings) if revision is not None else None
    price = settings_of_system.price if settings_of_system is not None else None
    own_texts = settings_of_system.prompt if settings_of_system is not None else None
    estimate = estimate_focus if key == "focus" else estimate_readability
    return estimate(texts, price, own_texts)


def stop_step(*, step: ConstructionStep, by: AbstractBaseUser | None) -> ConstructionStep:
    """Stop asking. Calls under way are still answered and stored, because they are paid for. Raises Conflict."""
    now = timezone.now()
    with write_transaction():
        stopped = ConstructionStep.objects.under_way().filter(pk=step.pk).update(
            state=RunState.CANCELLED, finished_at=now
        )  # fmt: skip
        if not stopped:
            raise Conflict(_("This step has already ended."), code="ended")
        jobs_of_step(step).filter(state=JobState.QUEUED).end(JobState.CANCELLED, finished_at=now)
        _record_event(step, by, AuditVerb.CONSTRUCTION_STOP)
    step.refresh_from_db()
    return step


def fail_step(step: ConstructionStep, reason: str) -> None:
    """The step cannot go on; its answers are kept, and it can be resumed."""
    with write_transaction():
        ConstructionStep.objects.under_way().filter(pk=step.pk).update(
            state=RunState.FAILED, finished_at=timezone.now(), error=clean_text(reason, 2000)[0]
        )


def queue_step(step: ConstructionStep) -> None:
    """Queue a job that works on the step; call inside a transaction."""
    job = create_job(kind=KIND, project=step.project, by=None, arguments={"step": step.pk})
    ConstructionStep.objects.filter(pk=step.pk).update(job=job)
    step.job = job


def jobs_of_step(step: ConstructionStep) -> Any:
    return Job.objects.filter(project=step.project_id, kind=KIND, arguments__step=step.pk)


def _record_event(step: ConstructionStep, by: AbstractBaseUser | None, verb: AuditVerb) -> None:
    audit.record_event(
        project=step.project, actor=by, verb=verb, target=f"construction:{step.public_id}", step=step.key
    )

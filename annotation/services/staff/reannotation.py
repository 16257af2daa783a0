"""After a rule change: summaries written under older rules, and batches that have them redone.

`return` sends a summary back to its writer for revision under the new rules; `reopen` voids it and reopens its slot for
somebody else. The old text is kept either way.
"""

import uuid
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Count, F, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.kinds import Kind, get_task_kind
from annotation.models import (
    Annotation,
    Assignment,
    AssignmentState,
    AuditVerb,
    BulkAction,
    GuidelineVersion,
    Project,
    Withdrawal,
)
from annotation.services.core import audit
from annotation.services.core.errors import BadInput
from annotation.services.core.retry import retry_on_contention
from annotation.services.tasks import leases, revisions
from annotation.transactions import write_transaction

REDOABLE_STATES = (AssignmentState.SUBMITTED, AssignmentState.ACCEPTED)
ACTIONS = {"return": AssignmentState.RETURNED, "reopen": AssignmentState.VOID}
MAX_BATCH = 500


@dataclass(frozen=True, slots=True)
class Batch:
    """Preview or result of a batch. attempts: to be changed, of `writers` people; left: chosen but not changed."""

    action: str
    attempts: tuple[uuid.UUID, ...]
    writers: int
    left: int


@dataclass(frozen=True, slots=True)
class Tally:
    """Summaries of one writer under one version."""

    annotator: int
    username: str
    version: int
    n: int


def latest_rule_version(project: Project) -> GuidelineVersion:
    """The newest version that changed a rule."""
    return _list_rule_versions(project)[0]


def _list_rule_versions(project: Project) -> "QuerySet[GuidelineVersion]":
    rules = GuidelineVersion.objects.filter(project=project, change=GuidelineVersion.Change.RULE)
    return rules.order_by("-number")


def latest_rule_number(project: Project) -> int:
    """The number of `latest_rule_version`."""
    return _list_rule_versions(project).values_list("number", flat=True)[0]


def affected_assignments(
    project: Project, *, annotator: int | None = None, version: int | None = None
) -> QuerySet[Assignment]:
    """Assignments submitted or accepted under rules that have changed since, in order of id."""
    rows = Assignment.objects.filter(
        project=project,
        state__in=REDOABLE_STATES,
        sample__isnull=False,
        guideline_version__number__lt=latest_rule_number(project),
    )
    if annotator is not None:
        rows = rows.filter(annotator_id=annotator)
    if version is not None:
        rows = rows.filter(guideline_version__number=version)
    return rows.select_related("guideline_version", "group__document", "sample", "annotator").order_by("pk")


def tally_affected(project: Project) -> list[Tally]:
    """Per writer and version, the newest version first."""
    rows = (
        affected_assignments(project)
        .order_by()
        .values("annotator_id", name=F("annotator__username"), number=F("guideline_version__number"))
        .annotate(n=Count("pk"))
        .order_by("-number", "name")
    )
    return [Tally(row["annotator_id"], row["name"], row["number"], row["n"]) for row in rows]


def preview_batch(*, project: Project, action: str, chosen: Iterable[uuid.UUID]) -> Batch:
    """What `carry_out` would do now; nothing is stored. Raises BadInput."""
    ids = _check_request(action, chosen)
    attempts = list(affected_assignments(project).filter(public_id__in=ids))
    return _build_batch(action, attempts, len(ids))


def _check_request(action: str, chosen: Iterable[uuid.UUID]) -> set[uuid.UUID]:
    ids = set(chosen)
    if action not in ACTIONS:
        raise BadInput(_("Choose return or reopen."), field="action")
    if not ids:
        raise BadInput(_("Choose at least one task."), field="assignments")
    if len(ids) > MAX_BATCH:
        raise BadInput(_("Choose at most %(n)d tasks at a time.") % {"n": MAX_BATCH}, field="assignments")
    return ids


def _build_batch(action: str, attempts: list[Assignment], n_chosen: int) -> Batch:
    writers = len({attempt.annotator_id for attempt in attempts})
    return Batch(action, tuple(attempt.public_id for attempt in attempts), writers, n_chosen - len(attempts))


@retry_on_contention()
def carry_out(*, project: Project, action: str, chosen: Iterable[uuid.UUID], by: AbstractBaseUser) -> Batch:
    """Return or reopen the chosen summaries, all in one transaction. Those that changed meanwhile are skipped. The
    batch is stored as a bulk action of the project, which can be undone."""
    ids = _check_request(action, chosen)
    with write_transaction():
        by_claim: dict[int, set[int]] = defaultdict(set)
        for pk, claim in affected_assignments(project).filter(public_id__in=ids).values_list("pk", "claim_id"):
            by_claim[claim].add(pk)
        attempts: list[Assignment] = []
        for claim in sorted(by_claim):
            attempts += [
                attempt
                for attempt in leases.lock_claim(claim)
                if attempt.pk in by_claim[claim] and attempt.state in REDOABLE_STATES
            ]
        number = latest_rule_number(project)
        if attempts:
            BulkAction.objects.create(
                project=project,
                kind=action,
                items=[[attempt.pk, attempt.slot_id, attempt.state] for attempt in attempts],
                by_id=by.pk,
                at=timezone.now(),
            )
        kind = get_task_kind(project.kind, has_sample=True)
        for attempt in attempts:
            _apply_action(attempt, action, kind)
            audit.record_event(
                project=project,
                actor=by,
                verb=AuditVerb(f"task.{action}"),
                target=f"assignment:{attempt.public_id}",
                reason="rules",
                version=number,
            )
        return _build_batch(action, attempts, len(ids))


def _apply_action(attempt: Assignment, action: str, kind: Kind) -> None:
    """Return or reopen one attempt, whose claim the caller has locked."""
    if action == "reopen":
        Assignment.objects.filter(pk=attempt.pk).update(state=AssignmentState.VOID, finished_at=timezone.now())
        leases.free_slots([attempt.slot_id])
        return
    Assignment.objects.filter(pk=attempt.pk).update(state=AssignmentState.RETURNED)
    last = Annotation.objects.filter(assignment_id=attempt.pk).order_by("-revision").first()
    if last is not None:
        revisions.put_in_draft(attempt, last, kind)


def restore_returned(action: BulkAction) -> int:
    """Restore the state of attempts that a batch returned and nobody has submitted again; returns how many. Call inside
    a transaction. Attempts of people withdrawn since are not changed."""
    states: dict[int, str] = {attempt: state for attempt, _slot, state in action.items}
    withdrawn_people = Withdrawal.objects.filter(project=action.project_id, person__isnull=False).values("person")
    returned = Assignment.objects.select_for_update(of=("self",), no_key=True).filter(
        pk__in=list(states), state=AssignmentState.RETURNED
    )
    restored_ids = list(returned.exclude(annotator__in=withdrawn_people).order_by("pk").values_list("pk", flat=True))
    for state in set(states.values()):
        Assignment.objects.filter(pk__in=[pk for pk in restored_ids if states[pk] == state]).update(state=state)
    return len(restored_ids)

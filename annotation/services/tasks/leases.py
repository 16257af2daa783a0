"""Leases of the claims of tasks: extending, releasing and expiring.

Every step that changes an attempt first locks its whole claim (`lock_claim`), attempts in order of id and then the
claim, so that concurrent steps wait for each other and never deadlock. Leases use the database's clock.

Differs from ratings (evaluation.services.rating.item_claims): a claim is a row of its own with several attempts, can be
parked while its person waits for an answer, and stores the activity of its person.
"""

import functools
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Case, Exists, Expression, ExpressionWrapper, OuterRef, Q, Value, When
from django.db.models.functions import Greatest, Now
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.claiming import lease_end
from annotation.jobs.registry import register_sweeper
from annotation.models import (
    Assignment,
    AssignmentState,
    AuditVerb,
    Claim,
    Sample,
    SampleState,
    Slot,
    SlotState,
    SourceDocument,
)
from annotation.services.core import audit
from annotation.services.core.errors import Conflict
from annotation.services.core.prepared_queries import (
    DateTimeParam,
    DurationParam,
    IntParam,
    JSONParam,
    Prepared,
    PreparedUpdate,
    Sent,
)
from annotation.services.core.retry import Overtaken, retry_on_contention
from annotation.services.core.slot_claims import expire_in_batches
from annotation.services.guidelines import gate
from annotation.services.tasks import active_time
from annotation.transactions import write_transaction


def _not_shorter_if_parked(end: ExpressionWrapper) -> Case:
    """A parked claim that waits for an answer keeps its long lease when it is opened."""
    return Case(When(parked=True, then=Greatest("lease_until", end)), default=end)


HELD: "Prepared[Assignment]" = Prepared(
    lambda: (
        Assignment.objects.select_for_update(of=("self", "claim"), no_key=True)
        .select_related("claim")
        .filter(claim=IntParam("claim"))
        .order_by("pk")
    )
)


@functools.cache
def _prepare_claim_update(*, closes: bool, keeps_activity: bool) -> PreparedUpdate:
    """Extends the lease of an open claim, or closes it; replaces its activity, unless it is kept."""
    changes: dict[str, Expression] = (
        {"closed_at": DateTimeParam("now")}
        if closes
        else {"lease_until": _not_shorter_if_parked(lease_end(DurationParam("lease")))}
    )
    if not keeps_activity:
        changes["activity"] = JSONParam("activity")
    return PreparedUpdate(lambda: (Claim.objects.filter(pk=IntParam("claim"), closed_at=None), changes))


def _send_extension(claim_id: int, minutes: int, activity: dict[str, Any] | None) -> Sent:
    """Extend the lease of a claim, if it is open. activity: saved with it; None: unchanged."""
    update = _prepare_claim_update(closes=False, keeps_activity=activity is None)
    return update.send(claim=claim_id, lease=timedelta(minutes=minutes), activity=activity)


def _send_closing(claim_id: int, activity: dict[str, Any] | None = None) -> Sent:
    """Close a claim, if it is open. activity: saved with it; None: unchanged."""
    update = _prepare_claim_update(closes=True, keeps_activity=activity is None)
    return update.send(claim=claim_id, now=timezone.now(), activity=activity)


def lock_claim(claim_id: int) -> list[Assignment]:
    """Lock a claim and all its attempts until the end of the transaction; returns the attempts, oldest first."""
    return HELD.rows(claim=claim_id)


def lock_claim_of(assignment: Assignment) -> tuple[list[Assignment], Assignment]:
    """Lock the current claim of an attempt; returns all its attempts, and the fresh row of this one."""
    for _try in range(2):
        unit = lock_claim(assignment.claim_id)
        for attempt in unit:
            if attempt.pk == assignment.pk:
                return unit, attempt
        # Reclaimed under another claim since it was read.
        assignment.refresh_from_db(fields=["claim"])
    raise Overtaken


def extend_lease(*, claim_id: int, minutes: int, activity: dict[str, Any] | None = None) -> bool:
    """Extend the lease of an open claim; False if the claim is closed. A lease that expired but was not swept yet is
    extended too, because nobody else has its slots. activity: the claim's activity, saved in either case."""
    if _send_extension(claim_id, minutes, activity).changed:
        return True
    if activity is not None:
        Claim.objects.filter(pk=claim_id).update(activity=activity)
    return False


def activity_after(assignment: Assignment, sign: active_time.Sign | None) -> dict[str, Any] | None:
    """The claim's activity after a signal; None if nothing is stored (no signal, or no consent)."""
    if sign is None or not gate.writer_allows_record(assignment):
        return None
    claim = assignment.claim
    claim.activity = active_time.add_sign(claim.activity, attempt=assignment.pk, sign=sign, now=timezone.now())
    return claim.activity


def free_slots(slot_ids: Iterable[int]) -> None:
    """Reopen slots; slots of damaged sources or inactive samples are parked."""
    damaged = SourceDocument.everything.filter(pk=OuterRef("document_id"), damaged=True)
    void = Sample.objects.filter(pk=OuterRef("sample_id")).exclude(state=SampleState.ACTIVE)
    state = Case(
        When(Q(Exists(damaged)) | Q(Exists(void)), then=Value(SlotState.PARKED.value)),
        default=Value(SlotState.OPEN.value),
    )
    Slot.objects.filter(pk__in=list(slot_ids)).update(state=state)


def close_or_extend(unit: list[Assignment], *, minutes: int, activity: dict[str, Any] | None = None) -> None:
    """Close the claim if none of its attempts is claimed any more, else extend its lease. The claim must be locked."""
    claim = unit[0].claim
    if claim.closed_at is None and any(attempt.state == AssignmentState.CLAIMED for attempt in unit):
        _send_extension(claim.pk, minutes, activity)
    elif claim.closed_at is None:
        _send_closing(claim.pk, activity)
    elif activity is not None:
        Claim.objects.filter(pk=claim.pk).update(activity=activity)


def close_if_empty(claim_id: int) -> None:
    """Close a claim without claimed attempts."""
    with write_transaction():
        if all(attempt.state != AssignmentState.CLAIMED for attempt in lock_claim(claim_id)):
            _send_closing(claim_id)


def end_attempts(attempts: list[Assignment], state: AssignmentState, *, reason: str = "", note: str = "") -> None:
    """End claimed attempts and free their slots. The claim must be locked (`lock_claim`)."""
    Assignment.objects.filter(pk__in=[attempt.pk for attempt in attempts]).update(
        state=state, finished_at=timezone.now(), skip_reason=reason, skip_note=note
    )
    free_slots(attempt.slot_id for attempt in attempts)
    for attempt in attempts:
        attempt.state = state


def closed_error(assignment: Assignment) -> Conflict:
    """The error for a closed attempt, with a message for the user."""
    state = AssignmentState(assignment.state)
    if state == AssignmentState.EXPIRED:
        message = _(
            "Your time for this task has expired. Get the next task: you get this one back if it is still available."
        )
    else:
        message = _("This task is closed (%(state)s).") % {"state": state.label}
    return Conflict(message, code="expired" if state == AssignmentState.EXPIRED else "closed", state=state.value)


def heartbeat(*, assignment: Assignment, sign: active_time.Sign | None = None) -> datetime:
    """Extend the lease of the claim; returns its new end. Conflict if it has expired or is closed. A returned attempt
    has no lease: only the activity is saved."""
    revised = assignment.state == AssignmentState.RETURNED
    if assignment.state != AssignmentState.CLAIMED and not revised:
        raise closed_error(assignment)
    activity = activity_after(assignment, sign)
    with write_transaction():
        alive = extend_lease(claim_id=assignment.claim_id, minutes=assignment.project.lease_minutes, activity=activity)
        claim = Claim.objects.only("lease_until").get(pk=assignment.claim_id)
    if not alive and not revised:
        assignment.refresh_from_db(fields=["state"])
        raise closed_error(assignment)
    return claim.lease_until


@retry_on_contention()
def release_task(*, assignment: Assignment, whole_unit: bool = False) -> None:
    """Release one attempt, or with `whole_unit` all claimed attempts of its claim. Idempotent."""
    with write_transaction():
        unit, current = lock_claim_of(assignment)
        if current.state == AssignmentState.RELEASED:
            return
        if current.state != AssignmentState.CLAIMED:
            raise closed_error(current)
        released = [
            attempt
            for attempt in unit
            if attempt.state == AssignmentState.CLAIMED and (whole_unit or attempt is current)
        ]
        end_attempts(released, AssignmentState.RELEASED)
        close_or_extend(unit, minutes=assignment.project.lease_minutes)
        audit.record_event(
            project=assignment.project,
            actor=assignment.annotator,
            verb=AuditVerb.TASK_RELEASE,
            target=f"assignment:{assignment.public_id}",
            attempts=len(released),
        )


@register_sweeper
def expire_leases(now: datetime | None = None) -> int:
    """Expire every claim whose lease has ended (by the database's clock, or `now`); returns how many."""
    due = Claim.objects.filter(closed_at=None, lease_until__lt=now or Now())
    return expire_in_batches(due.values_list("pk", flat=True), lambda claim_id: _expire_claim(claim_id, now))


@retry_on_contention()
def _expire_claim(claim_id: int, now: datetime | None) -> int:
    with write_transaction():
        unit = lock_claim(claim_id)
        due = Claim.objects.filter(pk=claim_id, closed_at=None, lease_until__lt=now or Now())
        if not due.update(closed_at=timezone.now()):
            return 0
        late = [attempt for attempt in unit if attempt.state == AssignmentState.CLAIMED]
        if late:
            end_attempts(late, AssignmentState.EXPIRED)
            audit.record_event(
                project=late[0].project,
                actor=None,
                verb=AuditVerb.CLAIM_EXPIRE,
                target=f"claim:{late[0].claim.public_id}",
                attempts=len(late),
            )
    return 1

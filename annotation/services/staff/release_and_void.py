"""Bulk actions of staff on tasks: previewed, audited, and undoable where nobody has continued meanwhile.

Attempts are locked in order of their ids before their claims and slots, the same order as for a single claim.
"""

import uuid
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any, NamedTuple

from django.contrib.auth.models import AbstractBaseUser, User
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.claiming import lease_end
from annotation.models import (
    Assignment,
    AssignmentState,
    AuditVerb,
    BulkAction,
    Claim,
    Project,
    Reservation,
    Slot,
    SlotState,
    Withdrawal,
)
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict, NotFound
from annotation.services.core.retry import retry_on_contention
from annotation.services.inspection.weekly_sample import project_zone
from annotation.services.staff import reannotation
from annotation.services.tasks import leases
from annotation.transactions import write_transaction

EMPTY_SLOT_STATES = (SlotState.OPEN, SlotState.PARKED)
Kind = BulkAction.Kind


@dataclass(frozen=True, slots=True)
class Period:
    """Full days in the project's time zone, both inclusive; None means unbounded."""

    since: date | None = None
    until: date | None = None

    def bounds(self, project: Project) -> tuple[datetime | None, datetime | None]:
        """(start, exclusive end). Raises BadInput when the period ends before it begins."""
        if self.since and self.until and self.since > self.until:
            raise BadInput(_("The end date is before the start date."), field="until")
        place = project_zone(project)
        try:
            day_after = self.until + timedelta(days=1) if self.until else None
        except OverflowError as error:
            raise BadInput(_("This date is out of range."), field="until") from error
        start = datetime.combine(self.since, time(), place) if self.since else None
        return start, datetime.combine(day_after, time(), place) if day_after else None


ALWAYS = Period()


@dataclass(frozen=True, slots=True)
class Preview:
    """What an action would affect: attempts, their samples, and the attempts by state."""

    attempts: int
    samples: int
    states: dict[str, int]


class LockedAttempt(NamedTuple):
    """An attempt whose row is locked; the fields are the columns of the query."""

    pk: int
    slot_id: int
    state: str
    claim_id: int


def lock_attempts(attempts: "QuerySet[Assignment]") -> list[LockedAttempt]:
    """Lock the rows in order of id, until the end of the transaction."""
    locked = attempts.select_for_update(of=("self",), no_key=True).order_by("pk")
    return list(map(LockedAttempt._make, locked.values_list(*LockedAttempt._fields)))


def check_expected_count(count: int, expect: int) -> None:
    """Raises Conflict when the count differs from what the preview showed, or is zero."""
    if count != expect:
        message = ngettext(
            "This now affects %(n)d task, not %(before)d. Check the preview again.",
            "This now affects %(n)d tasks, not %(before)d. Check the preview again.",
            count,
        )
        raise Conflict(message % {"n": count, "before": expect}, code="changed")
    if not count:
        raise Conflict(_("There is nothing to do."), code="nothing")


def attempts_of(project: Project, person: AbstractBaseUser, kind: str, period: Period) -> "QuerySet[Assignment]":
    """The attempts an action is about. Raises BadInput."""
    rows = Assignment.objects.of(person).filter(project=project)
    if kind == Kind.RELEASE:
        return rows.filter(state=AssignmentState.CLAIMED)
    if kind != Kind.VOID:
        raise BadInput(_("There is no such action."), field="kind")
    start, end = period.bounds(project)
    rows = rows.live_submitted().filter(sample__isnull=False)  # choices made for a group stay
    if start is not None:
        rows = rows.filter(finished_at__gte=start)
    return rows.filter(finished_at__lt=end) if end is not None else rows


def preview_action(project: Project, person: AbstractBaseUser, kind: str, period: Period = ALWAYS) -> Preview:
    """One query; nothing is changed."""
    rows = list(attempts_of(project, person, kind, period).values_list("state", "sample_id"))
    states = [state for state, _sample in rows]
    counted = {state: states.count(state) for state in dict.fromkeys(states)}
    return Preview(len(rows), len({sample for _state, sample in rows if sample is not None}), counted)


def get_participant(project: Project, username: str) -> User:
    """A user with a membership or an assignment in the project. Raises BadInput."""
    user = User.objects.filter(username=username).first()
    if user is not None:
        has_part = user.memberships.filter(project=project).exists()
        if has_part or Assignment.objects.of(user).filter(project=project).exists():
            return user
    raise BadInput(_("There is no member with that name in this project."), field="person")


@retry_on_contention()
def run_action(
    *, project: Project, person: AbstractBaseUser, kind: str, by: AbstractBaseUser, period: Period = ALWAYS, expect: int
) -> BulkAction:
    """Do what the preview showed. Raises Conflict when the number of attempts is not `expect` any more, or zero."""
    start, end = period.bounds(project)
    with write_transaction():
        rows = lock_attempts(attempts_of(project, person, kind, period))
        check_expected_count(len(rows), expect)
        _end_attempts(kind, [row.pk for row in rows], {row.claim_id for row in rows})
        leases.free_slots(row.slot_id for row in rows)
        action = BulkAction.objects.create(
            project=project,
            kind=kind,
            person_id=person.pk,
            since=start,
            until=end,
            items=[[row.pk, row.slot_id, row.state] for row in rows],
            by_id=by.pk,
            at=timezone.now(),
        )
        _audit_action(action, by, AuditVerb(f"bulk.{kind}"), attempts=len(rows))
    return action


def _end_attempts(kind: str, attempts: list[int], claims: set[int]) -> None:
    rows = Assignment.objects.filter(pk__in=attempts)
    if kind == Kind.VOID:
        rows.update(state=AssignmentState.VOID)
        return
    now = timezone.now()
    rows.update(state=AssignmentState.RELEASED, finished_at=now)
    Claim.objects.filter(pk__in=claims, closed_at=None).update(closed_at=now)


def _audit_action(action: BulkAction, by: AbstractBaseUser, verb: AuditVerb, **detail: Any) -> None:
    target = f"bulk:{action.public_id}"
    audit.record_event(project=action.project, actor=by, verb=verb, target=target, person=action.person_id, **detail)


def get_action(project: Project, public_id: uuid.UUID) -> BulkAction:
    action = BulkAction.objects.select_related("project", "person").filter(project=project, public_id=public_id).first()
    if action is None:
        raise NotFound()
    return action


@retry_on_contention()
def undo_action(*, action: BulkAction, by: AbstractBaseUser) -> int:
    """Restore the state of every attempt whose slot nobody has taken since; returns how many. Raises Conflict the
    second time, and when the person has claimed other tasks meanwhile."""
    with write_transaction():
        locked = BulkAction.objects.select_for_update(of=("self",)).get(pk=action.pk)
        if locked.undone_at is not None:
            raise Conflict(_("This has already been undone."), code="undone")
        withdrawn = Withdrawal.objects.filter(project=locked.project_id, person__isnull=False, person=locked.person_id)
        if withdrawn.exists():
            raise Conflict(_("The person's work has since been withdrawn, so this cannot be undone."), code="withdrawn")
        n_reservations = Reservation.objects.filter(action=locked, slot__state__in=EMPTY_SLOT_STATES).delete()[0]
        n_restored = n_reservations if locked.reserves_places else _restorer_for(locked.kind)(locked)
        locked.undone_at, locked.undone_by_id, locked.restored = timezone.now(), by.pk, n_restored
        locked.save(update_fields=["undone_at", "undone_by", "restored"])
        _audit_action(locked, by, AuditVerb(f"bulk.undo_{locked.kind}"), attempts=n_restored)
    return n_restored


def _restorer_for(kind: str) -> Callable[[BulkAction], int]:
    return reannotation.restore_returned if kind == Kind.RETURN else _restore_attempts


def _state_after_action(old_state: str) -> AssignmentState:
    """The state that an action set: claimed attempts were released, submitted ones voided."""
    return AssignmentState.RELEASED if old_state == AssignmentState.CLAIMED else AssignmentState.VOID


def _restore_attempts(action: BulkAction) -> int:
    """Restore the previous states of the attempts whose slots are still empty. Call inside a transaction."""
    states: dict[int, str] = {attempt: state for attempt, _slot, state in action.items}
    attempts = lock_attempts(Assignment.objects.filter(pk__in=list(states)))
    rows = [row for row in attempts if row.state == _state_after_action(states[row.pk])]
    slots = Slot.objects.select_for_update(no_key=True).filter(pk__in=[row.slot_id for row in rows])
    empty_slots = set(slots.filter(state__in=EMPTY_SLOT_STATES).order_by("pk").values_list("pk", flat=True))
    rows = [row for row in rows if row.slot_id in empty_slots]
    claimed = [row for row in rows if states[row.pk] == AssignmentState.CLAIMED]
    if claimed:
        _reopen_claims(action, [row.claim_id for row in claimed])
    Slot.objects.filter(pk__in=empty_slots).update(state=SlotState.FILLED)
    Slot.objects.filter(pk__in=[row.slot_id for row in claimed]).update(state=SlotState.TAKEN)
    for state in set(states.values()):
        attempt_ids = [row.pk for row in rows if states[row.pk] == state]
        changed: dict[str, Any] = {"finished_at": None} if state == AssignmentState.CLAIMED else {}
        Assignment.objects.filter(pk__in=attempt_ids).update(state=state, **changed)
    return len(rows)


def _reopen_claims(action: BulkAction, claims: Collection[int]) -> None:
    """Reopen the claims of released tasks with a new lease. Raises Conflict when the person has other open claims."""
    project = action.project
    open_claims = Claim.objects.filter(project=project, annotator_id=action.person_id, closed_at=None, parked=False)
    reopened = Claim.objects.filter(pk__in=set(claims))
    if open_claims.exclude(pk__in=set(claims)).exists() and reopened.filter(parked=False).exists():
        raise Conflict(_("The person now has other tasks. Release those first."), code="holds")
    reopened.update(closed_at=None, lease_until=lease_end(timedelta(minutes=project.lease_minutes)))


def freeze_project(*, project: Project, by: AbstractBaseUser) -> None:
    """Stop assigning new tasks; claimed ones can be finished. Idempotent."""
    _set_frozen(project, timezone.now(), by, AuditVerb.PROJECT_FREEZE)


def unfreeze_project(*, project: Project, by: AbstractBaseUser) -> None:
    """Resume assigning tasks. Idempotent."""
    _set_frozen(project, None, by, AuditVerb.PROJECT_UNFREEZE)


def _set_frozen(project: Project, at: datetime | None, by: AbstractBaseUser, verb: AuditVerb) -> None:
    with write_transaction():
        if Project.objects.filter(pk=project.pk, frozen_at__isnull=at is not None).update(frozen_at=at):
            audit.record_event(project=project, actor=by, verb=verb, target=f"project:{project.public_id}")
            project.frozen_at = at

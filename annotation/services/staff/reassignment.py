"""Reassigning one person's open tasks to another, and reserving open slots for a person.

An attempt always belongs to one person: it is ended, its texts are kept, and its slot is reserved for the other person,
who gets it next. Samples that the other person already had cannot be reassigned; they stay where they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, User
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import (
    Assignment,
    AssignmentState,
    AuditVerb,
    BulkAction,
    Claim,
    Membership,
    Project,
    Role,
    Slot,
    SlotState,
)
from annotation.services.core import audit
from annotation.services.core.errors import BadInput
from annotation.services.core.retry import retry_on_contention
from annotation.services.people import quotas
from annotation.services.staff.release_and_void import LockedAttempt, check_expected_count, lock_attempts
from annotation.services.tasks import leases, reservations
from annotation.transactions import write_transaction

MAX_PLACES = 10_000
Kind = BulkAction.Kind


@dataclass(frozen=True, slots=True)
class Preview:
    """attempts: would be reassigned (states: by state); had: stay, because the other person already had the sample."""

    attempts: int
    samples: int
    states: dict[str, int]
    had: int = 0


def get_receiver(project: Project, username: str, field: str = "to") -> User:
    """The annotator who is to get the tasks. Raises BadInput for nobody or a paused one."""
    user = User.objects.filter(username=username, is_active=True).first()
    if user is None or not Membership.objects.filter(project=project, user=user, role=Role.ANNOTATOR).exists():
        raise BadInput(_("There is no annotator with that name in this project."), field=field)
    limits = quotas.participation_of(project, user)
    if limits is not None and limits.paused_at is not None:
        raise BadInput(_("%(name)s is paused and gets no tasks.") % {"name": username[:60]}, field=field)
    return user


def _open_assignments(project: Project, person: AbstractBaseUser) -> QuerySet[Assignment]:
    return Assignment.objects.open().of(person).filter(project=project)


def _already_had_by(other: AbstractBaseUser) -> Exists:
    """Subquery on an attempt: whether the other person already had its sample (or its group's choosing task)."""
    earlier = Assignment.objects.of(other)
    same = Q(sample_id=OuterRef("sample_id")) | Q(
        sample__isnull=True, group_id=OuterRef("group_id"), slot_id=OuterRef("slot_id")
    )
    return Exists(earlier.filter(same))


def preview_reassignment(project: Project, person: AbstractBaseUser, other: AbstractBaseUser) -> Preview:
    """One query; nothing is changed. Raises BadInput when both are the same person."""
    _check_different_people(person, other)
    rows = list(
        _open_assignments(project, person).annotate(had=_already_had_by(other)).values_list("state", "sample_id", "had")
    )
    states = [state for state, _sample, had in rows if not had]
    counted = {state: states.count(state) for state in dict.fromkeys(states)}
    samples = {sample for _state, sample, had in rows if sample is not None and not had}
    return Preview(len(states), len(samples), counted, len(rows) - len(states))


def _check_different_people(person: AbstractBaseUser, other: AbstractBaseUser) -> None:
    if person.pk == other.pk:
        raise BadInput(_("Choose another person."), field="to")


@retry_on_contention()
def reassign_tasks(
    *,
    project: Project,
    person: AbstractBaseUser,
    other: AbstractBaseUser,
    by: AbstractBaseUser,
    expect: int,
    days: int = reservations.DAYS,
) -> BulkAction:
    """Do what the preview showed. Raises Conflict when the number of attempts is not `expect` any more, or zero."""
    _check_different_people(person, other)
    reservations.check_days(days)
    with write_transaction():
        rows = lock_attempts(_open_assignments(project, person).filter(~_already_had_by(other)))
        check_expected_count(len(rows), expect)
        _end_attempts(rows)
        leases.free_slots(row.slot_id for row in rows)
        items = [[row.pk, row.slot_id, row.state] for row in rows]
        action = _store_action(project, Kind.REASSIGN, person, by, items, other=other)
        reservations.store_reservations(
            project=project, slots=[row.slot_id for row in rows], user=other, action=action, days=days
        )
        _audit_action(action, by, other=other.pk, attempts=len(rows), days=days)
    return action


def _end_attempts(rows: Sequence[LockedAttempt]) -> None:
    """Release claimed attempts; void returned ones, which have a submitted text already."""
    claimed = [row for row in rows if row.state == AssignmentState.CLAIMED]
    returned_ids = [row.pk for row in rows if row.state == AssignmentState.RETURNED]
    now = timezone.now()
    Assignment.objects.filter(pk__in=[row.pk for row in claimed]).update(
        state=AssignmentState.RELEASED, finished_at=now
    )
    Assignment.objects.filter(pk__in=returned_ids).update(state=AssignmentState.VOID)
    still_claimed = Assignment.objects.filter(claim_id=OuterRef("pk"), state=AssignmentState.CLAIMED)
    claims = Claim.objects.filter(pk__in={row.claim_id for row in claimed}, closed_at=None)
    claims.filter(~Exists(still_claimed)).update(closed_at=now)


def _store_action(
    project: Project,
    kind: str,
    person: AbstractBaseUser,
    by: AbstractBaseUser,
    items: list[list[Any]],
    other: AbstractBaseUser | None = None,
) -> BulkAction:
    return BulkAction.objects.create(
        project=project,
        kind=kind,
        person_id=person.pk,
        other_id=other.pk if other is not None else None,
        items=items,
        by_id=by.pk,
        at=timezone.now(),
    )


def _audit_action(action: BulkAction, by: AbstractBaseUser, **detail: Any) -> None:
    audit.record_event(
        project=action.project,
        actor=by,
        verb=AuditVerb(f"bulk.{action.kind}"),
        target=f"bulk:{action.public_id}",
        person=action.person_id,
        **detail,
    )


def reservable_slots(project: Project, person: AbstractBaseUser, limit: int) -> list[tuple[int, int | None]]:
    """First slots that can be reserved for a person: (slot, sample); open, unreserved, of samples they never had."""
    if not 1 <= limit <= MAX_PLACES:
        raise BadInput(_("Enter a number of tasks from 1 to %(most)d.") % {"most": MAX_PLACES}, field="n")
    earlier = Assignment.objects.of(person)
    had = earlier.filter(Q(sample_id=OuterRef("sample_id")) | Q(sample__isnull=True, group_id=OuterRef("group_id")))
    reserved = reservations.live_reservations().filter(slot=OuterRef("pk"))
    rows = Slot.objects.open().filter(~Exists(had), ~Exists(reserved), project=project)
    slots_by_sample: dict[tuple[bool, int], tuple[int, int | None]] = {}
    for slot, sample, group in rows.order_by("pk").values_list("pk", "sample_id", "group_id").iterator():
        slots_by_sample.setdefault((sample is None, sample or group), (slot, sample))  # one slot per sample
        if len(slots_by_sample) == limit:
            break
    return list(slots_by_sample.values())


def preview_reservation(project: Project, person: AbstractBaseUser, limit: int) -> Preview:
    rows = reservable_slots(project, person, limit)
    return Preview(len(rows), len({sample for _slot, sample in rows if sample is not None}), {})


@retry_on_contention()
def reserve_slots(
    *,
    project: Project,
    person: AbstractBaseUser,
    n: int,
    by: AbstractBaseUser,
    expect: int,
    days: int = reservations.DAYS,
) -> BulkAction:
    """Reserve the first n slots for a person. Raises Conflict when their number is not what the preview showed."""
    with write_transaction():
        ids = [slot for slot, _sample in reservable_slots(project, person, n)]
        locked = Slot.objects.select_for_update(no_key=True).open().filter(pk__in=ids).order_by("pk")
        ids = list(locked.values_list("pk", flat=True))
        check_expected_count(len(ids), expect)
        action = _store_action(project, Kind.RESERVE, person, by, [[None, slot, SlotState.OPEN.value] for slot in ids])
        reservations.store_reservations(project=project, slots=ids, user=person, action=action, days=days)
        _audit_action(action, by, places=len(ids), days=days)
    return action

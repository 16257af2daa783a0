"""Bulk actions of staff on tasks, for page and API: selection, preview, execution."""

from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext as _

from annotation.models import BulkAction, Project
from annotation.services.core.errors import BadInput
from annotation.services.staff import reassignment, release_and_void
from annotation.services.staff.reassignment import Preview
from annotation.services.staff.release_and_void import ALWAYS, Period
from annotation.services.tasks import reservations

Kind = BulkAction.Kind
KINDS = (Kind.RELEASE, Kind.VOID, Kind.REASSIGN, Kind.RESERVE)
"""The kinds handled here; other kinds have pages of their own."""


@dataclass(frozen=True, slots=True)
class ActionRequest:
    """person: whose tasks are affected, or (reserve) who receives them. to: the receiver, for reassign.
    period: for void. n: number of places, for reserve. days: how long places stay reserved."""

    kind: str
    person: str
    to: str = ""
    period: Period = ALWAYS
    n: int = 0
    days: int = reservations.DAYS


def preview_action(project: Project, action: ActionRequest) -> Preview:
    """What the action would affect; changes nothing. Raises BadInput."""
    if action.kind == Kind.REASSIGN:
        return reassignment.preview_reassignment(
            project,
            release_and_void.get_participant(project, action.person),
            reassignment.get_receiver(project, action.to),
        )
    if action.kind == Kind.RESERVE:
        return reassignment.preview_reservation(
            project, reassignment.get_receiver(project, action.person, "person"), action.n
        )
    _check_kind(action)
    affected = release_and_void.preview_action(
        project, release_and_void.get_participant(project, action.person), action.kind, action.period
    )
    return Preview(affected.attempts, affected.samples, affected.states)


def execute_action(project: Project, action: ActionRequest, *, by: AbstractBaseUser, expect: int) -> BulkAction:
    """Execute the action. Raises BadInput, and Conflict if it affects something else than the preview showed."""
    if action.kind == Kind.REASSIGN:
        return reassignment.reassign_tasks(
            project=project,
            person=release_and_void.get_participant(project, action.person),
            other=reassignment.get_receiver(project, action.to),
            by=by,
            expect=expect,
            days=action.days,
        )
    if action.kind == Kind.RESERVE:
        person = reassignment.get_receiver(project, action.person, "person")
        return reassignment.reserve_slots(
            project=project, person=person, n=action.n, by=by, expect=expect, days=action.days
        )
    _check_kind(action)
    member = release_and_void.get_participant(project, action.person)
    return release_and_void.run_action(
        project=project, person=member, kind=action.kind, by=by, period=action.period, expect=expect
    )


def _check_kind(action: ActionRequest) -> None:
    if action.kind not in (Kind.RELEASE, Kind.VOID):
        raise BadInput(_("There is no such action."), field="kind")

"""Bulk actions of staff on tasks, for page and API: selection, preview, execution."""

from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext as _

from annotation.models import BulkAction, Project
from annotation.services import reassigning, reserving, steering
from annotation.services.errors import BadInput
from annotation.services.reassigning import Preview
from annotation.services.steering import ALWAYS, Period

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
    days: int = reserving.DAYS


def preview_action(project: Project, action: ActionRequest) -> Preview:
    """What the action would affect; changes nothing. Raises BadInput."""
    if action.kind == Kind.REASSIGN:
        return reassigning.preview_reassignment(
            project, steering.get_participant(project, action.person), reassigning.get_receiver(project, action.to)
        )
    if action.kind == Kind.RESERVE:
        return reassigning.preview_reservation(
            project, reassigning.get_receiver(project, action.person, "person"), action.n
        )
    _check_kind(action)
    affected = steering.preview_action(
        project, steering.get_participant(project, action.person), action.kind, action.period
    )
    return Preview(affected.attempts, affected.samples, affected.states)


def execute_action(project: Project, action: ActionRequest, *, by: AbstractBaseUser, expect: int) -> BulkAction:
    """Execute the action. Raises BadInput, and Conflict if it affects something else than the preview showed."""
    if action.kind == Kind.REASSIGN:
        return reassigning.reassign_tasks(
            project=project,
            person=steering.get_participant(project, action.person),
            other=reassigning.get_receiver(project, action.to),
            by=by,
            expect=expect,
            days=action.days,
        )
    if action.kind == Kind.RESERVE:
        person = reassigning.get_receiver(project, action.person, "person")
        return reassigning.reserve_slots(
            project=project, person=person, n=action.n, by=by, expect=expect, days=action.days
        )
    _check_kind(action)
    member = steering.get_participant(project, action.person)
    return steering.run_action(
        project=project, person=member, kind=action.kind, by=by, period=action.period, expect=expect
    )


def _check_kind(action: ActionRequest) -> None:
    if action.kind not in (Kind.RELEASE, Kind.VOID):
        raise BadInput(_("There is no such action."), field="kind")

"""Staff's actions on many tasks, as page and API ask for them: what is meant, a preview, the deed."""

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
"""What can be asked for here; other kinds come from pages of their own."""


@dataclass(frozen=True, slots=True)
class Asked:
    """person: whose tasks it is about, or (reserve) who is to be given them. to: who gets them, for reassign.
    period: for void. n: places, for reserve. days: how long places are kept."""

    kind: str
    person: str
    to: str = ""
    period: Period = ALWAYS
    n: int = 0
    days: int = reserving.DAYS


def preview(project: Project, asked: Asked) -> Preview:
    """What it would touch; nothing is changed. Raises BadInput."""
    if asked.kind == Kind.REASSIGN:
        return reassigning.preview(
            project, steering.member(project, asked.person), reassigning.receiver(project, asked.to)
        )
    if asked.kind == Kind.RESERVE:
        return reassigning.preview_places(project, reassigning.receiver(project, asked.person, "person"), asked.n)
    _known(asked)
    found = steering.preview(project, steering.member(project, asked.person), asked.kind, asked.period)
    return Preview(found.attempts, found.samples, found.states)


def act(project: Project, asked: Asked, *, by: AbstractBaseUser, expect: int) -> BulkAction:
    """Do it. Raises BadInput, and Conflict where it is about something else than the preview said."""
    if asked.kind == Kind.REASSIGN:
        return reassigning.reassign(
            project=project,
            person=steering.member(project, asked.person),
            other=reassigning.receiver(project, asked.to),
            by=by,
            expect=expect,
            days=asked.days,
        )
    if asked.kind == Kind.RESERVE:
        person = reassigning.receiver(project, asked.person, "person")
        return reassigning.reserve(project=project, person=person, n=asked.n, by=by, expect=expect, days=asked.days)
    _known(asked)
    whose = steering.member(project, asked.person)
    return steering.act(project=project, person=whose, kind=asked.kind, by=by, period=asked.period, expect=expect)


def _known(asked: Asked) -> None:
    if asked.kind not in (Kind.RELEASE, Kind.VOID):
        raise BadInput(_("There is no such action."), field="kind")

"""Quotas and pauses: how many tasks a member may claim, and who gets no new ones.

A claim checks the remaining quota here (`remaining_tasks`); no query is needed for members without a limit.
"""

from collections.abc import Collection
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, User
from django.db.models import Exists
from django.utils.translation import gettext as _

from annotation.models import Assignment, AssignmentState, AuditVerb, Participation, Project
from annotation.services.core import audit
from annotation.services.core.errors import BadInput
from annotation.services.core.prepared_queries import Param
from annotation.services.people.pauses import end_pause, start_pause
from annotation.transactions import write_transaction

COUNTED = (AssignmentState.CLAIMED, *AssignmentState.SUBMITTED_ONCE)
"""States that a quota counts: claimed and submitted, not released, skipped or void."""
MOST_TASKS = 1_000_000
PAUSED, QUOTA = "paused", "quota"


class NoRoom(Exception):
    """There is no new task for this person; `reason` is paused or quota."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def is_paused(project: int | Param, user: int | Param) -> Exists:
    """Whether staff paused this user; a subquery for the claim's query."""
    return Exists(Participation.objects.filter(project=project, user=user, paused_at__isnull=False))


def is_limited(project: int | Param, user: int | Param) -> Exists:
    """Whether this user has a quota, so that `remaining_tasks` must be called; a subquery for the same query."""
    return Exists(Participation.objects.filter(project=project, user=user, max_tasks__isnull=False))


def remaining_tasks(project: Project, user: AbstractBaseUser) -> int:
    """How many tasks a user may still claim, at least one. Raises NoRoom.

    Runs inside the transaction of the claim and locks, so that two concurrent claims cannot exceed a quota.
    """
    participation = (
        Participation.objects.select_for_update(no_key=True).filter(project=project, user_id=user.pk).first()
    )
    if participation is not None and participation.paused_at is not None:
        raise NoRoom(PAUSED)
    if participation is None or participation.max_tasks is None:
        return MOST_TASKS
    remaining = participation.max_tasks - count_tasks(project, user)
    if remaining <= 0:
        raise NoRoom(QUOTA)
    return remaining


def count_tasks(project: Project, user: AbstractBaseUser, states: Collection[str] = COUNTED) -> int:
    return Assignment.objects.of(user).filter(project=project, state__in=states).count()


def participation_of(project: Project, user: AbstractBaseUser) -> Participation | None:
    return Participation.objects.filter(project=project, user_id=user.pk).first()


def set_quota(*, project: Project, users: Collection[User], max_tasks: int | None, by: AbstractBaseUser | None) -> int:
    """Limit each user to max_tasks tasks, claimed and submitted; None: no limit. Returns for how many it changed.

    Claimed tasks are kept: a user above the limit just gets no new ones.
    """
    if max_tasks is not None and not 0 <= max_tasks <= MOST_TASKS:
        raise BadInput(_("A quota must be between 0 and %(most)d.") % {"most": MOST_TASKS}, field="max_tasks")
    changed = 0
    with write_transaction():
        for user in users:
            row, _created = Participation.objects.get_or_create(project=project, user=user)
            if not Participation.objects.filter(pk=row.pk).exclude(max_tasks=max_tasks).update(max_tasks=max_tasks):
                continue
            changed += 1
            _record_event(project, by, AuditVerb.MEMBER_QUOTA, user, tasks=max_tasks)
    return changed


def pause_members(*, project: Project, users: Collection[User], note: str = "", by: AbstractBaseUser | None) -> int:
    """Give the users no new tasks; claimed ones can be finished. `note` is shown to them. Returns how many are new."""
    note = note.strip()
    if len(note) > 500:
        raise BadInput(_("Use at most 500 characters."), field="note")
    n_paused = 0
    with write_transaction():
        for user in users:
            row, _created = Participation.objects.get_or_create(project=project, user=user)
            rows = Participation.objects.filter(pk=row.pk)
            if start_pause(rows, paused_by_id=by.pk if by else None, pause_note=note):
                n_paused += 1
                _record_event(project, by, AuditVerb.MEMBER_PAUSE, user)
            else:
                rows.update(pause_note=note)
    return n_paused


def pause_by_rule(*, project: Project, user_id: int, reason: dict[str, Any]) -> None:
    """Pause a user as `pause_members` does, by a rule of the project. `reason` is for staff. No change if paused."""
    with write_transaction():
        row, _created = Participation.objects.get_or_create(project=project, user_id=user_id)
        if start_pause(Participation.objects.filter(pk=row.pk), reason=reason, paused_by=None, pause_note=""):
            audit.record_event(
                project=project,
                actor=None,
                verb=AuditVerb.MEMBER_PAUSE,
                target=f"user:{user_id}",
                origin="rule",
                **reason,
            )


def resume_members(*, project: Project, users: Collection[User], by: AbstractBaseUser | None) -> int:
    """Give the users new tasks again; rules count only later answers. Returns how many were paused."""
    n_resumed = 0
    with write_transaction():
        for user in users:
            if end_pause(Participation.objects.filter(project=project, user=user), paused_by=None, pause_note=""):
                n_resumed += 1
                _record_event(project, by, AuditVerb.MEMBER_RESUME, user)
    return n_resumed


def _record_event(project: Project, by: AbstractBaseUser | None, verb: AuditVerb, user: User, **detail: object) -> None:
    audit.record_event(project=project, actor=by, verb=verb, target=f"user:{user.pk}", **detail)

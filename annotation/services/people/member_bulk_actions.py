"""Bulk actions on members, all or nothing, for page and API."""

from collections.abc import Sequence

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from annotation.models import Project, Role
from annotation.services.accounts import second_factor
from annotation.services.core.errors import BadInput
from annotation.services.people import members, quotas
from annotation.transactions import write_transaction

ACTIONS = ("give", "take", "quota", "pause", "resume", "close", "open", "reset")


def act_on_members(
    *,
    project: Project,
    users: Sequence[User],
    by: User,
    action: str,
    role: str = "",
    max_tasks: int | None = None,
    note: str = "",
) -> int:
    """Apply one action. give, take: a role. quota: max_tasks (None: no limit). pause: with a note. resume. close, open:
    the accounts. reset: the second factors. Returns how many users changed. Raises BadInput, Conflict, NotFound."""
    if action not in ACTIONS:
        raise BadInput(_("There is no such action."), field="action")
    if action in ("give", "take"):
        if role not in Role.values:
            raise BadInput(_("Choose the role."), field="role")
        change = members.give_role if action == "give" else members.take_role
        return change(project=project, users=users, role=role, by=by)
    if action == "quota":
        return quotas.set_quota(project=project, users=users, max_tasks=max_tasks, by=by)
    if action == "pause":
        return quotas.pause_members(project=project, users=users, note=note, by=by)
    if action == "resume":
        return quotas.resume_members(project=project, users=users, by=by)
    with write_transaction():
        for user in users:
            if action == "close":
                members.close_account(project=project, user=user, by=by)
            elif action == "open":
                members.open_account(project=project, user=user, by=by)
            else:
                second_factor.reset_second_factor(user=user, by=by)
    return len(users)

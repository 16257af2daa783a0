"""Roles of members in a project, and opening and closing accounts."""

from collections.abc import Sequence

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import (
    ApiToken,
    AuditEvent,
    AuditVerb,
    CrowdWorker,
    GroupRole,
    Membership,
    Project,
    Role,
    Withdrawal,
)
from annotation.services.accounts import first_passwords
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict, NotFound
from annotation.services.core.word_patterns import join_names, quote_text
from annotation.transactions import write_transaction


def add_member(*, project: Project, username: str, role: str, by: User | None) -> Membership:
    """Give an existing user a role. Idempotent."""
    if role not in Role.values:
        raise BadInput(
            _("There is no role %(role)s; use one of: %(list)s.")
            % {"role": quote_text(role[:30]), "list": join_names(Role.values)},
            field="role",
        )
    user = User.objects.filter(username=username, is_active=True).first()
    if not settings.EPITOME_ENROL_BY_NAME and by is not None and not _may_enrol(project, user, by):
        message = _("%(name)s is not a member. Send an invitation link to people with an account.")
        raise BadInput(message % {"name": username[:60]}, field="username", code="invite")
    if user is None:
        raise BadInput(_("There is no user %(name)s.") % {"name": quote_text(username[:60])}, field="username")
    refuse_withdrawn(project, user)
    _refuse_more_for_crowd(project, user, role)
    with write_transaction():
        member, created = Membership.objects.get_or_create(project=project, user=user, role=role)
        if created:
            audit.record_event(
                project=project, actor=by, verb=AuditVerb.MEMBER_ADD, target=f"user:{user.pk}", role=role
            )
        else:
            keep_by_hand(member)
    return member


def keep_by_hand(member: Membership) -> None:
    """A role that is granted manually is no longer revoked with the group that granted it before."""
    GroupRole.objects.filter(membership=member).delete()


def refuse_without_passwords() -> None:
    """Raise Conflict where nobody signs in with a password, so that an account with one would lead nowhere."""
    if not settings.EPITOME_PASSWORD_SIGN_IN:
        raise Conflict(
            _("Password sign-in is turned off on this site: accounts are created at the first sign-in."),
            code="password_sign_in",
        )


def _may_enrol(project: Project, user: User | None, by: User) -> bool:
    """Whether `by` may enrol the account unasked: a member, or an account that `by` made; site admins enrol anybody.

    Otherwise the answer is the one for an account that does not exist.
    """
    if by.is_superuser:
        return True
    if user is None:
        return False
    created = AuditEvent.objects.filter(actor=by, verb=AuditVerb.PERSON_CREATE, target=f"user:{user.pk}")
    return Membership.objects.filter(project=project, user=user).exists() or created.exists()


def refuse_withdrawn(project: Project, user: User) -> None:
    """Raise Conflict for an account whose work was withdrawn; it cannot join again."""
    if Withdrawal.objects.filter(project=project, person=user).exists():
        raise Conflict(
            _("The work of this account was withdrawn, so it can no longer take part in the project."),
            field="username",
            code="withdrawn",
        )


def _refuse_more_for_crowd(project: Project, user: User, role: str) -> None:
    """Raise Conflict for a crowd account (without password) and any role but that of its link in its own project."""
    worker = CrowdWorker.objects.select_related("link").filter(user=user).first()
    if worker is not None and (worker.project_id != project.pk or role != worker.link.role):
        raise Conflict(
            _("This account belongs to a crowd platform and has no password: it keeps its role in its own project."),
            field="role",
        )


def create_person(
    *, username: str, password: str, by: User | None, email: str = "", must_change_password: bool = False
) -> User:
    """Create an account. Raises BadInput for an invalid name or password, Conflict if the name is taken.

    must_change_password: somebody else chose it, so the account must change it at its first sign-in.
    """
    if by is not None:
        refuse_without_passwords()
    user = User(username=username.strip(), email=email)
    try:
        User._meta.get_field("username").clean(user.username, user)
    except ValidationError as error:
        raise BadInput(" ".join(error.messages), field="username") from None
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise BadInput(" ".join(error.messages), field="password") from None
    user.set_password(password)
    try:
        with write_transaction():
            user.save(force_insert=True)
            audit.record_event(project=None, actor=by, verb=AuditVerb.PERSON_CREATE, target=f"user:{user.pk}")
            if must_change_password:
                first_passwords.require_change(user)
    except IntegrityError:
        raise Conflict(
            _("The user name %(name)s is taken.") % {"name": quote_text(user.username)}, field="username"
        ) from None
    return user


def remove_member(*, project: Project, username: str, role: str, by: User | None) -> None:
    """Remove a role, effective on the user's next request. The last admin cannot be removed."""
    with write_transaction():
        if role == Role.ADMIN:
            lock_admins(project)
        member = Membership.objects.filter(project=project, role=role, user__username=username).first()
        if member is None:
            raise NotFound(_("%(name)s does not have this role.") % {"name": username[:60]})
        if role == Role.ADMIN and is_last_admin(project, member.user_id):
            raise Conflict(_("This is the project's last admin. Add another one first."), field="role")
        member.delete()
        audit.record_event(
            project=project, actor=by, verb=AuditVerb.MEMBER_REMOVE, target=f"user:{member.user_id}", role=role
        )


def lock_admins(project: Project) -> None:
    """Lock the project's admin rows until the transaction ends. Required before counting admins in order to remove one:
    otherwise two admins who remove each other would both count two."""
    rows = Membership.objects.filter(project=project, role=Role.ADMIN).order_by("pk")
    list(rows.select_for_update(no_key=True).values_list("pk"))


def is_last_admin(project: Project, user_id: int) -> bool:
    """Whether the user is an admin of the project and nobody else is one whose account is open."""
    admins = Membership.objects.filter(project=project, role=Role.ADMIN)
    others = admins.exclude(user=user_id).filter(user__is_active=True)
    return admins.filter(user=user_id).exists() and not others.exists()


def find_members(project: Project, usernames: Sequence[str]) -> list[User]:
    """Members of the project by username, sorted by it. Raises NotFound naming the first unknown one."""
    rows = User.objects.filter(username__in=usernames, memberships__project=project).distinct().order_by("username")
    users = list(rows)
    missing = sorted(set(usernames) - {user.username for user in users})
    if missing:
        raise NotFound(_("%(name)s is not a member of this project.") % {"name": missing[0][:60]}, field="usernames")
    return users


def give_role(*, project: Project, users: Sequence[User], role: str, by: User | None) -> int:
    """Give several users a role, all or none; returns how many did not have it."""
    with write_transaction():
        n_earlier = Membership.objects.filter(project=project, role=role, user__in=users).count()
        for user in users:
            add_member(project=project, username=user.username, role=role, by=by)
    return len(users) - n_earlier


def take_role(*, project: Project, users: Sequence[User], role: str, by: User | None) -> int:
    """Remove a role from those of several users who have it, all or none. The last admin cannot be removed."""
    with write_transaction():
        having = Membership.objects.filter(project=project, role=role, user__in=users).select_related("user")
        names = [row.user.username for row in having.order_by("user__username")]
        for name in names:
            remove_member(project=project, username=name, role=role, by=by)
    return len(names)


def may_close(project: Project, user: User, by: User) -> bool:
    """Accounts are site-wide: site admins may close any, project admins only those of their crowd links."""
    if by.pk == user.pk:
        return False
    is_own_crowd = CrowdWorker.objects.filter(user=user, project=project).exists()
    return by.is_superuser or (is_own_crowd and not user.is_superuser)


def close_account(*, project: Project, user: User, by: User) -> None:
    """Block the account's sessions and tokens from the next request on; its work stays. Raises NotFound; Conflict if a
    project would be left without an admin."""
    _set_active(project, user, by, False)


def open_account(*, project: Project, user: User, by: User) -> None:
    """Let the user sign in again; old sessions and tokens stay invalid. Raises NotFound, Conflict."""
    if Withdrawal.objects.filter(person=user, mask_name=True).exists():
        raise Conflict(_("The name of this account was withdrawn, so it stays closed."), code="withdrawn")
    _set_active(project, user, by, True)


def _refuse_last_admin(user: User) -> None:
    """Raise Conflict if a project has no other admin whose account is open. Locks the admins of the user's projects."""
    administered = Project.objects.filter(memberships__user=user, memberships__role=Role.ADMIN).order_by("pk")
    for project in administered:
        lock_admins(project)
        if is_last_admin(project, user.pk):
            message = _("%(name)s is the last admin of %(project)s. Add another one first.")
            raise Conflict(message % {"name": user.username, "project": project.name}, code="last_admin")


def _set_active(project: Project, user: User, by: User, active: bool) -> None:
    if not may_close(project, user, by):
        raise NotFound()
    with write_transaction():
        if not User.objects.filter(pk=user.pk, is_active=not active).exists():
            return
        if not active:
            _refuse_last_admin(user)
        user.is_active = active
        user.save(update_fields=["is_active"])  # ends the sessions of a closed account
        if not active:
            ApiToken.objects.filter(user=user, revoked_at=None).update(revoked_at=timezone.now())
        audit.record_event(
            project=project,
            actor=by,
            verb=AuditVerb.PERSON_OPEN if active else AuditVerb.PERSON_CLOSE,
            target=f"user:{user.pk}",
        )

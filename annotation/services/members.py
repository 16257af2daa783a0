"""Who has which role in a project."""

from typing import Any

from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError
from django.utils.translation import gettext as _

from annotation.models import Membership, Project, Role
from annotation.services import audit
from annotation.services.errors import BadInput, Conflict, NotFound
from annotation.transactions import write


def add_member(*, project: Project, username: str, role: str, by: User | None) -> Membership:
    """Give an existing person a role; having it already is fine."""
    if role not in Role.values:
        raise BadInput(
            _("There is no role %(role)r; use one of: %(list)s.") % {"role": role[:30], "list": ", ".join(Role.values)},
            field="role",
        )
    user = User.objects.filter(username=username, is_active=True).first()
    if user is None:
        raise BadInput(_("Nobody is called %(name)r here.") % {"name": username[:60]}, field="username")
    with write():
        member, made = Membership.objects.get_or_create(project=project, user=user, role=role)
        if made:
            audit.record(project=project, actor=by, verb="member.add", target=f"user:{user.pk}", role=role)
    return member


def create_person(*, username: str, password: str, by: User | None, email: str = "") -> User:
    """Make an account. Raises BadInput for a name or password that will not do, Conflict if the name is taken."""
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
        with write():
            user.save(force_insert=True)
            audit.record(project=None, actor=by, verb="person.create", target=f"user:{user.pk}")
    except IntegrityError:
        raise Conflict(_("The name %(name)r is taken.") % {"name": user.username}, field="username") from None
    return user


def remove_member(*, project: Project, username: str, role: str, by: User | None) -> None:
    """Take a role away; it counts on the person's next request. The last admin stays."""
    members: Any = Membership.objects.filter(project=project, role=role)
    with write():
        member = members.filter(user__username=username).first()
        if member is None:
            raise NotFound(_("%(name)s does not have this role.") % {"name": username[:60]})
        if role == Role.ADMIN and members.count() == 1:
            raise Conflict(_("This is the last admin of the project; name another one first."), field="role")
        member.delete()
        audit.record(project=project, actor=by, verb="member.remove", target=f"user:{member.user_id}", role=role)

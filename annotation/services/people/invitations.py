"""Invitation links: a secret URL that gives roles to a limited number of people until it expires.

The secret is in the URL only; the database stores its SHA-256. Uses are counted by a conditional update, so that no
more than `max_uses` people can join, even concurrently.
"""

import secrets
import uuid
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, User
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import AuditVerb, CrowdLink, CrowdWorker, Invitation, InvitationUse, Membership, Project, Role
from annotation.models.joining import JoiningLink
from annotation.services.accounts.api_tokens import hash_token
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict, NotFound, ServiceError
from annotation.services.core.retry import retry_on_contention
from annotation.services.core.word_patterns import join_names
from annotation.services.people import members
from annotation.transactions import write_transaction

MOST_USES = 10_000
MOST_DAYS = 366


class Closed(ServiceError):
    """The link is closed; the message says why."""

    status = 410


def new_secret() -> str:
    """256 random bits, safe in a URL."""
    return secrets.token_urlsafe(32)


def checked_link(*, name: str, max_uses: int, days: int) -> dict[str, Any]:
    """Validated values common to all links. Raises BadInput naming the field."""
    if not name.strip() or len(name) > 100:
        raise BadInput(_("Describe what the link is for in 1 to 100 characters."), field="name")
    if not 1 <= max_uses <= MOST_USES:
        raise BadInput(_("A link is for 1 to %(most)d people.") % {"most": MOST_USES}, field="max_uses")
    if not 1 <= days <= MOST_DAYS:
        raise BadInput(_("A link is valid for 1 to %(most)d days.") % {"most": MOST_DAYS}, field="days")
    return {"name": name.strip(), "max_uses": max_uses, "expires_at": timezone.now() + timedelta(days=days)}


def create_invitation(
    *, project: Project, name: str, roles: Sequence[str], max_uses: int = 1, days: int = 14, by: AbstractBaseUser
) -> tuple[Invitation, str]:
    """Create a link; returns the row and the secret of its URL, which is not stored. Raises BadInput."""
    values = checked_link(name=name, max_uses=max_uses, days=days)
    chosen = [role for role in Role.values if role in roles]
    unknown = [role for role in roles if role not in Role.values]
    if unknown or not chosen:
        raise BadInput(_("Choose among the roles %(list)s.") % {"list": join_names(Role.values)}, field="roles")
    if Role.ADMIN in chosen and max_uses > 1:
        raise BadInput(_("A link for admins can only be used by one person."), field="max_uses")
    plain = new_secret()
    with write_transaction():
        row = Invitation.objects.create(
            project=project, roles=chosen, digest=hash_token(plain), created_by_id=by.pk, **values
        )
        detail = {"roles": chosen, "uses": max_uses}
        audit.record_event(
            project=project, actor=by, verb=AuditVerb.INVITATION_MAKE, target=f"invitation:{row.public_id}", **detail
        )
    return row, plain


def find_invitation(plain: str) -> Invitation:
    """The link with its project. Raises NotFound for an unknown secret."""
    invitation = Invitation.objects.select_related("project").filter(digest=hash_token(plain)).first()
    if invitation is None:
        raise NotFound(_("This link is not valid. Check that you copied all of it."))
    return invitation


def why_closed(link: JoiningLink) -> str:
    """revoked | expired | full, or "" while it is open."""
    if link.revoked_at is not None:
        return "revoked"
    if link.expires_at <= timezone.now():
        return "expired"
    return "full" if link.uses >= link.max_uses else ""


def closed_message(reason: str) -> str:
    """Message for a visitor of a closed link, by reason."""
    return {
        "revoked": _("The team has closed this link. Ask them for a new one."),
        "expired": _("This link has expired. Ask the team for a new one."),
        "full": _("This link has been used up. Ask the team for a new one."),
    }[reason]


def count_use(link: JoiningLink) -> None:
    """Count one use. Raises Closed with the reason if none is left."""
    rows = type(link)._default_manager.filter(pk=link.pk, revoked_at=None, expires_at__gt=Now())
    if not rows.filter(uses__lt=F("max_uses")).update(uses=F("uses") + 1):
        link.refresh_from_db()
        reason = why_closed(link) or "full"
        raise Closed(closed_message(reason), code=reason)


def has_used(invitation: Invitation, user: AbstractBaseUser) -> bool:
    return InvitationUse.objects.filter(invitation=invitation, user_id=user.pk).exists()


@retry_on_contention(unique_keys=True)
def accept_invitation(*, invitation: Invitation, user: User, made_account: bool = False) -> bool:
    """Give the roles to a user; False: the user has used the link before, and nothing changes.

    Raises Closed, or Conflict for an account that cannot join.
    """
    if CrowdWorker.objects.filter(user=user).exists():
        raise Conflict(_("This account belongs to a crowd platform and is limited to its tasks. Sign out first."))
    with write_transaction():
        if has_used(invitation, user):
            return False
        members.refuse_withdrawn(invitation.project, user)
        count_use(invitation)
        InvitationUse.objects.create(invitation=invitation, user=user, made_account=made_account, at=timezone.now())
        for role in invitation.roles:
            membership, created = Membership.objects.get_or_create(project=invitation.project, user=user, role=role)
            if not created:
                members.keep_by_hand(membership)
        audit.record_event(
            project=invitation.project,
            actor=user,
            verb=AuditVerb.INVITATION_USE,
            target=f"invitation:{invitation.public_id}",
            roles=invitation.roles,
            new_account=made_account,
        )
    return True


def sign_up(*, invitation: Invitation, username: str, password: str, email: str = "") -> User:
    """Create an account with the roles of the link in one transaction. Raises BadInput, Conflict, Closed."""
    members.refuse_without_passwords()
    with write_transaction():
        user = members.create_person(username=username, password=password, email=email, by=None)
        accept_invitation(invitation=invitation, user=user, made_account=True)
    return user


def find_link(project: Project, kind: type[Any], public_id: uuid.UUID) -> Any:
    """A link of the project. Raises NotFound."""
    link = kind.objects.select_related("project").filter(project=project, public_id=public_id).first()
    if link is None:
        raise NotFound()
    return link


def revoke_link(*, link: Invitation | CrowdLink, by: AbstractBaseUser) -> None:
    """Revoke a link. Members who joined by it stay. Idempotent."""
    if isinstance(link, Invitation):
        kind, verb = "invitation", AuditVerb.INVITATION_REVOKE
    else:
        kind, verb = "crowd_link", AuditVerb.CROWD_LINK_REVOKE
    with write_transaction():
        if type(link)._default_manager.filter(pk=link.pk, revoked_at=None).update(revoked_at=timezone.now()):
            audit.record_event(project=link.project, actor=by, verb=verb, target=f"{kind}:{link.public_id}")

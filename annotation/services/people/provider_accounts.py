"""Accounts of people who sign in at a provider of OpenID Connect.

An account is found by issuer and subject, which the provider never gives to anybody else. By e-mail address only where
the operator allows it, the provider says that it verified the address, and exactly one open account has it. That
account then loses its password and tokens: its creator may have known them.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import ApiToken, AuditVerb, CrowdWorker, ProviderIdentity
from annotation.services.accounts import first_passwords
from annotation.services.core import audit
from annotation.services.core.errors import Conflict, ServiceError
from annotation.services.core.retry import retry_on_contention
from annotation.services.people import provider_roles
from annotation.transactions import write_transaction
from epitome.site.oidc import OidcSettings

MASKED = "masked:"
LONGEST_SUBJECT = 255
LONGEST_NAME = 140
FALLBACK_NAME = "person"


@dataclass(frozen=True)
class ProviderPerson:
    """What the provider says of a person. name: what it proposes for a user name. email: only one that it verified."""

    subject: str
    groups: frozenset[str] = frozenset()
    name: str = ""
    email: str = ""


class NotLetIn(ServiceError):
    """The provider knows the person, this site refuses them; the message says why and whom to ask."""

    status = 403


@retry_on_contention(unique_keys=True)
def enter_site(person: ProviderPerson) -> User:
    """The account of a person whom the provider signed in, with the roles of their groups updated.

    Two first sign-ins at once make one account: the key of the identity decides. Raises NotLetIn.
    """
    oidc = _get_oidc()
    is_allowed = oidc.group_roles.is_allowed(person.groups)
    with write_transaction():
        identity = find_identity(oidc.issuer, person.subject)
        if identity is None and is_allowed:
            identity = _add_identity(oidc, person)
        if identity is not None and identity.user.is_active:
            if first_passwords.must_change(identity.user):  # chosen by somebody else, and not needed any more
                _drop_password(identity.user)
            provider_roles.update_roles(identity=identity, groups=person.groups, group_roles=oidc.group_roles)
            if is_allowed:
                audit.record_sign_in(identity.user, origin="oidc")
    if identity is None or not is_allowed:
        message = _("Your account at %(label)s is in no group that may use this site. Ask the site's admin.")
        raise NotLetIn(message % {"label": oidc.label}, code="no_group")
    if not identity.user.is_active:
        raise NotLetIn(_("This account is closed. Ask the site's admin."), code="closed")
    return User.objects.get(pk=identity.user_id)


def _get_oidc() -> OidcSettings:
    oidc: OidcSettings | None = settings.EPITOME_OIDC
    if oidc is None:
        raise NotLetIn(_("This site has no sign-in provider."), code="no_provider")
    return oidc


def find_identity(issuer: str, subject: str) -> ProviderIdentity | None:
    """The identity, also one whose subject was masked when its work was withdrawn."""
    subjects = [subject, _mask_subject(issuer, subject)]
    rows = ProviderIdentity.objects.select_related("user").filter(issuer=issuer, subject__in=subjects)
    return rows.first()


def _add_identity(oidc: OidcSettings, person: ProviderPerson) -> ProviderIdentity:
    """Inside a transaction: link the account of the e-mail address, or make a new one. Raises NotLetIn."""
    user = _find_by_email(person.email) if oidc.links_by_email else None
    if user is not None:
        _drop_password(user)
        ApiToken.objects.filter(user=user, revoked_at=None).update(revoked_at=timezone.now())
        return _store_identity(user, oidc.issuer, person.subject, by_email=True)
    if not oidc.creates_accounts:
        raise NotLetIn(
            _("You have no account on this site yet. Ask the site's admin to link one to %(label)s.")
            % {"label": oidc.label},
            code="no_account",
        )
    user = User(username=next(_propose_names(person.name)), email=person.email)
    user.set_unusable_password()
    user.save(force_insert=True)
    audit.record_event(project=None, actor=None, verb=AuditVerb.PERSON_CREATE, target=f"user:{user.pk}", origin="oidc")
    return _store_identity(user, oidc.issuer, person.subject)


def _store_identity(user: User, issuer: str, subject: str, **detail: bool) -> ProviderIdentity:
    """Inside a transaction."""
    identity = ProviderIdentity.objects.create(user=user, issuer=issuer, subject=subject)
    audit.record_event(project=None, actor=None, verb=AuditVerb.PERSON_LINK, target=f"user:{user.pk}", **detail)
    return identity


def _find_by_email(email: str) -> User | None:
    """The one open account with this verified address that is not linked yet. Never a site admin's."""
    if not email:
        return None
    rows = User.objects.filter(email__iexact=email, is_active=True)[:2]
    if len(rows) != 1 or rows[0].is_superuser or rows[0].provider_identities.exists():
        return None
    return rows[0]


def _drop_password(user: User) -> None:
    """Inside a transaction: leave the provider as the only way in, and end the sessions of the password."""
    user.set_unusable_password()
    user.save(update_fields=["password"])
    first_passwords.note_changed(user)


def _propose_names(proposal: str) -> Iterator[str]:
    """Free user names, the best first: maria, maria-2 ... Names that differ in case alone count as taken."""
    text = unicodedata.normalize("NFKC", proposal.partition("@")[0])
    base = re.sub(r"[^\w.+-]+", "-", text).strip("-.")[:LONGEST_NAME] or FALLBACK_NAME
    number = 1
    while True:
        name = base if number == 1 else f"{base}-{number}"
        number += 1
        if not User.objects.filter(username__iexact=name).exists():
            yield name


def link_account(*, user: User, subject: str) -> ProviderIdentity:
    """Let an account sign in at the provider as this subject; for the command line. Raises Conflict, NotLetIn."""
    oidc = _get_oidc()
    if CrowdWorker.objects.filter(user=user).exists():
        raise Conflict(_("This account belongs to a crowd platform and is limited to its tasks."))
    with write_transaction():
        if find_identity(oidc.issuer, subject) is not None:
            raise Conflict(_("Another account is linked to this subject."), code="linked")
        if ProviderIdentity.objects.filter(user=user, issuer=oidc.issuer).exists():
            raise Conflict(_("This account is linked already."), code="linked")
        return _store_identity(user, oidc.issuer, subject)


def mask_identities(user: User) -> None:
    """Keep only digests of a withdrawn person's subjects, by which they stay out."""
    with write_transaction():
        for identity in ProviderIdentity.objects.filter(user=user).exclude(subject__startswith=MASKED):
            identity.subject = _mask_subject(identity.issuer, identity.subject)
            identity.save(update_fields=["subject"])


def _mask_subject(issuer: str, subject: str) -> str:
    return MASKED + hashlib.sha256(f"{issuer}\0{subject}".encode()).hexdigest()

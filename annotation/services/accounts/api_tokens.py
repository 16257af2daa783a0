"""Tokens for scripts. Only a digest is stored; the token itself is shown once."""

import hashlib
import secrets
import uuid
from datetime import timedelta

from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import ApiToken, AuditVerb
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, NotFound
from annotation.services.core.prepared_queries import Prepared, TextParam
from annotation.services.core.word_patterns import quote_text
from annotation.transactions import write_transaction

PREFIX = "ept_"
TOUCH_EVERY = timedelta(minutes=10)
BY_DIGEST: Prepared[ApiToken] = Prepared(
    lambda: (
        ApiToken.objects.select_related("user")
        .filter(digest=TextParam("digest"), user__first_password__isnull=True)
        .order_by()[:1]
    )
)


def hash_token(plain: str) -> str:
    return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()


def create_token(*, user: User, name: str, scope: str = ApiToken.Scope.READ, days: int = 90) -> tuple[ApiToken, str]:
    """Make a token; returns the row and the token, which is not stored and cannot be shown again."""
    if scope not in ApiToken.Scope.values:
        raise BadInput(
            _("The scope %(seen)s is unknown; use read or write.") % {"seen": quote_text(scope[:30])}, field="scope"
        )
    if not 1 <= days <= 366:
        raise BadInput(_("A token is valid for 1 to 366 days, not %(n)d.") % {"n": days}, field="days")
    if not name.strip():
        raise BadInput(_("Give the token a name that you will recognize."), field="name")
    plain = PREFIX + secrets.token_urlsafe(32)
    with write_transaction():
        token = ApiToken.objects.create(
            user=user,
            name=name.strip()[:100],
            digest=hash_token(plain),
            scope=scope,
            expires_at=timezone.now() + timedelta(days=days),
        )
        audit.record_event(project=None, actor=user, verb=AuditVerb.TOKEN_CREATE, target=f"token:{token.public_id}")
    return token, plain


def find_token(plain: str) -> ApiToken | None:
    """The live token with its user, or None: unknown, revoked, expired, or of a person who may not sign in."""
    now = timezone.now()
    token = BY_DIGEST.first(digest=hash_token(plain))
    if token is None or token.revoked_at or token.expires_at <= now or not token.user.is_active:
        return None
    if token.last_used_at is None or now - token.last_used_at > TOUCH_EVERY:
        with write_transaction():
            ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
    return token


def get_token(*, user: User, public_id: uuid.UUID) -> ApiToken:
    """The user's own token, or any token for a site admin. Raises NotFound."""
    rows = ApiToken.objects.filter(public_id=public_id)
    token = (rows if user.is_superuser else rows.filter(user=user)).first()
    if token is None:
        raise NotFound(_("Token not found, or you don't have access."))
    return token


def revoke_token(*, token: ApiToken, by: User) -> None:
    with write_transaction():
        ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now())
        audit.record_event(project=None, actor=by, verb=AuditVerb.TOKEN_REVOKE, target=f"token:{token.public_id}")

"""A link that signs one person in once, made on the server's command line where password sign-in is turned off."""

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_decode, urlsafe_base64_encode
from django.utils.translation import gettext as _

from annotation.services.core import audit
from annotation.services.core.errors import NotFound
from annotation.transactions import write_transaction


class SignInTokens(PasswordResetTokenGenerator):
    """Void after the next sign-in of the account, and after an hour (PASSWORD_RESET_TIMEOUT)."""

    key_salt = "annotation.sign_in_links"


TOKENS = SignInTokens()


def make_link(user: User) -> str:
    """The path of a link for this account."""
    return reverse("sign-in-link", args=[urlsafe_base64_encode(force_bytes(user.pk)), TOKENS.make_token(user)])


def note_use(user: User) -> None:
    """Write into the audit log that the link was used; its creator is not known."""
    with write_transaction():
        audit.record_sign_in(user, origin="link")


def find_owner(uidb64: str, token: str) -> User:
    """The account that the link signs in. Raises NotFound for one that is unknown, used or too old."""
    user = None
    if not settings.EPITOME_PASSWORD_SIGN_IN:
        try:
            user = User.objects.filter(pk=urlsafe_base64_decode(uidb64).decode(), is_active=True).first()
        except (TypeError, ValueError, OverflowError, ValidationError):
            user = None
    if user is None or not TOKENS.check_token(user, token):
        raise NotFound(_("This link is not valid any more. Make another one with manage.py sign_in_link NAME."))
    return user

"""Passwords that somebody else chose for an account: they must be changed before anything else.

The row says so. A session opened meanwhile carries a mark, so that other sessions ask nothing per request; the row
decides. An API token of such an account does not work either (api_tokens.py).
"""

import secrets
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, User
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest

from annotation.models import FirstPassword
from annotation.transactions import write_transaction

SESSION_MARK = "must_change_password"
ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without letters and digits that look alike: 16 of 31 have 79 bits."""


def generate_password() -> str:
    """Four groups of four, to be read aloud or copied."""
    letters = "".join(secrets.choice(ALPHABET) for _i in range(16))
    return "-".join(letters[i : i + 4] for i in range(0, 16, 4))


def require_change(user: User) -> None:
    """The account must change its password at the next sign-in."""
    with write_transaction():
        FirstPassword.objects.get_or_create(user=user)


def must_change(user: AbstractBaseUser) -> bool:
    return FirstPassword.objects.filter(user_id=user.pk).exists()


def note_changed(user: AbstractBaseUser) -> None:
    """The account has a password that only its owner knows."""
    with write_transaction():
        FirstPassword.objects.filter(user_id=user.pk).delete()


@receiver(user_logged_in, dispatch_uid="annotation.first_passwords.mark")
def _mark_session(sender: Any, request: HttpRequest, user: User, **_kwargs: Any) -> None:
    if must_change(user):
        request.session[SESSION_MARK] = True

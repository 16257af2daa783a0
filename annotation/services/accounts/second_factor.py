"""Optional second factor for staff: time-based one-time codes (TOTP) with recovery codes, using django-otp.

EPITOME_STAFF_SECOND_FACTOR: off; optional (asked at every sign-in once set up); required (staff without one can reach
only the set-up page). API tokens need no code. Wrong codes are throttled per device with growing delays, and per
account and address like passwords.
"""

import re
import secrets
from base64 import b32encode
from collections.abc import Callable
from typing import TypeVar

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, User
from django.contrib.sessions.backends.base import SessionBase
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from annotation.models import AuditVerb, Membership
from annotation.services.accounts import sign_in_throttle
from annotation.services.accounts.sessions import end_sessions
from annotation.services.core import audit
from annotation.services.core.access import STAFF
from annotation.services.core.errors import BadInput, Conflict, NotFound
from annotation.transactions import write_transaction
from epitome.site.oidc import OidcSettings

T = TypeVar("T")
OFF, OPTIONAL, REQUIRED = "off", "optional", "required"
RECOVERY_CODES = 10
ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without letters and digits that look alike: 31 characters, so that ten of them have 49 bits."""
SESSION_MARK = "provider_factor"
"""Set in sessions that a sign-in provider opened, whose own second factor counts (EPITOME_OIDC_SECOND_FACTOR)."""
DIGITS = re.compile(r"[0-9]{6}")


def get_mode() -> str:
    value: str = settings.EPITOME_STAFF_SECOND_FACTOR
    return value


def is_staff(user: AbstractBaseUser) -> bool:
    """Site admins, and everybody with a staff role in any project."""
    if getattr(user, "is_superuser", False):
        return True
    return Membership.objects.filter(user_id=user.pk, role__in=[role.value for role in STAFF]).exists()


def has_second_factor(user: AbstractBaseUser) -> bool:
    return TOTPDevice.objects.filter(user_id=user.pk, confirmed=True).exists()


def needs_code(user: AbstractBaseUser) -> bool:
    """Whether the password alone does not sign this person in."""
    return get_mode() != OFF and has_second_factor(user)


def must_set_up(user: AbstractBaseUser) -> bool:
    """Whether this person must set one up before anything else."""
    return get_mode() == REQUIRED and is_staff(user) and not has_second_factor(user)


def is_left_to_provider(session: SessionBase) -> bool:
    """Whether the sign-in provider opened this session, and its own second factor counts here."""
    oidc: OidcSettings | None = settings.EPITOME_OIDC
    return SESSION_MARK in session and oidc is not None and not oidc.site_factor


def begin_setup(user: User) -> TOTPDevice:
    """Create an unconfirmed device with a new secret, replacing an earlier one. Raises Conflict if one is confirmed."""
    if has_second_factor(user):
        raise Conflict(_("The second factor is already on. Turn it off first."), code="second_factor")
    with write_transaction():
        TOTPDevice.objects.filter(user=user, confirmed=False).delete()
        return TOTPDevice.objects.create(user=user, name="Epitome", confirmed=False)


def pending_device(user: AbstractBaseUser) -> TOTPDevice | None:
    return TOTPDevice.objects.filter(user_id=user.pk, confirmed=False).order_by("-pk").first()


def secret_text(device: TOTPDevice) -> str:
    """The secret for typing it into an app: base32 in groups of four."""
    text = b32encode(device.bin_key).decode()
    return " ".join(text[i : i + 4] for i in range(0, len(text), 4))


def confirm_setup(*, user: User, code: str, address: str) -> tuple[TOTPDevice, list[str]]:
    """Activate the pending device with its first code; returns it and the recovery codes, which are shown once.

    Raises BadInput for a wrong code, TooMany.
    """
    device = pending_device(user)
    if device is None:
        raise Conflict(_("Please start again: the setup was not started or has expired."), code="second_factor")
    sign_in_throttle.begin_try(account=f"second factor {user.pk}", address=address)
    with write_transaction():
        locked = TOTPDevice.objects.select_for_update().get(pk=device.pk)
        right = bool(DIGITS.fullmatch(_normalize_code(code))) and locked.verify_token(_normalize_code(code))
        if right:
            TOTPDevice.objects.filter(pk=locked.pk).update(confirmed=True)
            codes = _new_codes(user)
            audit.record_event(project=None, actor=user, verb=AuditVerb.SECOND_FACTOR_ON, target=f"user:{user.pk}")
            # In the same transaction: if it fails, no device may be active whose recovery codes were never shown.
            sign_in_throttle.end_try(account=f"second factor {user.pk}", address=address, user_id=user.pk)
    if not right:
        raise _wrong_code_error()
    return locked, codes


def check_code(*, user: User, code: str, address: str) -> TOTPDevice | StaticDevice:
    """Return the device that the code belongs to; a code works once. Raises BadInput for a wrong one, TooMany."""
    device, _nothing = _check_code_and_run(user, code, address, lambda: None)
    return device


def _check_code_and_run(
    user: User, code: str, address: str, then: Callable[[], T]
) -> tuple[TOTPDevice | StaticDevice, T]:
    """Return the device and the result of `then`, run in the same transaction: if it fails, no code is used up."""
    sign_in_throttle.begin_try(account=f"second factor {user.pk}", address=address)
    plain = _normalize_code(code)
    with write_transaction():
        device = _find_matching_device(user, plain)
        if isinstance(device, StaticDevice):
            n_codes_left = device.token_set.count()
            audit.record_event(
                project=None,
                actor=user,
                verb=AuditVerb.SECOND_FACTOR_RECOVERY,
                target=f"user:{user.pk}",
                left=n_codes_left,
            )
        if device is not None:
            result = then()
            sign_in_throttle.end_try(account=f"second factor {user.pk}", address=address, user_id=user.pk)
    if device is None:
        raise _wrong_code_error()
    return device, result


def _find_matching_device(user: User, plain: str) -> TOTPDevice | StaticDevice | None:
    """Call inside a transaction. Must not raise: the failed try is counted on the device and has to be committed."""
    kind, token = (TOTPDevice, plain) if DIGITS.fullmatch(plain) else (StaticDevice, _hash_code(user, plain))
    for device in kind.objects.select_for_update().filter(user=user, confirmed=True):
        if device.verify_token(token):
            return device
    return None


def _normalize_code(code: str) -> str:
    return re.sub(r"[\s-]", "", code).lower()[:40]


def _wrong_code_error() -> BadInput:
    return BadInput(
        _("Wrong code, or entered too soon after a wrong one. Wait for the next code and try again."),
        field="code",
        code="second_factor",
    )


def _hash_code(user: AbstractBaseUser, plain: str) -> str:
    """The stored form of a recovery code: an HMAC cut to 64 bits, which is what the library's column holds."""
    return salted_hmac("annotation.second_factor", f"{user.pk}:{plain}", algorithm="sha256").hexdigest()[:16]


def _new_codes(user: User) -> list[str]:
    """Inside a transaction: new recovery codes in place of all older ones."""
    StaticDevice.objects.filter(user=user).delete()
    device = StaticDevice.objects.create(user=user, name="recovery codes", confirmed=True)
    plain = ["".join(secrets.choice(ALPHABET) for _i in range(10)) for _n in range(RECOVERY_CODES)]
    StaticToken.objects.bulk_create(StaticToken(device=device, token=_hash_code(user, code)) for code in plain)
    return [f"{code[:5]}-{code[5:]}" for code in plain]


def codes_left(user: AbstractBaseUser) -> int:
    return StaticToken.objects.filter(device__user_id=user.pk).count()


def renew_codes(*, user: User, code: str, address: str) -> list[str]:
    """Replace the recovery codes; the old ones stop working. Raises BadInput for a wrong code."""

    def renew() -> list[str]:
        codes = _new_codes(user)
        audit.record_event(project=None, actor=user, verb=AuditVerb.SECOND_FACTOR_CODES, target=f"user:{user.pk}")
        return codes

    return _check_code_and_run(user, code, address, renew)[1]


def turn_off(*, user: User, code: str, address: str) -> None:
    """Raises BadInput for a wrong code."""
    _check_code_and_run(user, code, address, lambda: _remove_devices(user, user, AuditVerb.SECOND_FACTOR_OFF))


def reset_second_factor(*, user: User, by: User | None) -> None:
    """Remove the second factor of a user who lost the device, and end all sessions. Raises NotFound if `by` is not a
    site admin. by: None on the server's command line."""
    if by is not None and not by.is_superuser:
        raise NotFound(_("Only site admins can reset a second factor."))
    with write_transaction():
        _remove_devices(user, by, AuditVerb.SECOND_FACTOR_RESET)
        end_sessions(user)


def _remove_devices(user: User, by: User | None, verb: AuditVerb) -> None:
    """Inside a transaction."""
    TOTPDevice.objects.filter(user=user).delete()
    StaticDevice.objects.filter(user=user).delete()
    audit.record_event(project=None, actor=by, verb=verb, target=f"user:{user.pk}")

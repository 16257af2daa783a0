"""The first admin of a site without accounts.

Who enters a one-time code becomes the admin. The code is printed in the server's log and kept in a file of the data
folder that only its owner can read, so that every process of the site knows the same one. It expires after an hour;
the next one is printed when the set-up page is opened. Tries are counted in the database.
"""

import fcntl
import logging
import os
import secrets
import time
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _

from annotation.services.accounts import sign_in_throttle
from annotation.services.core.errors import BadInput, NotFound
from annotation.services.people import members
from annotation.transactions import write_transaction

log = logging.getLogger(__name__)
CODE_FILE = "setup_code"
VALID_SECONDS = 3600
ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Without letters and digits that look alike: eight of 31 have 39 bits, for at most 100 tries in 15 minutes."""
_announced_codes: set[str] = set()
"""Codes that this process has logged."""


def is_setup_open() -> bool:
    """Whether the site has no account yet and offers the set-up page (EPITOME_SETUP_PAGE)."""
    return bool(settings.EPITOME_SETUP_PAGE) and not User.objects.exists()


def get_code() -> str:
    """The code that is valid now, as XXXX-XXXX; a new one where there is none or it has expired."""
    handle = os.open(Path(settings.DATA_DIR) / CODE_FILE, os.O_RDWR | os.O_CREAT, 0o600)
    with os.fdopen(handle, "r+", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # processes that start together agree on one code
        os.fchmod(file.fileno(), 0o600)
        code, _blank, created_at = file.read().strip().partition(" ")
        if created_at.isdecimal() and 0 <= time.time() - int(created_at) < VALID_SECONDS:
            return code
        letters = "".join(secrets.choice(ALPHABET) for _i in range(8))
        code = f"{letters[:4]}-{letters[4:]}"
        file.seek(0)
        file.truncate()
        file.write(f"{code} {int(time.time())}\n")
        return code


def announce_code() -> None:
    """Log the valid code, once per process."""
    code = get_code()
    if code not in _announced_codes:
        _announced_codes.add(code)
        log.warning("This site has no account yet. Set-up code: %s (valid for one hour, page /setup/)", code)


def create_first_admin(*, code: str, username: str, password: str, email: str, address: str) -> User:
    """Create the site admin. Raises BadInput naming the field, TooMany, or NotFound once any account exists."""
    sign_in_throttle.begin_setup_try(address=address)
    with write_transaction():
        _lock_setup()
        if not is_setup_open():  # somebody else was first
            raise NotFound()
        _check_code(code)
        user = members.create_person(username=username, password=password, email=email, by=None)
        user.is_staff = user.is_superuser = True
        user.save(update_fields=["is_staff", "is_superuser"])
    (Path(settings.DATA_DIR) / CODE_FILE).unlink(missing_ok=True)
    return user


def _check_code(code: str) -> None:
    """Raise BadInput for any other than the valid code, which then is in the log."""
    if not constant_time_compare(_normalize_code(code), _normalize_code(get_code())):
        announce_code()
        message = _("Wrong code. It is in the server's log and expires after one hour.")
        raise BadInput(message, field="code")


def _normalize_code(code: str) -> str:
    return code.upper().replace("-", "").replace(" ", "")[:40]


def _lock_setup() -> None:
    """Let one transaction at a time look for accounts and create the first. SQLite has a single writer anyway."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtext('epitome-setup'))")

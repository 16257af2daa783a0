"""Failures that are not the request's: the database cannot be reached, or a disk is full."""

import errno
from collections.abc import Iterator
from typing import NamedTuple

from django.db import InterfaceError, OperationalError
from django.utils.translation import gettext as _

DISK_ERRNOS = (errno.ENOSPC, errno.EDQUOT)
DISK_SQLSTATE = "53100"
DISK_SQLITE = ("SQLITE_FULL",)
DISK_FULL, UNAVAILABLE = "diskfull", "unavailable"
TIMEOUTS = ("PoolTimeout", "ConnectionTimeout")
# SQLite has no class of its own for a missing table or a typing mistake in a statement.
SQLITE_FAULTS = ("SQLITE_ERROR", "SQLITE_MISUSE", "SQLITE_RANGE")


class Outage(NamedTuple):
    """What to answer. connection_lost: whether the same request, sent again at once, may well succeed."""

    status: int
    code: str
    title: str
    text: str
    retry_after: int
    connection_lost: bool = False


def find_outage(error: BaseException | None) -> Outage | None:
    """The outage behind an exception; None where the fault is in the program or the request."""
    causes = list(_list_causes(error))
    if any(_is_disk_full(cause) for cause in causes):
        return Outage(
            507,
            DISK_FULL,
            _("The server is out of disk space"),
            _("Nothing was saved. Tell the site's administrator and try again later."),
            60,
        )
    if any(_is_unavailable(cause) for cause in causes):
        lost = not any(type(cause).__name__ in TIMEOUTS for cause in causes)
        return Outage(
            503,
            UNAVAILABLE,
            _("The database is not responding"),
            _("Saved work is safe. Wait a few seconds and try again."),
            5,
            connection_lost=lost,
        )
    return None


def _list_causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__


def _is_disk_full(error: BaseException) -> bool:
    if isinstance(error, OSError) and error.errno in DISK_ERRNOS:
        return True
    sqlite_name = getattr(error, "sqlite_errorname", "")
    return getattr(error, "sqlstate", None) == DISK_SQLSTATE or sqlite_name in DISK_SQLITE


def _is_unavailable(error: BaseException) -> bool:
    if not isinstance(error, OperationalError | InterfaceError):
        return False
    sqlite_name = getattr(error.__cause__, "sqlite_errorname", None)
    is_sqlite = type(error.__cause__).__module__ == "sqlite3"
    return sqlite_name is not None and sqlite_name not in SQLITE_FAULTS if is_sqlite else True

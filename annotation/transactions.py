"""One transaction per service write. On SQLite one writer at a time, by a file lock taken before BEGIN.

SQLite does not queue writers fairly: under load some wait seconds and some fail with "database is locked".
An advisory lock on a file, taken before BEGIN IMMEDIATE, queues writers in the kernel instead. PostgreSQL needs none.
"""

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.db import connection, transaction

_thread_state = threading.local()
_open_handles: set[int] = set()
"""Handles of the lock file that are open in this process."""


def _release_after_fork() -> None:
    """Close inherited lock handles: a child forked while a thread held the lock would hold it for its lifetime."""
    while _open_handles:
        os.close(_open_handles.pop())
    _thread_state.depth = False


os.register_at_fork(after_in_child=_release_after_fork)


def lock_path() -> Path:
    """The lock file of SQLite's single writer: one per data folder, which holds one database."""
    folder = Path(settings.DATA_DIR)
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "write.lock"


@contextmanager
def hold_write_lock() -> Iterator[None]:
    """Lock the file while the block runs (SQLite only); a nested use joins the outer one."""
    if connection.vendor != "sqlite" or getattr(_thread_state, "depth", False):
        yield
        return
    handle = os.open(lock_path(), os.O_RDWR | os.O_CREAT, 0o600)
    _open_handles.add(handle)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        _thread_state.depth = True
        yield
    finally:
        _thread_state.depth = False
        if handle in _open_handles:  # else this is a forked child, which has released it already
            _open_handles.discard(handle)
            fcntl.flock(handle, fcntl.LOCK_UN)  # also releases copies that a forked child has not closed yet
            os.close(handle)


@contextmanager
def write_transaction() -> Iterator[None]:
    """Open the transaction of a service write. Nested uses join the outer one."""
    with hold_write_lock(), transaction.atomic():
        yield

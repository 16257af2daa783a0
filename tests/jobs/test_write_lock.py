"""SQLite's write lock is held as long as a write lasts, and by nobody who was forked meanwhile."""

import fcntl
import os

import pytest
from django.db import connection

from annotation.transactions import hold_write_lock, lock_path

pytestmark = pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL needs no such lock")


def is_free():
    handle = os.open(lock_path(), os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(handle)
    return True


def test_a_process_forked_during_a_write_does_not_keep_the_lock():
    waits, ends = os.pipe()
    with hold_write_lock():
        child = os.fork()
        if child == 0:
            os.close(ends)
            os.read(waits, 1)  # lives until the test is over
            os._exit(0)
        assert not is_free()
    try:
        assert is_free()
    finally:
        os.close(ends)
        os.waitpid(child, 0)

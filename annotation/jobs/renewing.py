"""Renews leases during long work."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.conf import settings
from django.db import Error, connection

from annotation.jobs.clock import database_now

log = logging.getLogger(__name__)


@contextmanager
def renew_in_background(name: str, renew: Callable[[datetime], object]) -> Iterator[None]:
    """Call renew(until) every quarter of a lease during the `with` block, from a thread with its own connection.

    After a database error (restart, lost connection) it retries on a new connection: three failures are possible
    before the lease expires and another worker starts the same work.
    """
    stop = threading.Event()
    every = max(settings.EPITOME_JOB_LEASE_SECONDS / 4, 0.2)

    def beat() -> None:
        while not stop.wait(every):
            try:
                renew(database_now() + timedelta(seconds=settings.EPITOME_JOB_LEASE_SECONDS))
            except Error:
                log.warning("%s could not be renewed; trying again", name, exc_info=True)
                connection.close()
        connection.close()

    thread = threading.Thread(target=beat, name=name, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(timeout=10)

"""Renews leases during long work."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import Error, connection

from annotation.jobs.clock import database_now
from annotation.models.leased_work import LeasedWorkQuerySet
from annotation.transactions import write_transaction

log = logging.getLogger(__name__)


def extend_leases(held_rows: LeasedWorkQuerySet) -> None:  # type: ignore[type-arg]
    """Renew the leases of rows that a worker still holds."""
    now = database_now()
    with write_transaction():
        held_rows.extend(now)


@contextmanager
def renew_leases(name: str, held_rows: LeasedWorkQuerySet) -> Iterator[None]:  # type: ignore[type-arg]
    """Renew these leases every quarter of their length during the `with` block, from a thread with its own connection.

    After a database error (restart, lost connection) it retries on a new connection: three failures are possible
    before the lease expires and another worker starts the same work.
    """
    stop = threading.Event()
    every = max(settings.EPITOME_JOB_LEASE_SECONDS / 4, 0.2)

    def beat() -> None:
        while not stop.wait(every):
            try:
                extend_leases(held_rows)
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

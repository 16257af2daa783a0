"""Which workers run, and which queues they serve."""

import logging
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial

from django.db import close_old_connections, connections

from annotation.jobs.clock import database_now
from annotation.jobs.registry import BEATS
from annotation.jobs.worker_names import host_prefix, new_token
from annotation.models import WorkerHeartbeat
from annotation.transactions import write_transaction

log = logging.getLogger(__name__)
BEAT_SECONDS = 15
KEPT_FOR = timedelta(days=1)
"""Rows of killed workers are deleted after this, by the next worker that starts."""


class Heartbeat:
    """The heartbeat of this worker process."""

    def __init__(self, queues: Sequence[str], stop: threading.Event) -> None:
        self.name = new_token()
        self.queues = sorted(queues)
        self.stop = stop
        self.thread = threading.Thread(target=self.run, name="worker-heartbeat", daemon=True)

    def beat(self) -> None:
        """Store that the worker lives."""
        now = database_now()
        with write_transaction():
            WorkerHeartbeat.objects.update_or_create(
                name=self.name,
                defaults={"queues": self.queues, "seen_at": now},
                create_defaults={"queues": self.queues, "seen_at": now, "started_at": now},
            )

    def end(self) -> None:
        with write_transaction():
            WorkerHeartbeat.objects.filter(name=self.name).delete()

    def run(self) -> None:
        """Beat until the worker stops, then delete the row."""
        self._try(delete_old_heartbeats)
        while True:
            self._try(self.beat)
            self._report(is_ending=False)
            if self.stop.wait(BEAT_SECONDS):
                break
        self._try(self.end)
        self._report(is_ending=True)
        connections.close_all()

    def _report(self, *, is_ending: bool) -> None:
        """What else each beat reports of this worker."""
        for report in BEATS:
            self._try(partial(report, is_ending))

    def _try(self, write: Callable[[], object]) -> None:
        try:
            close_old_connections()
            write()
        except Exception:  # the database may be unavailable; retried with the next beat
            log.exception("the heartbeat of this worker could not be stored")


def is_worker_of_this_host_running() -> bool:
    return WorkerHeartbeat.objects.running(database_now()).filter(name__startswith=host_prefix()).exists()


def delete_old_heartbeats() -> None:
    with write_transaction():
        WorkerHeartbeat.objects.filter(seen_at__lt=database_now() - KEPT_FOR).delete()


def count_workers() -> Counter[str]:
    """How many workers run for each queue that is served."""
    running = WorkerHeartbeat.objects.running(database_now()).values_list("queues", flat=True)
    return Counter(queue for queues in running for queue in queues)

"""Celery integration: the task that runs a job, each worker's polling of the Job table, and its heartbeat."""

import gc
import logging
import threading
import time
from typing import Any

from celery import current_app, shared_task
from celery.signals import (
    task_postrun,
    task_prerun,
    worker_before_create_process,
    worker_process_init,
    worker_ready,
    worker_shutdown,
    worker_shutting_down,
)
from django.conf import settings
from django.db import close_old_connections, connections

from annotation import jobs
from annotation.jobs.creating import TASK, send_hint
from annotation.jobs.memory import MemoryWatch

log = logging.getLogger(__name__)
_stop = jobs.STOPPING
_heartbeats: list[jobs.Heartbeat] = []
memory = MemoryWatch(settings.EPITOME_WORKER_IDLE_SECONDS, settings.EPITOME_WORKER_SPARE_MB)
STOP_SECONDS = 5


@shared_task(name=TASK, acks_late=True, ignore_result=True)
def run_job(job_id: int) -> None:
    """Run a job if it is still due; repeated messages for one job are harmless."""
    if isinstance(job_id, int):
        jobs.run_hinted_job(job_id, sorted(current_app.amqp.queues.consume_from))


class Poller:
    """Finds due jobs in the database, so that a lost broker message or a dead worker loses no job."""

    def __init__(self, queues: list[str]) -> None:
        self.queues = queues
        self.hinted: dict[int, float] = {}
        self.swept = 0.0

    def turn(self) -> None:
        """Poll once: send due jobs (again only after the lease time), and sweep when the interval has passed."""
        now = time.monotonic()
        self.hinted = {job: at for job, at in self.hinted.items() if now - at < settings.EPITOME_JOB_LEASE_SECONDS}
        for job_id, queue in jobs.list_open_jobs(self.queues):
            if job_id not in self.hinted:
                self.hinted[job_id] = now
                send_hint(job_id, queue)
        if now - self.swept >= settings.EPITOME_SWEEP_SECONDS:
            self.swept = now
            jobs.run_sweepers()

    def run(self) -> None:
        while not _stop.wait(settings.EPITOME_JOB_POLL_SECONDS):
            try:
                close_old_connections()
                self.turn()
            except Exception:  # the database may be unavailable; retried in the next turn
                log.exception("polling for jobs failed")
        connections.close_all()


@worker_ready.connect
def _start_polling(sender: Any = None, **_kwargs: Any) -> None:
    _stop.clear()
    consumer = getattr(sender, "task_consumer", None)
    queues = [queue.name for queue in consumer.queues] if consumer is not None else ["default", "text"]
    threading.Thread(target=Poller(queues).run, name="job-poller", daemon=True).start()
    heartbeat = jobs.Heartbeat(queues, _stop)
    heartbeat.thread.start()
    _heartbeats.append(heartbeat)
    memory.start(_stop)


@task_prerun.connect
def _note_begin(**_kwargs: Any) -> None:
    memory.job_begins()


@task_postrun.connect
def _note_end(**_kwargs: Any) -> None:
    memory.job_ends()


@worker_shutting_down.connect
def _stop_polling(**_kwargs: Any) -> None:
    _stop.set()


@worker_shutdown.connect
def _end_heartbeat(**_kwargs: Any) -> None:
    """Wait until the row of this worker is deleted, so that nobody takes it for a running one."""
    _stop.set()
    while _heartbeats:
        _heartbeats.pop().thread.join(timeout=STOP_SECONDS)


@worker_before_create_process.connect
def _keep_memory_shared(**_kwargs: Any) -> None:
    """Exclude what is loaded before a fork from garbage collection, so that its memory pages stay shared."""
    gc.collect()
    gc.freeze()


@worker_process_init.connect
def _fresh_connections(**_kwargs: Any) -> None:
    connections.close_all()

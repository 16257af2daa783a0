"""Celery integration: the task that runs a job, each worker's polling of the Job table, and its heartbeat."""

import gc
import logging
import threading
from collections.abc import Callable
from functools import partial
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
from annotation.jobs.creating import TASK, put_hint
from annotation.jobs.memory import MemoryWatch

log = logging.getLogger(__name__)
_stop = jobs.STOPPING
_heartbeats: list[jobs.Heartbeat] = []
memory = MemoryWatch(settings.EPITOME_WORKER_IDLE_SECONDS, settings.EPITOME_WORKER_SPARE_MB)
STOP_SECONDS = 5
FAULT_SECONDS = 5.0
"""How long a worker waits at least after it failed to look for jobs, or to sweep."""


@shared_task(name=TASK, acks_late=True, ignore_result=True)
def run_job(job_id: int) -> None:
    """Run a job if it is still due; repeated messages for one job are harmless."""
    if isinstance(job_id, int):
        jobs.run_hinted_job(job_id, sorted(current_app.amqp.queues.consume_from))


def hint_due_jobs(queues: list[str]) -> None:
    """Fill those queues of the broker that are empty, so that a lost message or a dead worker loses no job.

    The messages of the others name what was due before; what is due since then comes once they are empty.
    """
    for job_id, queue in jobs.list_open_jobs([queue for queue in queues if not count_hints(queue)]):
        put_hint(job_id, queue)


def count_hints(queue: str) -> int:
    """How many messages wait in a queue of the broker."""
    with current_app.producer_or_acquire() as producer:
        return int(producer.channel.queue_declare(queue).message_count)


def repeat_until_stopped(action: Callable[[], object], seconds: float) -> None:
    """Call it at once and again after each interval, for a thread of its own."""
    wait = 0.0
    while not _stop.wait(wait):
        wait = seconds
        try:
            action()
        except Exception:  # the database or the broker may be unavailable
            log.exception("the thread %s failed; it tries again", threading.current_thread().name)
            wait = max(seconds, FAULT_SECONDS)
        finally:
            close_old_connections()
    connections.close_all()


def _start_thread(name: str, action: Callable[[], object], seconds: float) -> None:
    threading.Thread(target=repeat_until_stopped, args=[action, seconds], name=name, daemon=True).start()


@worker_ready.connect
def _start_polling(sender: Any = None, **_kwargs: Any) -> None:
    _stop.clear()
    consumer = getattr(sender, "task_consumer", None)
    queues = [queue.name for queue in consumer.queues] if consumer is not None else ["default", "text"]
    _start_thread("job-poller", partial(hint_due_jobs, queues), settings.EPITOME_JOB_POLL_SECONDS)
    _start_thread("sweeper", jobs.run_sweepers, settings.EPITOME_SWEEP_SECONDS)
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

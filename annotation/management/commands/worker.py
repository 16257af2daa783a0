"""`manage.py worker`: a Celery worker for the queues named; one process by default."""

import os
import sys
import warnings
from importlib.util import find_spec
from typing import Any

from celery.platforms import SecurityWarning
from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from epitome.site.celery import app


class Command(BaseCommand):
    help = "Run one worker for the queues named (all CPU queues by default)."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--queues", default=default_queues(), help="queues, by commas (EPITOME_WORKER_QUEUES)")
        parser.add_argument("--concurrency", type=int, default=1, help="processes; each loads systems of its own")

    def handle(self, *args: Any, **options: Any) -> None:
        warnings.filterwarnings("ignore", category=SecurityWarning)  # being root is the operator's choice, not news
        # The solo pool keeps the whole worker in one process: half the memory, and a kill leaves nothing behind.
        prefork_options = ["--pool=prefork", f"--concurrency={options['concurrency']}"]
        arguments = [
            "--quiet",
            "--skip-checks",  # they would load every page and API call, which a worker has no use for
            "worker",
            *(prefork_options if options["concurrency"] > 1 else ["--pool=solo"]),
            f"--queues={options['queues']}",
            "--loglevel=WARNING",
            "--without-gossip",
            "--without-mingle",
            "--without-heartbeat",
        ]
        try:
            app.worker_main(arguments)
        finally:
            begin_again_if_due()


def begin_again_if_due() -> None:
    """Start this program again in its place, where the worker ended to give memory back (annotation.jobs.memory)."""
    from annotation.tasks import memory

    if memory.begins_again:
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606  this very command


def default_queues() -> str:
    """EPITOME_WORKER_QUEUES; else the CPU queues, and outside production `gpu` too where torch is installed."""
    queues = os.environ.get("EPITOME_WORKER_QUEUES", "").strip()
    if queues:
        return queues
    with_gpu = not settings.PRODUCTION and find_spec("torch") is not None
    return "default,text,gpu" if with_gpu else "default,text"

"""`manage.py worker`: one Celery worker process for every queue, made for the embedded default."""

import warnings
from typing import Any

from celery.platforms import SecurityWarning
from django.core.management.base import BaseCommand, CommandParser

from epitome.celery import app


class Command(BaseCommand):
    help = "Run one worker for the queues named (all CPU queues by default)."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--queues", default="default,text", help="queues, by commas")

    def handle(self, *args: Any, **options: Any) -> None:
        warnings.filterwarnings("ignore", category=SecurityWarning)  # being root is the operator's choice, not news
        # The solo pool keeps the whole worker in one process: half the memory, and a kill leaves nothing behind.
        app.worker_main(
            [
                "--quiet",
                "worker",
                "--pool=solo",
                f"--queues={options['queues']}",
                "--loglevel=WARNING",
                "--without-gossip",
                "--without-mingle",
                "--without-heartbeat",
            ]
        )

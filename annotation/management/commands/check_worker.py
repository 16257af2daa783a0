"""`manage.py check_worker`: whether a worker of this machine (or container) is running; for health checks."""

from typing import Any

from django.core.management.base import BaseCommand

from annotation.jobs import is_worker_of_this_host_running
from annotation.management.running import command_error


class Command(BaseCommand):
    help = "Exit with 0 if a worker of this machine was seen in the last 45 seconds, else with 1."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        if not is_worker_of_this_host_running():
            raise command_error("no worker of this machine is running")
        self.stdout.write("a worker of this machine is running")

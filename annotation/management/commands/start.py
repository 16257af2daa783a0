"""`manage.py start`: the whole site on one machine, with the settings of production."""

import sys
from argparse import ArgumentTypeError
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.management.start_steps import StartSteps
from annotation.services.people import first_admin
from epitome.site import processes as site_processes
from epitome.site import supervise
from epitome.site.processes import manage_command

START_SECONDS, STOP_SECONDS = 120.0, 40.0


class Command(BaseCommand):
    help = "Migrate, collect static files, and run web server and worker on this machine; Ctrl-C ends all of it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--concurrency", type=read_count, default=2, help="processes of the worker (default 2)")
        parser.add_argument("--queues", metavar="NAMES", help="queues of the worker, by commas (all CPU queues)")

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.PRODUCTION:
            raise CommandError(
                "start runs a site for others: set EPITOME_ENV=production and what it demands (docs/operations.md);"
                " to try Epitome out, use the command demo"
            )
        steps = StartSteps(sys.stderr, 3)
        steps.migrate()
        with steps.step("static files"):
            call_command("collectstatic", interactive=False, verbosity=0)
        worker = ["worker", "--concurrency", str(options["concurrency"])]
        if options["queues"]:
            worker += ["--queues", options["queues"]]
        addresses = site_processes.list_addresses()
        hosts = ", ".join(settings.ALLOWED_HOSTS)
        plan = supervise.Plan(
            commands=[site_processes.web_command(), manage_command(*worker)],
            probe=f"http://{local_address(addresses[0])}/readyz",
            lines=[
                f"Epitome listens on {', '.join(addresses)} for {hosts}.",
                *describe_first_run(),
                "Ctrl-C stops it.",
            ],
            seconds=START_SECONDS,
            stop_seconds=STOP_SECONDS,
            step=steps.name_next("web server and worker"),
        )
        site_processes.replace_by_supervisor(plan, site_processes.site_environment(settings))


def describe_first_run() -> list[str]:
    """What to do on a site that has no account yet."""
    if not first_admin.is_setup_open():
        return []
    return [
        "No account exists yet: open the site in a browser and enter the set-up code within an hour.",
        f"Set-up code: {first_admin.get_code()}",
    ]


def read_count(text: str) -> int:
    """A number of processes, for the parser."""
    if not text.isdecimal() or not 1 <= int(text) <= 64:
        raise ArgumentTypeError(f"{text[:40]!r} is not between 1 and 64")
    return int(text)


def local_address(address: str) -> str:
    """How this machine reaches an address that gunicorn listens on: all interfaces are asked on the loopback."""
    host, _, port = address.rpartition(":")
    return f"127.0.0.1:{port}" if host in ("", "0.0.0.0", "[::]") else address  # noqa: S104

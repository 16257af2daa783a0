"""`serve`, `demo`, `worker`, `start`, `manage`: the web application, where the extra `web` is installed."""

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from epitome.cli.faults import CommandFault

NEEDED = ("django", "celery", "rest_framework", "gunicorn", "waitress", "whitenoise")
"""Libraries whose presence shows that the extra `web` is installed."""
SUMMARIES = {
    "serve": "Run the web server.",
    "demo": "Run the example projects on this machine: web server, worker, SQLite.",
    "worker": "Run a worker for background jobs.",
    "start": "Run web server and worker on this machine with production settings.",
    "manage": "Run any management command: epitome manage migrate, epitome manage help.",
}


def load_site_commands(what: str) -> ModuleType:
    """epitome.site.command_line, by its name: the library imports nothing of the site. Raises CommandFault that names
    what is missing."""
    if missing := [name for name in NEEDED if find_spec(name) is None]:
        raise CommandFault(
            f"{what} needs the web application, and {', '.join(missing)} cannot be found: pip install 'epitome[web]'"
        )
    return import_module("epitome.site.command_line")


def load_label_lengths() -> Any:
    """The module that compares the references' lengths with their labels. Raises CommandFault without Django."""
    return load_site_commands("--lengths").load_label_lengths()


def run_site_command(command: str, words: list[str]) -> int:
    """Run a command of the site. Raises CommandFault: the extra `web` is missing, a setting cannot be used."""
    load_site_commands(f"epitome {command}").run_command(command, words)
    sys.stdout.flush()
    return 0

"""`serve`, `demo`, `worker`, `start`, `manage`: the web application, where the extra `web` is installed."""

import os
import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from epitome.cli.faults import CommandFault
from epitome.start_settings import describe_missing_settings, list_missing_settings, name_settings

NEEDED = ("django", "celery", "rest_framework", "gunicorn", "waitress", "whitenoise")
"""Libraries whose presence shows that the extra `web` is installed."""
SUMMARIES = {
    "serve": "Run the web server.",
    "demo": "Run the example projects on this machine: web server, worker, SQLite.",
    "worker": "Run a worker for background jobs.",
    "start": "Run web server and worker on this machine with production settings.",
    "manage": "Run any management command: epitome manage migrate, epitome manage help.",
}


def check_web_installed(what: str) -> None:
    """Raises CommandFault that names what is missing."""
    if missing := [name for name in NEEDED if find_spec(name) is None]:
        raise CommandFault(
            f"{what} needs the web application, and {', '.join(missing)} cannot be found: pip install 'epitome[web]'"
        )


def check_start_settings() -> None:
    """Raises CommandFault that lists every setting which production lacks."""
    if missing := list_missing_settings(os.environ):
        sys.stderr.write(describe_missing_settings(missing))
        raise CommandFault("settings that production needs are missing: " + ", ".join(name_settings(missing)))


def load_label_lengths() -> Any:
    """The module that holds the references' lengths against their labels: the Statistics page's own code, so it needs
    Django. Raises CommandFault where that is not installed."""
    check_web_installed("--lengths")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "epitome.settings")
    import django
    from django.apps import apps

    if not apps.ready:
        django.setup()
    return import_module("evaluation.management.label_lengths")


def run_site_command(command: str, words: list[str]) -> int:
    """Hand over to Django's command line. Raises CommandFault: the extra `web` is missing, a setting cannot be used."""
    check_web_installed(f"epitome {command}")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "epitome.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import DatabaseError

    from epitome.environment import BadSetting

    if command == "start" and not {"-h", "--help"} & {*words}:
        check_start_settings()
    line = ["epitome", command, *words] if command != "manage" else ["epitome manage", *(words or ["help"])]
    try:
        execute_from_command_line(line)
    except (BadSetting, ImproperlyConfigured, DatabaseError) as error:
        if "--traceback" in words:
            raise
        raise CommandFault(f"{error}") from error
    sys.stdout.flush()
    return 0

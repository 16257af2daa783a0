"""Django's command line and code of pages, for the command `epitome`; only where the extra `web` is installed."""

import os
import sys
from importlib import import_module
from typing import Any

import django
from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import DatabaseError

from epitome.cli.faults import CommandFault
from epitome.environment_values import BadSetting
from epitome.site.demo_start import start_web_first
from epitome.site.start_settings import describe_missing_settings, list_missing_settings, name_settings

SETTINGS = "epitome.site.settings"


def check_start_settings() -> None:
    """Raises CommandFault that lists every setting which production lacks."""
    if missing := list_missing_settings(os.environ):
        sys.stderr.write(describe_missing_settings(missing))
        raise CommandFault("settings that production needs are missing: " + ", ".join(name_settings(missing)))


def load_label_lengths() -> Any:
    """The module that holds the references' lengths against their labels: the Statistics page's own code."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", SETTINGS)
    if not apps.ready:
        django.setup()
    return import_module("evaluation.management.label_lengths")


def run_command(command: str, words: list[str]) -> None:
    """Hand over to Django's command line. Raises CommandFault for a setting or database that cannot be used."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", SETTINGS)
    if command == "start" and not {"-h", "--help"} & {*words}:
        check_start_settings()
    line = ["epitome", command, *words] if command != "manage" else ["epitome manage", *(words or ["help"])]
    try:
        if command == "demo":
            start_web_first(words)
        execute_from_command_line(line)
    except (BadSetting, ImproperlyConfigured, DatabaseError) as error:
        if "--traceback" in words:
            raise
        raise CommandFault(f"{error}") from error

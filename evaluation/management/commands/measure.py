"""`manage.py measure FILE ...`: the command `epitome measure`, with the pipeline of the settings."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import run_library_command
from epitome.cli import measure


class Command(BaseCommand):
    help = measure.SUMMARY
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        measure.add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        options["pipeline"] = options["pipeline"] or settings.EPITOME_SPACY_PIPELINE
        self.stdout.write(run_library_command(measure.run_measure, options))

"""`manage.py agreement JUDGEMENTS`: the command `epitome agreement`."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import run_library_command
from epitome.cli import agreement


class Command(BaseCommand):
    help = agreement.SUMMARY
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        agreement.add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(run_library_command(agreement.run_agreement, options))

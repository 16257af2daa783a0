"""`manage.py predict KEY|CONFIG.toml FILE --output PRED.jsonl`: the command `epitome predict`."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import run_library_command
from epitome.cli import predict


class Command(BaseCommand):
    help = predict.SUMMARY
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        predict.add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(run_library_command(predict.run_predict, options))

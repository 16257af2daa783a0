"""`manage.py agreement JUDGEMENTS.jsonl`: how far raters agree. No database."""

from argparse import ArgumentTypeError
from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.formats.reading import UnreadableFile, input_file
from annotation.management.running import as_json, command_error

MAX_REPLICATES = 100_000
MAX_SEED = 2**63 - 1


def bounded_number(low: int, high: int) -> Callable[[str], int]:
    """Reads a whole number between low and high, for the parser."""

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise ArgumentTypeError(f"{text[:40]!r} is no whole number") from None
        if not low <= value <= high:
            raise ArgumentTypeError(f"{text[:40]!r} is not between {low} and {high}")
        return value

    return read


class Command(BaseCommand):
    help = "Kappa, alpha and AC1 of a file of judgements, with intervals, per question, pooled and per system."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file", metavar="JUDGEMENTS.jsonl", help='lines of {"item_id", "rater", "question", "answer"}'
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.add_argument(
            "--bootstrap",
            type=bounded_number(1, MAX_REPLICATES),
            default=1000,
            metavar="N",
            help="replicates (default: 1000)",
        )
        parser.add_argument(
            "--seed", type=bounded_number(0, MAX_SEED), default=12345, metavar="S", help="default: 12345"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        from evaluation.agreement.judgements_file import BadJudgements, read_judgements
        from evaluation.agreement.report import make_report
        from evaluation.agreement.report_text import as_text

        file = input_file(options["file"])
        try:
            judgements = read_judgements(file)
        except (BadJudgements, UnreadableFile) as error:
            raise command_error(str(error)) from error
        result = make_report(judgements, replicates=options["bootstrap"], seed=options["seed"])
        self.stdout.write(as_json(result.as_dict()) if options["json"] else as_text(result, file.name))

"""`manage.py paper_tables PROJECT [RUN ...]`: a project's runs in the tables of the papers, as on the page *Tables*."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.management.running import convert_service_errors, get_project
from epitome.figures.table_text import format_table
from evaluation.services.reports import report_files
from evaluation.services.runs_compared import table_runs
from evaluation.services.runs_compared.paper_tables import build_tables

RUN = "run:"


class Command(BaseCommand):
    help = "Print the tables of a project's runs; CCSBench's Tables 3 and 4 have the published rows."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project")
        parser.add_argument(
            "runs", nargs="*", metavar="RUN", help="ids of finished runs, or keys of systems; default: the newest four"
        )
        parser.add_argument(
            "--together", default="", metavar="RUN", help="for Table 4: the run trained on all attributes"
        )
        single = "|".join(table_runs.SINGLE_ATTRIBUTES)
        parser.add_argument(
            "--alone", action="append", default=[], metavar="ATTRIBUTE=RUN", help=f"trained on {single} alone"
        )
        parser.add_argument("--format", choices=["text", *report_files.FORMATS], default="text")

    def handle(self, *args: Any, **options: Any) -> None:
        project = get_project(options["project"])
        alone = _read_pairs(options["alone"])
        with convert_service_errors():
            runs = table_runs.list_table_runs(project)
            chosen = table_runs.choose_runs(runs, [name.removeprefix(RUN) for name in options["runs"]])
            together = options["together"].removeprefix(RUN)
            composition = table_runs.choose_composition(project, runs, together, alone)
            report = build_tables(project, chosen, composition)
        if options["format"] == "text":
            text = "\n\n".join(map(format_table, report_files.list_tables(report)))
        else:
            text = report_files.render_report(report, options["format"])
        self.stdout.write(text, ending="" if text.endswith("\n") else "\n")


def _read_pairs(texts: list[str]) -> dict[str, str]:
    """{attribute: run}. Raises CommandError."""
    pairs = {}
    for text in texts:
        attribute, equals, run = text.partition("=")
        if not equals or not run:
            raise CommandError(f"--alone {text[:60]!r} is not ATTRIBUTE=RUN", returncode=2)
        pairs[attribute] = run.removeprefix(RUN)
    return pairs

"""`manage.py rank_report PROJECT RUN...`: tables of systems that ranked the lists of a release."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import convert_service_errors, get_project
from annotation.models import RankingSplit
from epitome.reports.printed_tables import print_table
from evaluation.services.aggregations import rank_tables
from evaluation.services.reports import report_files


class Command(BaseCommand):
    help = "Compare runs over ranking lists: MAP, R@10, MRR and more, with intervals, beside the published rows."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project")
        parser.add_argument("run", nargs="+", metavar="RUN", help="id of a run, or key of a system: its newest run")
        help_text = "which lists (default: test)"
        parser.add_argument("--split", choices=RankingSplit.values, default=RankingSplit.TEST.value, help=help_text)
        formats = parser.add_mutually_exclusive_group()
        for name in ("json", "csv", "latex"):
            formats.add_argument(f"--{name}", action="store_const", const=name, dest="format")

    def handle(self, *args: Any, **options: Any) -> None:
        project = get_project(options["project"])
        with convert_service_errors():
            runs = rank_tables.find_rank_runs(project, options["run"])
            report = rank_tables.read_report(project, runs, options["split"])
            tables = rank_tables.build_tables(project, report)
        if options["format"]:
            self.stdout.write(report_files.render_report(tables, options["format"]))
            return
        self.stdout.write("\n\n".join(print_table(table) for table in report_files.list_tables(tables)))

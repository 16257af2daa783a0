"""`manage.py aggregation_report PROJECT`: which answers count, what the dataset holds, and agreement."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import as_json, convert_service_errors, get_project
from annotation.services.exports.releases import get_release
from epitome.reports.printed_tables import print_table
from evaluation.services.aggregations import funnel_report
from evaluation.services.reports import report_files


class Command(BaseCommand):
    help = "Print what the filters leave of the answers of an aggregation project."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--release", metavar="TAG", help="only the annotations in this release")
        parser.add_argument("--format", choices=["text", *report_files.FORMATS], default="text")
        parser.add_argument("--json", action="store_true", help="print one JSON object with the numbers")

    def handle(self, *args: Any, **options: Any) -> None:
        project = get_project(options["project"])
        with convert_service_errors():
            tag = options["release"]
            report = funnel_report.build_report(project, get_release(project=project, tag=tag) if tag else None)
        if options["json"]:
            self.stdout.write(as_json(funnel_report.report_as_dict(report)))
            return
        tables = funnel_report.report_tables(project, report)
        if options["format"] != "text":
            self.stdout.write(report_files.render_report(tables, options["format"]))
            return
        self.stdout.write("\n\n".join(print_table(table) for table in report_files.list_tables(tables)))

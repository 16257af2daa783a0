"""`manage.py contrastive_report PROJECT RUN...`: how often scorers prefer gold summaries to contrastive examples."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import convert_service_errors, get_project
from epitome.figures.tables import Table
from evaluation.services.contrastive_report.contrastive_tables import (
    SCORES,
    ReportOptions,
    build_contrastive_report,
    find_scored_runs,
)
from evaluation.services.reports import report_files


class Command(BaseCommand):
    help = "Print dodged and escaped shares of runs over contrastives: by rule, failures per tuple, worst tuples."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project")
        parser.add_argument("runs", nargs="+", metavar="RUN", help="id of a run, or the key of its system: its newest")
        parser.add_argument("--score", choices=SCORES, default="sum", help="of a text's token log-probabilities")
        excluded = parser.add_mutually_exclusive_group()
        excluded.add_argument(
            "--without-excluded", action="store_true", help="leave out excluded contrastives (the default)"
        )
        excluded.add_argument("--with-excluded", action="store_true", help="count excluded contrastives too")
        form = parser.add_mutually_exclusive_group()
        for name in ("json", "csv", "latex"):
            form.add_argument(f"--{name}", dest="format", action="store_const", const=name, default="text")

    def handle(self, *args: Any, **options: Any) -> None:
        project = get_project(options["project"])
        with convert_service_errors():
            chosen = ReportOptions(options["score"], options["with_excluded"])
            report = build_contrastive_report(project, find_scored_runs(project, options["runs"]), chosen)
        if options["format"] == "text":
            self.stdout.write("\n".join(_format_report(report)))
        else:
            text = report_files.render_report(report, options["format"])
            self.stdout.write(text, ending="" if text.endswith("\n") else "\n")


def _format_report(report: dict[str, Any]) -> list[str]:
    lines: list[str] = []
    for table in report_files.list_tables(report):
        lines += [table.title, *_format_table(table), *table.notes, table.signature, ""]
    for run in report["worst"]:
        lines.append(f"{run['name']}: tuples with most failures")
        for row in run["tuples"][:5]:
            lines.append(f"  {row['failures']} of {row['n']}: {row['sample_id']}, {row['rule']}")
            lines.append(f"    {row['gold_score']:.3f}  {row['gold']}")
            lines.append(f"    {row['contrastive_score']:.3f}  {row['contrastive']}")
    return lines


def _format_table(table: Table) -> list[str]:
    """The table as aligned text, with intervals in brackets."""
    head = [column.full_label for column in table.columns]
    body = []
    for row in table.rows:
        cells = []
        for column, cell in zip(table.columns, row, strict=True):
            text = column.format(cell.value)
            if cell.low is not None and cell.high is not None:
                text += f" [{column.format(cell.low)}, {column.format(cell.high)}]"
            cells.append(text)
        body.append(cells)
    widths = [max(map(len, column)) for column in zip(head, *body, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if column.is_text else cell.rjust(width)
            for cell, width, column in zip(cells, widths, table.columns, strict=True)
        ).rstrip()
        for cells in (head, *body)
    ]

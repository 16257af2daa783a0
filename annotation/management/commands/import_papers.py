"""`manage.py import_papers PROJECT FILE...`: introduction and conclusion of papers, with their abstracts."""

from argparse import BooleanOptionalAction
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import as_json, convert_service_errors, get_project, progress_of
from annotation.services.sources.papers import PaperOptions, PaperReport, import_papers
from epitome.formats.options import ImportOptions
from epitome.formats.papers import ENDINGS

SHOWN = 20


class Command(BaseCommand):
    help = f"Import papers ({', '.join(ENDINGS)}): introduction and conclusion, with the abstract as human summary."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project")
        parser.add_argument("files", nargs="+", metavar="FILE")
        parser.add_argument("--categories", default="", metavar="cs.*,stat.ML", help="only papers of one of these")
        parser.add_argument("--sample", type=int, metavar="N", help="draw at most N of the papers that have all parts")
        parser.add_argument("--seed", type=int, default=0, help="of the draw")
        parser.add_argument("--split", help="of every paper (default: none)")
        parser.add_argument("--licence", default="")
        parser.add_argument("--may-release-text", action=BooleanOptionalAction, default=False)
        parser.add_argument("--dry-run", action="store_true", help="check only")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        project = get_project(options["project"])
        chosen = PaperOptions(
            categories=tuple(filter(None, (pattern.strip() for pattern in options["categories"].split(",")))),
            sample=options["sample"],
            seed=options["seed"],
            options=ImportOptions(
                split=options["split"] or "",
                licence=options["licence"],
                may_release_text=options["may_release_text"],
                dry_run=options["dry_run"],
            ),
        )
        files = [(Path(file), Path(file).name) for file in options["files"]]
        with convert_service_errors(), progress_of(f"Importing papers into {project.slug}") as progress:
            report = import_papers(project=project, files=files, options=chosen, progress=progress)
        self.stdout.write(as_json(report.as_dict()) if options["json"] else format_report(report))


def format_report(report: PaperReport) -> str:
    lines = [f"{report.read} papers read, {report.stored.stored} stored"]
    for reason, n in report.left_out.items():
        lines.append(f"  {n} left out: {reason}; such as {', '.join(report.examples[reason][:3])}")
    lines += [f"  {report.not_drawn} not drawn"] if report.not_drawn else []
    lines += [f"  {report.without_keywords} without keywords"] if report.without_keywords else []
    lines += [f"  not read: {n} x {what}" for what, n in list(report.not_read.items())[:SHOWN]]
    if len(report.not_read) > SHOWN:
        lines.append(f"  not read: {len(report.not_read) - SHOWN} more kinds, see --json")
    return "\n".join(lines)

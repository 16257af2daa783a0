"""`manage.py import_sources PROJECT FILE`: check a file, then store all of it or nothing."""

from argparse import BooleanOptionalAction
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.management.running import as_json, command_error, convert_service_errors, get_project, progress_of
from annotation.services.sources import importing
from annotation.services.sources.import_types import FORMATS, ImportOptions, ImportReport


class Command(BaseCommand):
    help = "Import sources from a file; with --with-references also its samples and human summaries."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project")
        parser.add_argument("file")
        parser.add_argument("--format", choices=FORMATS, default="auto")
        parser.add_argument("--dry-run", action="store_true", help="check only; list the first 100 faults")
        parser.add_argument("--with-references", action="store_true", help="also samples and human summaries")
        parser.add_argument("--partial", action="store_true", help="store what is sound although there are faults")
        parser.add_argument("--split", help="of every source (default: by the file's name, val is dev)")
        parser.add_argument("--licence", default="", help="of sources that name none")
        parser.add_argument(
            "--may-release-text",
            action=BooleanOptionalAction,
            default=False,
            help="export the texts of sources that say nothing about it (default: no)",
        )
        parser.add_argument("--max-words", type=int, help="leave out longer units (default: only QMSum's)")
        parser.add_argument(
            "--map", action="append", default=[], metavar="FIELD=COLUMN", help="a column's name, such as text=article"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        project = get_project(options["project"])
        path = Path(options["file"])
        name = path.name or str(path)
        chosen = ImportOptions(
            format=options["format"],
            split=options["split"],
            with_references=options["with_references"],
            dry_run=options["dry_run"],
            partial=options["partial"],
            mapping=_parse_mapping(options["map"]),
            max_words=options["max_words"],
            licence=options["licence"],
            may_release_text=options["may_release_text"],
        )
        with convert_service_errors(), progress_of(f"Importing {name}", quiet_until=51) as progress:
            report = importing.import_file(
                project=project, path=path, file_name=name, options=chosen, progress=progress
            )
        self._tell(report, options["json"])

    def _tell(self, report: ImportReport, as_object: bool) -> None:
        if as_object:
            self.stdout.write(as_json(report.as_dict()))
        else:
            for fault in report.faults:
                self.stdout.write(str(fault))
            self.stdout.write(_format_report(report))
        if report.dry_run and report.faults:
            raise command_error(f"{report.n_faults} faults; the first: {report.faults[0]}")


def _format_report(report: ImportReport) -> str:
    would = "would be " if report.dry_run else ""
    text = (
        f"{report.read} read ({report.format}): {report.stored} {would}stored, {report.duplicate} there already, "
        f"{report.left_out} left out, {report.rejected} rejected"
    )
    return text + (f"; {report.references} summaries {would}added" if report.references else "")


def _parse_mapping(pairs: list[str]) -> dict[str, str] | None:
    if not pairs:
        return None
    mapping = {}
    for pair in pairs:
        field, equals, column = pair.partition("=")
        if not equals or not field or not column:
            raise CommandError(f"--map {pair[:60]!r} is not FIELD=COLUMN", returncode=2)
        mapping[field] = column
    return mapping

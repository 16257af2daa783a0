"""`manage.py import_sources PROJECT FILE`: check a file or folder, then store all of it or nothing."""

from argparse import BooleanOptionalAction
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.management.running import as_json, command_error, convert_service_errors, get_project, progress_of
from annotation.models import Project
from annotation.services.sources import importing
from annotation.services.sources.import_preview import FilePreview, preview_file, shorten_cell, show_read_rows
from annotation.services.sources.import_types import FORMATS, ImportReport
from annotation.services.sources.import_words import describe_outlook
from annotation.services.sources.reading_apart import FileReader
from epitome.formats.answers import STATES, SUBMITTED
from epitome.formats.columns import parse_mapping
from epitome.formats.encodings import ENCODINGS
from epitome.formats.faults import to_printable
from epitome.formats.folders import FolderFault, pack_folder
from epitome.formats.options import SUMMARY_LISTS, ImportOptions
from epitome.formats.reading import InputFile, input_file
from epitome.formats.request_values import SEPARATORS


class Command(BaseCommand):
    help = "Import sources from a file; with --with-references also its samples and human summaries."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project")
        parser.add_argument("file", help="a file, or a folder such as one of Hugging Face datasets' save_to_disk")
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
            "--map",
            action="append",
            default=[],
            metavar="FIELD=COLUMN[,FIELD=COLUMN]",
            help="what the columns are, such as text=body,title=headline,summary=highlights,attribute:length=len; "
            "auto: as --preview shows them",
        )
        parser.add_argument("--list-separator", choices=SEPARATORS, default=";", help="of lists in a cell (default: ;)")
        parser.add_argument(
            "--text-from", metavar="FILE", help="texts of rows that have none, by id: JSON lines or CSV"
        )
        parser.add_argument(
            "--summary-metadata",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="kept with every summary of the file, such as set=readability",
        )
        parser.add_argument(
            "--add-summaries", action="store_true", help="also to sources that have summaries of an earlier import"
        )
        parser.add_argument(
            "--answer-states",
            action="append",
            choices=STATES,
            help="states of answers that become summaries, given once for each (default: submitted)",
        )
        parser.add_argument(
            "--summary-lists",
            choices=SUMMARY_LISTS,
            help="what a list of texts in a cell of summaries is: several summaries (default), or one in pieces",
        )
        parser.add_argument(
            "--encoding", choices=ENCODINGS, default="", help="of text that is not UTF-8 (default: guessed, and said)"
        )
        parser.add_argument("--skip-columns", default="", metavar="COLUMN[,COLUMN]", help="columns that are not stored")
        parser.add_argument("--row-ids", action="store_true", help="make ids from the file name and the row numbers")
        parser.add_argument(
            "--preview", action="store_true", help="show the first rows and the columns; import nothing"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        project = get_project(options["project"])
        path = Path(options["file"])
        if not path.is_dir():
            self._import(project, path, path.name or str(path), options)
            return
        try:
            with pack_folder(path) as packed:
                self._import(project, packed, f"{path.resolve().name}.zip", options)
        except FolderFault as fault:
            raise command_error(f"{path.name}: {fault}") from fault

    def _import(self, project: Project, path: Path, name: str, options: dict[str, Any]) -> None:
        """Preview or import one file."""
        if options["preview"]:
            self._show_preview(project, path, name, options)
            return
        chosen = _choose_options(project, _input_file(path, name, options), options)
        with convert_service_errors(), progress_of(f"Importing {name}", quiet_until=51) as progress:
            report = importing.import_file(
                project=project,
                path=path,
                file_name=name,
                options=chosen,
                progress=progress,
                text_from=_text_file(options),
            )
        self._tell(report, options["json"])

    def _show_preview(self, project: Project, path: Path, name: str, options: dict[str, Any]) -> None:
        file = _input_file(path, name, options)
        with FileReader() as reader:
            preview = preview_file(project, file, reader, options["format"])
            if preview.fault is not None:
                raise command_error(str(preview.fault))
            if preview.has_columns:
                chosen = _choose_options(project, file, options, preview)
                with convert_service_errors():
                    show_read_rows(preview, project, file, chosen, reader)
        self.stdout.write(as_json(preview.as_dict()) if options["json"] else _format_preview(preview))

    def _tell(self, report: ImportReport, as_object: bool) -> None:
        if as_object:
            self.stdout.write(as_json(report.as_dict()))
        else:
            for fault in report.faults:
                self.stdout.write(str(fault))
            self.stdout.write(_format_report(report))
            for note in report.notes:
                self.stdout.write(f"note: {note}")
        if report.dry_run and report.faults:
            raise command_error(f"{report.n_faults} faults; the first: {report.faults[0]}")


def _choose_options(
    project: Project, file: InputFile, options: dict[str, Any], preview: FilePreview | None = None
) -> ImportOptions:
    """How the file is imported, or previewed: columns are those of --map, or as they are matched."""
    mapping, row_ids = _parse_mapping(options["map"]), options["row_ids"]
    matched = ImportOptions(mapping=mapping, row_ids=row_ids)
    if preview is not None and mapping is None:
        matched = preview.options
    elif options["map"] == ["auto"]:
        with FileReader() as reader:
            matched = preview_file(project, file, reader, options["format"]).options
    return ImportOptions(
        format=options["format"],
        split=options["split"],
        with_references=options["with_references"],
        dry_run=options["dry_run"],
        partial=options["partial"],
        mapping=matched.mapping,
        exact_mapping=matched.exact_mapping,
        summary_lists=options["summary_lists"] or matched.summary_lists,
        skipped_columns=[column for column in options["skip_columns"].split(",") if column],
        row_ids=matched.row_ids,
        max_words=options["max_words"],
        licence=options["licence"],
        may_release_text=options["may_release_text"],
        list_separator=options["list_separator"],
        summary_metadata=_parse_metadata(options["summary_metadata"]),
        add_summaries=options["add_summaries"],
        answer_states=options["answer_states"] or [SUBMITTED],
        encoding=options["encoding"],
    )


def _input_file(path: Path, name: str, options: dict[str, Any]) -> InputFile:
    return input_file(path, name, texts=_text_file(options), encoding=options["encoding"])


def _text_file(options: dict[str, Any]) -> InputFile | None:
    path = options["text_from"]
    return input_file(path, encoding=options["encoding"]) if path else None


def _parse_metadata(texts: list[str]) -> dict[str, str]:
    pairs = [text.partition("=") for text in texts]
    for name, _equals, value in pairs:
        if not name or not value:
            raise CommandError(f"--summary-metadata {name[:60]!r} is not NAME=VALUE", returncode=2)
    return {name: value for name, _equals, value in pairs}


def _format_preview(preview: FilePreview) -> str:
    """The kind, the columns with what they are read as, and the first rows."""
    lines = [f"format: {preview.kind}"]
    lines += [f"encoding: {preview.encoding} (--encoding)"] if preview.encoding else []
    field_of = {column: field for field, column in preview.mapping.items()}
    for column in preview.columns:
        role = "not imported" if column in preview.options.skipped_columns else field_of.get(column, "metadata")
        lines.append(f"  {to_printable(column)} -> {role}")
    for number, row in enumerate(preview.rows, 1):
        cells = [f"{to_printable(name, 30)}: {to_printable(shorten_cell(row[name]))}" for name in row]
        lines.append(f"{number}. " + " | ".join(cells))
    for source in preview.sources:
        lines.append(f"{to_printable(source.external_id)}: {source.n_words} words, {to_printable(source.text)}")
        for summary in source.summaries:
            details = [f"{name}: {value}" for name, value in {**summary.requested, **summary.metadata}.items()]
            lines.append(f"  summary: {to_printable(summary.text)} ({to_printable(', '.join(details), 200)})")
    if preview.columns and preview.options.row_ids:
        lines.append("ids are made from the file name and the row numbers (--row-ids)")
    outlook = preview.outlook
    notes = [*preview.guess.remarks(), *outlook.notes]
    part = "" if outlook.is_whole else f", in the first {outlook.n_read} rows"
    lines += [f"{describe_outlook(outlook)}{part}", *(f"note: {note}" for note in notes)]
    if preview.mapping:
        lines.append("--map " + ",".join(f"{field}={column}" for field, column in preview.mapping.items()))
    return "\n".join([*lines, *map(str, preview.faults)])


def _format_report(report: ImportReport) -> str:
    would = "would be " if report.dry_run else ""
    text = (
        f"{report.read} read ({report.format}): {report.stored} {would}stored, {report.duplicate} there already, "
        f"{report.left_out} left out, {report.rejected} rejected"
    )
    text += f"; {report.references} summaries {would}added" if report.references else ""
    left_out = ", ".join(f"{n} {state}" for state, n in report.answers_left_out.items())
    text += f"; answers left out: {left_out}" if left_out else ""
    return text + (f"; written by {report.n_authors} people, stored as pseudonyms" if report.n_authors else "")


def _parse_mapping(pairs: list[str]) -> Mapping[str, str] | None:
    if not pairs or pairs == ["auto"]:
        return None
    try:
        return parse_mapping(pairs)
    except ValueError as error:
        raise CommandError(f"--map {error}", returncode=2) from error

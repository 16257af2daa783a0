"""`measure` of tables in which nothing is requested, and what it shares with `measure` of samples."""

import json
import os
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from epitome.cli.faults import CommandFault
from epitome.cli.measure_support import measure_support, support_json
from epitome.cli.sample_options import open_sample_file, read_sample_options

if TYPE_CHECKING:
    from epitome.metrics.plain import PlainReport, PlainTable
    from epitome.metrics.report import Options

REQUESTED_ONLY = ("labels", "lengths", "compare")
"""Options that need requests."""


def check_counts(arguments: Namespace) -> None:
    """Raises CommandFault with status 2: predictions or labels are not one for each file, a file twice."""
    paths = arguments.files
    for name in ("predictions", "labels"):
        files = getattr(arguments, name) or []
        if files and len(files) != len(paths):
            message = f"{len(paths)} files and {len(files)} times --{name}: give them once for each file"
            raise CommandFault(message, status=2)
    if len({str(Path(path).resolve()) for path in paths}) < len(paths):
        raise CommandFault("the same file is given twice", status=2)


def read_pipeline(arguments: Namespace) -> str | None:
    """The name of the spaCy pipeline, None for the one that comes with Epitome."""
    return arguments.pipeline or os.environ.get("EPITOME_SPACY_PIPELINE")


def find_plain_tables(arguments: Namespace) -> "list[PlainTable]":
    """The files as plain tables, read whole; none where all of them hold samples with requests. Raises CommandFault,
    BadInput, SampleFault, UnreadableFile."""
    from epitome.formats.plain_rows import find_plain_columns
    from epitome.formats.reading import UnreadableFile
    from epitome.metrics.plain import read_plain_table

    check_counts(arguments)
    options = read_sample_options(arguments)
    files = [open_sample_file(path, arguments) for path in arguments.files]
    columns = []
    for file in files:
        try:
            columns.append(find_plain_columns(file, options))
        except UnreadableFile:  # the reader of samples names the place
            columns.append(None)
    if not any(columns):
        return []
    if not all(columns):
        plain = next(file.name for file, is_plain in zip(files, columns, strict=True) if is_plain)
        raise CommandFault(
            f"{plain} is a table in which nothing is requested, and other files hold requests: measure it alone"
        )
    if wrong := [name for name in REQUESTED_ONLY if getattr(arguments, name)]:
        raise CommandFault(
            f"--{wrong[0]} needs requests, and {files[0].name} has none: name its --preset and columns", 2
        )
    tables = [
        read_plain_table(file, names, arguments.language or "")
        for file, names in zip(files, columns, strict=True)
        if names is not None
    ]
    return [_add_predictions(table, arguments, place) for place, table in enumerate(tables)]


def _add_predictions(table: "PlainTable", arguments: Namespace, place: int) -> "PlainTable":
    from epitome.formats.reading import input_file
    from epitome.metrics.macsum_samples import read_predictions

    if not arguments.predictions:
        return table
    return replace(table, outputs=read_predictions(input_file(arguments.predictions[place]), table.file))


def run_plain(tables: "list[PlainTable]", arguments: Namespace, options: "Options") -> str:
    """Measure the tables and return what to print. Raises NoTagger, PipelineNotFound."""
    from epitome.metrics.plain_text import plain_json, plain_text

    reports = [_measure_table(table, options, read_pipeline(arguments)) for table in tables]
    support = [measure_support(table.file, table.outputs, arguments, options) for table in tables]
    if not arguments.json:
        pairs = zip(reports, support, strict=True)
        return "\n\n".join(section for report, extra in pairs for section in (plain_text(report), *map(repr, extra)))
    intervals = arguments.bootstrap is not None
    objects = [
        {**plain_json(report, intervals=intervals), **support_json(extra)}
        for report, extra in zip(reports, support, strict=True)
    ]
    if len(objects) == 1:
        return json.dumps(objects[0], ensure_ascii=False)
    files = [{"file": table.file.name, **numbers} for table, numbers in zip(tables, objects, strict=True)]
    return json.dumps({"files": files}, ensure_ascii=False)


def _measure_table(table: "PlainTable", options: "Options", pipeline: str | None) -> "PlainReport":
    from epitome.metrics.plain import measure_plain, n_plain_texts
    from epitome.terminal_progress import TerminalProgress

    progress = TerminalProgress(f"Measuring {table.file.name}")
    try:
        progress.set(0, n_plain_texts(table))
        return measure_plain(table, options, pipeline, progress.advance)
    finally:
        progress.close()

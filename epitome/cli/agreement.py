"""`agreement JUDGEMENTS`: how far raters agree."""

import json
import tempfile
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from epitome.cli.faults import CommandFault
from epitome.cli.options import add_interval_options, add_json_option

if TYPE_CHECKING:
    from evaluation.agreement.judgements_file import Judgements

SUMMARY = "Kappa, alpha and AC1 of a file of judgements, with intervals, per question, pooled and per system."


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "file", metavar="JUDGEMENTS", help='JSON lines or CSV with "item_id", "rater", "question", "answer"'
    )
    add_json_option(parser)
    add_interval_options(parser)


def run_agreement(arguments: Namespace) -> str:
    """The report as text. Raises CommandFault."""
    from annotation.formats.reading import UnreadableFile
    from evaluation.agreement.judgements_file import BadJudgements
    from evaluation.agreement.report import make_report
    from evaluation.agreement.report_text import as_text

    try:
        judgements = read_file(arguments.file)
    except (BadJudgements, UnreadableFile) as error:
        raise CommandFault(str(error)) from error
    report = make_report(judgements, replicates=arguments.bootstrap, seed=arguments.seed)
    if arguments.json:
        return json.dumps(report.as_dict(), ensure_ascii=False)
    return as_text(report, Path(arguments.file).name)


def read_file(path: str) -> "Judgements":
    """The judgements of JSON lines, or of a CSV file with the same columns. Raises BadJudgements, UnreadableFile."""
    from annotation.formats.reading import input_file
    from evaluation.agreement.judgements_file import read_judgements

    if not path.lower().endswith(".csv"):
        return read_judgements(input_file(path))
    from epitome.cli.rows import read_rows

    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / "judgements.jsonl"
        rows = [{"question": "answer", **row} for row in read_rows(path)]  # one question needs no column
        lines.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return read_judgements(input_file(lines, Path(path).name))

"""`measure FILE`: every number of a MACSum-shaped file."""

import json
import os
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from epitome.cli.faults import CommandFault

if TYPE_CHECKING:
    from evaluation.metrics.report import Options, Report

SUMMARY = "Measure control in a MACSum-shaped file: f_r and CC; with predictions also CER and ROUGE."
PROFILES = ("release", "literal")
PAIRS = ("neighbours", "all", "strict")


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", help="a MACSum-shaped JSON file")
    parser.add_argument("--predictions", metavar="PRED.jsonl", help="one line per sample in file order")
    parser.add_argument("--profile", choices=PROFILES, default="release")
    parser.add_argument("--pairs", choices=PAIRS, default="neighbours", help="which samples CC compares")
    parser.add_argument("--eps-policy", default="release", metavar="release|uniform:EPS", help="of CER")
    parser.add_argument("--bootstrap", type=int, metavar="N", help="replicates of the intervals (default 1000)")
    parser.add_argument("--seed", type=int, default=12345, help="of the intervals")
    parser.add_argument("--pipeline", metavar="NAME", help="spaCy pipeline that tags (EPITOME_SPACY_PIPELINE)")
    parser.add_argument("--json", action="store_true", help="print one JSON object; intervals with --bootstrap")


def run_measure(arguments: Namespace) -> str:
    """The report as text. Raises CommandFault."""
    from annotation.formats.reading import UnreadableFile
    from annotation.measures import NoTagger
    from annotation.text.pipeline import PipelineNotFound
    from evaluation.metrics.macsum_file import BadInput

    options = read_options(arguments)
    try:
        report = measure_files(arguments, options)
    except (BadInput, UnreadableFile, PipelineNotFound, NoTagger) as error:
        raise CommandFault(str(error)) from error
    return render_report(report, arguments)


def read_options(arguments: Namespace) -> "Options":
    """How to measure. Raises CommandFault with status 2."""
    from evaluation.metrics.bootstrap import DEFAULT_REPLICATES
    from evaluation.metrics.cer import checked_policy
    from evaluation.metrics.report import Options

    replicates, seed = arguments.bootstrap, arguments.seed
    if replicates is not None and not 1 <= replicates <= 1_000_000:
        raise CommandFault(f"--bootstrap {replicates} is not between 1 and 1000000", status=2)
    if seed < 0:
        raise CommandFault(f"--seed {seed} is below 0", status=2)
    try:
        policy = checked_policy(arguments.eps_policy)
    except ValueError as error:
        raise CommandFault(str(error), status=2) from error
    return Options(arguments.profile, arguments.pairs, policy, replicates or DEFAULT_REPLICATES, seed)


def measure_files(arguments: Namespace, options: "Options") -> "Report":
    """Both files are read whole before anything is measured or said."""
    from annotation.formats.reading import input_file
    from annotation.measures import spacy_tagger
    from epitome.terminal_progress import TerminalProgress
    from evaluation.metrics.macsum_file import read_macsum_file, read_predictions
    from evaluation.metrics.report import make_report, n_texts

    file = read_macsum_file(input_file(arguments.file))
    predictions = None
    if arguments.predictions is not None:
        predictions = read_predictions(input_file(arguments.predictions), file)
    tagger = spacy_tagger(arguments.pipeline or os.environ.get("EPITOME_SPACY_PIPELINE"))
    progress = TerminalProgress(f"Measuring {file.name}")
    try:
        progress.set(0, n_texts(file, predictions))
        return make_report(file, predictions, tagger=tagger, options=options, advance=progress.advance)
    finally:
        progress.close()


def render_report(report: "Report", arguments: Namespace) -> str:
    from evaluation.metrics.report_json import report_json
    from evaluation.metrics.report_text import report_text

    if not arguments.json:
        return report_text(report)
    return json.dumps(report_json(report, intervals=arguments.bootstrap is not None), ensure_ascii=False)

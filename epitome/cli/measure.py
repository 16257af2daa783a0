"""`measure FILE ...`: every number of MACSum-shaped files."""

import json
import os
from argparse import ArgumentParser, Namespace
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from epitome.cli.faults import CommandFault
from epitome.cli.site import load_label_lengths

if TYPE_CHECKING:
    from annotation.measures import Tagger
    from evaluation.metrics.macsum_file import MacsumFile
    from evaluation.metrics.report import Options, Report

    Input = tuple[MacsumFile, list[str] | None]
    """A file, and the predictions for its samples if there are any."""

SUMMARY = "Measure control in a MACSum-shaped file: f_r and CC; with predictions also CER and ROUGE."
PROFILES = ("release", "literal")
PAIRS = ("neighbours", "all", "strict")


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="MACSum-shaped JSON; several: each, their origins, and all together"
    )
    parser.add_argument(
        "--predictions",
        action="append",
        metavar="PRED.jsonl",
        help="one line per sample in file order; for several files once for each, in their order",
    )
    parser.add_argument(
        "--lengths", action="store_true", help="whether the references are as long as their labels say (needs the web)"
    )
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
        inputs, tagger = read_inputs(arguments)
    except (BadInput, UnreadableFile, PipelineNotFound, NoTagger) as error:
        raise CommandFault(str(error)) from error
    reports = [measure_file(file, predictions, tagger, options) for file, predictions in inputs]
    pooled = measure_pooled(inputs, tagger, options)
    return (render_json if arguments.json else render_text)(reports, pooled, arguments)


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


def read_inputs(arguments: Namespace) -> "tuple[list[Input], Tagger]":
    """All files are read whole before anything is measured or said. Raises CommandFault, BadInput and others."""
    from annotation.formats.reading import input_file
    from annotation.measures import spacy_tagger
    from evaluation.metrics.macsum_file import read_macsum_file, read_predictions

    paths, prediction_paths = arguments.files, arguments.predictions or []
    if prediction_paths and len(prediction_paths) != len(paths):
        message = f"{len(paths)} files and {len(prediction_paths)} times --predictions: give them once for each file"
        raise CommandFault(message, status=2)
    if len({str(Path(path).resolve()) for path in paths}) < len(paths):
        raise CommandFault("the same file is given twice", status=2)
    inputs: list[Input] = []
    for place, path in enumerate(paths):
        file = read_macsum_file(input_file(path))
        predictions = read_predictions(input_file(prediction_paths[place]), file) if prediction_paths else None
        inputs.append((file if len(paths) == 1 else replace(file, name=path), predictions))
    return inputs, spacy_tagger(arguments.pipeline or os.environ.get("EPITOME_SPACY_PIPELINE"))


def measure_file(file: "MacsumFile", predictions: list[str] | None, tagger: "Tagger", options: "Options") -> "Report":
    from epitome.terminal_progress import TerminalProgress
    from evaluation.metrics.report import make_report, n_texts

    progress = TerminalProgress(f"Measuring {file.name}")
    try:
        progress.set(0, n_texts(file, predictions))
        return make_report(file, predictions, tagger=tagger, options=options, advance=progress.advance)
    finally:
        progress.close()


def measure_pooled(inputs: "list[Input]", tagger: "Tagger", options: "Options") -> "Report | None":
    """The report of all files together; None for one file, and for files of different domains."""
    from evaluation.metrics.several_files import pool_files

    files = [file for file, _ in inputs]
    if len(files) == 1 or len({file.domains for file in files}) > 1:
        return None
    texts = [text for _, predictions in inputs for text in predictions or []]
    return measure_file(pool_files(files), texts if inputs[0][1] is not None else None, tagger, options)


def render_json(reports: "list[Report]", pooled: "Report | None", arguments: Namespace) -> str:
    """One file's object, or for several {"files", "origins", "pooled"}."""
    from evaluation.metrics.report_json import report_json
    from evaluation.metrics.several_files import compare_origins

    intervals = arguments.bootstrap is not None
    objects = [report_json(report, intervals=intervals) for report in reports]
    if arguments.lengths:
        label_lengths = load_label_lengths()
        lengths = [label_lengths.lengths_json(report.file) for report in reports]
        objects = [{**values, "lengths": table} for values, table in zip(objects, lengths, strict=True)]
    if len(reports) == 1:
        return json.dumps(objects[0], ensure_ascii=False)
    origins = compare_origins([report.file for report in reports])
    files = [{"file": report.file.name, **values} for report, values in zip(reports, objects, strict=True)]
    together = report_json(pooled, intervals=intervals) if pooled else None
    return json.dumps({"files": files, "origins": asdict(origins), "pooled": together}, ensure_ascii=False)


def render_text(reports: "list[Report]", pooled: "Report | None", arguments: Namespace) -> str:
    from evaluation.metrics.report_text import report_text
    from evaluation.metrics.several_files import compare_origins, origins_text

    sections = []
    for report in reports:
        sections.append(report_text(report))
        if arguments.lengths:
            sections.append(load_label_lengths().lengths_text(report.file))
    if len(reports) > 1:
        sections.append(origins_text(compare_origins([report.file for report in reports])))
        different = "Documents and dialogues are not averaged, so there are no numbers of all files together."
        sections.append(report_text(pooled) if pooled else different)
    return "\n\n".join(sections)

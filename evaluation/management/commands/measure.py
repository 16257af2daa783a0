"""`manage.py measure FILE ...`: every number of MACSum-shaped files, without a database."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, get_args

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.formats.reading import UnreadableFile, input_file
from annotation.management.running import as_json, command_error, progress_of
from annotation.measures import NoTagger, Profile, Tagger, spacy_tagger
from annotation.text.pipeline import PipelineNotFound
from evaluation.management.label_lengths import lengths_json, lengths_text
from evaluation.metrics.bootstrap import DEFAULT_REPLICATES, DEFAULT_SEED
from evaluation.metrics.cc import PAIR_MODES
from evaluation.metrics.cer import checked_policy
from evaluation.metrics.macsum_file import BadInput, MacsumFile, read_macsum_file, read_predictions
from evaluation.metrics.report import Options, Report, make_report, n_texts
from evaluation.metrics.report_json import report_json
from evaluation.metrics.report_text import report_text
from evaluation.metrics.several_files import compare_origins, origins_text, pool_files

Input = tuple[MacsumFile, list[str] | None]
"""A file, and the predictions for its samples if there are any."""


class Command(BaseCommand):
    help = "Measure control in a MACSum-shaped file: f_r and CC; with predictions also CER and ROUGE."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE", help="several: each, their origins, and all together")
        parser.add_argument(
            "--predictions",
            action="append",
            metavar="PRED.jsonl",
            help="one line per sample in file order; for several files once for each, in their order",
        )
        parser.add_argument(
            "--lengths", action="store_true", help="whether the references are as long as their labels say"
        )
        parser.add_argument("--profile", choices=get_args(Profile), default="release")
        parser.add_argument("--pairs", choices=PAIR_MODES, default="neighbours", help="which samples CC compares")
        parser.add_argument("--eps-policy", default="release", metavar="release|uniform:EPS", help="of CER")
        parser.add_argument(
            "--bootstrap", type=int, metavar="N", help=f"replicates of the intervals (default {DEFAULT_REPLICATES})"
        )
        parser.add_argument("--seed", type=int, default=DEFAULT_SEED, help="of the intervals")
        parser.add_argument("--json", action="store_true", help="print one JSON object; intervals with --bootstrap")

    def handle(self, *args: Any, **options: Any) -> None:
        chosen = _read_options(options)
        inputs, tagger = _read_inputs(options["files"], options["predictions"] or [])
        reports = [_measure(*each, tagger, chosen) for each in inputs]
        pooled = _pool(inputs, tagger, chosen)
        show = _json_output if options["json"] else _text_output
        self.stdout.write(show(reports, pooled, options["lengths"], options["bootstrap"] is not None))


def _read_options(options: dict[str, Any]) -> Options:
    replicates, seed = options["bootstrap"], options["seed"]
    if replicates is not None and not 1 <= replicates <= 1_000_000:
        raise CommandError(f"--bootstrap {replicates} is not between 1 and 1000000", returncode=2)
    if seed < 0:
        raise CommandError(f"--seed {seed} is below 0", returncode=2)
    try:
        policy = checked_policy(options["eps_policy"])
    except ValueError as error:
        raise CommandError(str(error), returncode=2) from error
    return Options(options["profile"], options["pairs"], policy, replicates or DEFAULT_REPLICATES, seed)


def _read_inputs(paths: list[str], prediction_paths: list[str]) -> tuple[list[Input], Tagger]:
    """All files are read whole before anything is measured or said."""
    if prediction_paths and len(prediction_paths) != len(paths):
        message = f"{len(paths)} files and {len(prediction_paths)} times --predictions: give them once for each file"
        raise CommandError(message, returncode=2)
    if len({str(Path(path).resolve()) for path in paths}) < len(paths):
        raise CommandError("the same file is given twice", returncode=2)
    inputs: list[Input] = []
    try:
        for place, path in enumerate(paths):
            file = read_macsum_file(input_file(path))
            predictions = read_predictions(input_file(prediction_paths[place]), file) if prediction_paths else None
            inputs.append((file if len(paths) == 1 else replace(file, name=path), predictions))
        return inputs, spacy_tagger(settings.EPITOME_SPACY_PIPELINE)
    except (BadInput, UnreadableFile, PipelineNotFound, NoTagger) as error:
        raise command_error(str(error)) from error


def _measure(file: MacsumFile, predictions: list[str] | None, tagger: Tagger, options: Options) -> Report:
    with progress_of(f"Measuring {file.name}") as progress:
        progress.set(0, n_texts(file, predictions))
        return make_report(file, predictions, tagger=tagger, options=options, advance=progress.advance)


def _pool(inputs: list[Input], tagger: Tagger, options: Options) -> Report | None:
    """The report of all files together; None for one file, and for files of different domains."""
    files = [file for file, _ in inputs]
    if len(files) == 1 or len({file.domains for file in files}) > 1:
        return None
    texts = [text for _, predictions in inputs for text in predictions or []]
    return _measure(pool_files(files), texts if inputs[0][1] is not None else None, tagger, options)


def _json_output(reports: list[Report], pooled: Report | None, lengths: bool, intervals: bool) -> str:
    """One file's object, or for several {"files", "origins", "pooled"}."""
    objects = []
    for report in reports:
        found = report_json(report, intervals=intervals)
        objects.append({**found, "lengths": lengths_json(report.file)} if lengths else found)
    if len(reports) == 1:
        return as_json(objects[0])
    origins = compare_origins([report.file for report in reports])
    named = [{"file": report.file.name, **found} for report, found in zip(reports, objects, strict=True)]
    together = report_json(pooled, intervals=intervals) if pooled else None
    return as_json({"files": named, "origins": asdict(origins), "pooled": together})


def _text_output(reports: list[Report], pooled: Report | None, lengths: bool, _intervals: bool) -> str:
    sections = []
    for report in reports:
        sections.append(report_text(report))
        if lengths:
            sections.append(lengths_text(report.file))
    if len(reports) > 1:
        sections.append(origins_text(compare_origins([report.file for report in reports])))
        different = "Documents and dialogues are not averaged, so there are no numbers of all files together."
        sections.append(report_text(pooled) if pooled else different)
    return "\n\n".join(sections)

"""`manage.py measure FILE`: every number of a MACSum-shaped file, without a database."""

from typing import Any, get_args

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.formats.reading import UnreadableFile, input_file
from annotation.management.running import as_json, command_error, progress_of
from annotation.measures import NoTagger, Profile, spacy_tagger
from annotation.text.pipeline import PipelineNotFound
from evaluation.metrics.bootstrap import DEFAULT_REPLICATES, DEFAULT_SEED
from evaluation.metrics.cc import PAIR_MODES
from evaluation.metrics.cer import checked_policy
from evaluation.metrics.macsum_file import BadInput, read_macsum_file, read_predictions
from evaluation.metrics.report import Options, Report, make_report, n_texts
from evaluation.metrics.report_json import report_json
from evaluation.metrics.report_text import report_text


class Command(BaseCommand):
    help = "Measure control in a MACSum-shaped file: f_r and CC; with predictions also CER and ROUGE."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file")
        parser.add_argument("--predictions", metavar="PRED.jsonl", help="one line per sample in file order")
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
        report = _measure_files(options["file"], options["predictions"], chosen)
        if options["json"]:
            self.stdout.write(as_json(report_json(report, intervals=options["bootstrap"] is not None)))
        else:
            self.stdout.write(report_text(report))


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


def _measure_files(path: str, predictions_path: str | None, options: Options) -> Report:
    """Both files are read whole before anything is measured or said."""
    try:
        file = read_macsum_file(input_file(path))
        predictions = None
        if predictions_path is not None:
            predictions = read_predictions(input_file(predictions_path), file)
        tagger = spacy_tagger(settings.EPITOME_SPACY_PIPELINE)
    except (BadInput, UnreadableFile, PipelineNotFound, NoTagger) as error:
        raise command_error(str(error)) from error
    with progress_of(f"Measuring {file.name}") as progress:
        progress.set(0, n_texts(file, predictions))
        return make_report(file, predictions, tagger=tagger, options=options, advance=progress.advance)

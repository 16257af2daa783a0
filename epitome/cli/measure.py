"""`measure FILE ...`: every number of files of samples."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, NamedTuple

from epitome.cli.faults import CommandFault
from epitome.cli.measure_plain import check_counts, find_plain_tables, read_pipeline, run_plain
from epitome.cli.measure_support import add_support_arguments, measure_support, support_json
from epitome.cli.sample_options import FILES, add_sample_options, open_sample_file, read_sample_options, say_encoding
from epitome.cli.site import load_label_lengths

if TYPE_CHECKING:
    from epitome.metrics.macsum_samples import MacsumFile
    from epitome.metrics.report import Options, Report
    from epitome.results import Compared, Scores


class Input(NamedTuple):
    """A file, the predictions for its samples if there are any, and the focus that a judge saw in their texts."""

    file: "MacsumFile"
    predictions: list[str] | None
    judged: Mapping[int, str | None] | None


SUMMARY = "Measure the summaries of a file: f_r and CC; with predictions also CER and ROUGE. Plain tables too."
EXAMPLES = (
    "epitome measure news.csv",
    "epitome measure test.json --predictions bart.jsonl --bootstrap 1000 --json",
    "epitome measure papers.csv --preset ccsbench --map id=paper,text=body,summary=abstract,attribute:length=bin",
)
PROFILES = ("release", "literal")
PAIRS = ("neighbours", "all", "strict")


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help=f"{FILES}; several: each, their origins, and all together"
    )
    add_sample_options(parser)
    parser.add_argument(
        "--predictions",
        action="append",
        metavar="PRED.jsonl",
        help="one line per sample in file order; for several files once for each, in their order",
    )
    parser.add_argument(
        "--labels",
        action="append",
        metavar="LABELS.jsonl",
        help="the focus that a judge saw in each text (low, high or null), one line per sample; for CCSBench's F1",
    )
    parser.add_argument(
        "--lengths", action="store_true", help="whether the references are as long as their labels say (needs the web)"
    )
    parser.add_argument(
        "--language", metavar="TAG", help="of the texts, such as zh (default: the schema's, or English)"
    )
    parser.add_argument(
        "--compare", action="store_true", help="also where rouge-score or plain Python give another number, and why"
    )
    add_support_arguments(parser)
    parser.add_argument("--profile", choices=PROFILES, default="release")
    parser.add_argument("--pairs", choices=PAIRS, default="neighbours", help="which samples CC compares")
    parser.add_argument("--eps-policy", default="release", metavar="release|uniform:EPS", help="of CER")
    parser.add_argument("--bootstrap", type=int, metavar="N", help="replicates of the intervals (default 1000)")
    parser.add_argument("--seed", type=int, default=12345, help="of the intervals")
    parser.add_argument("--pipeline", metavar="NAME", help="spaCy pipeline that tags (EPITOME_SPACY_PIPELINE)")
    parser.add_argument("--json", action="store_true", help="print one JSON object; intervals with --bootstrap")


def run_measure(arguments: Namespace) -> str:
    """The report as text. Raises CommandFault."""
    from epitome.formats.reading import UnreadableFile
    from epitome.formats.sample_files import SampleFault
    from epitome.measures import NoTagger
    from epitome.metrics.macsum_samples import BadInput
    from epitome.text.pipeline import PipelineNotFound

    options = read_options(arguments)
    try:
        if tables := find_plain_tables(arguments):
            return run_plain(tables, arguments, options)
        inputs = read_inputs(arguments)
        pipeline = read_pipeline(arguments)
        reports = [measure_file(entry, pipeline, options) for entry in inputs]
        pooled = measure_pooled(inputs, pipeline, options)
    except (BadInput, SampleFault, UnreadableFile, PipelineNotFound, NoTagger) as error:
        raise CommandFault(str(error)) from error
    compared = _compare_reports(inputs, reports) if arguments.compare else None
    support = [measure_support(entry.file, entry.predictions, arguments, options) for entry in inputs]
    render = render_json if arguments.json else render_text
    return render(reports, pooled, arguments, compared, support)


def _compare_reports(inputs: list[Input], reports: "list[Report]") -> "list[list[Compared]]":
    """What other libraries give instead, for each file."""
    from epitome.metrics.compared import compare_report

    return [compare_report(report, entry.predictions) for entry, report in zip(inputs, reports, strict=True)]


def read_options(arguments: Namespace) -> "Options":
    """How to measure. Raises CommandFault with status 2."""
    from epitome.metrics.bootstrap import DEFAULT_REPLICATES
    from epitome.metrics.control_error_rate import checked_policy
    from epitome.metrics.report import Options

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


def read_inputs(arguments: Namespace) -> list[Input]:
    """All files are read whole before anything is measured or said. Raises CommandFault, BadInput and others."""
    from epitome.metrics.macsum_samples import read_macsum_file

    paths = arguments.files
    sample_options = read_sample_options(arguments)
    check_counts(arguments)
    inputs: list[Input] = []
    for index, path in enumerate(paths):
        opened = open_sample_file(path, arguments)
        file = replace(read_macsum_file(opened, sample_options), language=arguments.language or "")
        say_encoding(opened)
        predictions, judged = _read_texts(arguments, index, file)
        inputs.append(Input(file if len(paths) == 1 else replace(file, name=path), predictions, judged))
    return inputs


def _read_texts(
    arguments: Namespace, place: int, file: "MacsumFile"
) -> tuple[list[str] | None, Mapping[int, str | None] | None]:
    """The predictions for a file, and the labels of a judge, from a file of their own or from the predictions."""
    from epitome.formats.reading import input_file
    from epitome.metrics.judged_labels import find_labels, read_labels
    from epitome.metrics.macsum_samples import read_predictions

    prediction_file = input_file(arguments.predictions[place]) if arguments.predictions else None
    predictions = None if prediction_file is None else read_predictions(prediction_file, file)
    if arguments.labels:
        return predictions, read_labels(input_file(arguments.labels[place]), file)
    judged = find_labels(prediction_file) if prediction_file is not None and file.schema is not None else {}
    return predictions, judged or None


def measure_file(entry: Input, pipeline: str | None, options: "Options") -> "Report":
    """The report of one file. Raises NoTagger, PipelineNotFound."""
    from epitome.metrics.report import load_tagger, make_report, n_texts
    from epitome.terminal_progress import TerminalProgress

    file, predictions, judged = entry
    tagger = load_tagger(file, pipeline)
    progress = TerminalProgress(f"Measuring {file.name}")
    try:
        progress.set(0, n_texts(file, predictions))
        return make_report(file, predictions, tagger=tagger, options=options, advance=progress.advance, judged=judged)
    finally:
        progress.close()


def measure_pooled(inputs: list[Input], pipeline: str | None, options: "Options") -> "Report | None":
    """The report of all files together; None for one file, and for files of different domains."""
    from epitome.metrics.several_files import pool_files

    files = [entry.file for entry in inputs]
    if len(files) == 1 or len({(file.domains, file.schema and file.schema.key) for file in files}) > 1:
        return None
    texts = [text for entry in inputs for text in entry.predictions or []]
    judged: dict[int, str | None] = {}
    first = 0
    for entry in inputs:
        judged |= {first + place: label for place, label in (entry.judged or {}).items()}
        first += len(entry.file.samples)
    pooled = Input(pool_files(files), None if inputs[0].predictions is None else texts, judged or None)
    return measure_file(pooled, pipeline, options)


def render_json(
    reports: "list[Report]",
    pooled: "Report | None",
    arguments: Namespace,
    compared: "list[list[Compared]] | None" = None,
    support: "Sequence[Sequence[Scores]]" = (),
) -> str:
    """One file's object, or for several {"files", "origins", "pooled"}."""
    from epitome.metrics.report_json import report_json
    from epitome.metrics.several_files import compare_origins

    intervals = arguments.bootstrap is not None
    objects = [report_json(report, intervals=intervals) for report in reports]
    if arguments.lengths:
        label_lengths = load_label_lengths()
        lengths = [label_lengths.lengths_json(report.file) for report in reports]
        objects = [{**values, "lengths": table} for values, table in zip(objects, lengths, strict=True)]
    if compared is not None:
        tables = [[row.as_dict() for row in rows] for rows in compared]
        objects = [{**values, "compared": table} for values, table in zip(objects, tables, strict=True)]
    if support:
        objects = [{**values, **support_json(tables)} for values, tables in zip(objects, support, strict=True)]
    if len(reports) == 1:
        return json.dumps(objects[0], ensure_ascii=False)
    origins = compare_origins([report.file for report in reports])
    files = [{"file": report.file.name, **values} for report, values in zip(reports, objects, strict=True)]
    together = report_json(pooled, intervals=intervals) if pooled else None
    return json.dumps({"files": files, "origins": asdict(origins), "pooled": together}, ensure_ascii=False)


def render_text(
    reports: "list[Report]",
    pooled: "Report | None",
    arguments: Namespace,
    compared: "list[list[Compared]] | None" = None,
    support: "Sequence[Sequence[Scores]]" = (),
) -> str:
    from epitome.metrics.report_text import report_text
    from epitome.metrics.several_files import compare_origins, origins_text
    from epitome.results import list_compared

    sections = []
    for place, report in enumerate(reports):
        sections.append(report_text(report))
        if compared is not None:
            sections.append("\n".join(list_compared(compared[place], "Other libraries:")))
        if arguments.lengths:
            sections.append(load_label_lengths().lengths_text(report.file))
        sections += map(repr, support[place] if support else ())
    if len(reports) > 1:
        sections.append(origins_text(compare_origins([report.file for report in reports])))
        different = "Documents and dialogues are not averaged, so there are no numbers of all files together."
        sections.append(report_text(pooled) if pooled else different)
    return "\n\n".join(sections)

"""`agreement JUDGEMENTS`: how far raters agree."""

import json
import tempfile
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epitome.cli.faults import CommandFault
from epitome.cli.options import add_interval_options, add_json_option

if TYPE_CHECKING:
    from epitome.agreement.judgements_file import Judgements

SUMMARY = "Kappa, alpha and AC1 of a file of judgements, with intervals, per question, pooled and per system."
EXAMPLES = (
    "epitome agreement judgements.jsonl",
    "epitome agreement judgements.csv --truth mace --json",
    "epitome agreement --spans marks.jsonl",
)


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "file",
        metavar="JUDGEMENTS",
        nargs="?",
        help='JSON lines, CSV or Excel with "item_id", "rater", "question", "answer"',
    )
    parser.add_argument(
        "--spans",
        metavar="FILE",
        help='instead: how far annotators marked the same; JSON lines with "sample", "annotator", "units" and "marked" '
        'or "spans", perhaps "text" and "source"; or an export of Pearmut or factgenie',
    )
    parser.add_argument(
        "--truth",
        choices=("mace", "dawid-skene"),
        help="instead: the most likely answer per item and how reliable each rater is (needs the extra analysis)",
    )
    parser.add_argument(
        "--compare",
        action="store_true",
        help="also where scikit-learn, statsmodels, krippendorff, irrCAC or pandas give another number, and why",
    )
    add_json_option(parser)
    add_interval_options(parser)


def run_agreement(arguments: Namespace) -> str:
    """The report as text. Raises CommandFault."""
    from epitome.agreement.judgements_file import BadJudgements
    from epitome.agreement.report import make_report
    from epitome.agreement.report_text import as_text
    from epitome.formats.reading import UnreadableFile

    if arguments.compare and (arguments.spans or arguments.truth):
        raise CommandFault("--compare is of judgements: leave out --spans and --truth", status=2)
    if bool(arguments.file) == bool(arguments.spans):
        raise CommandFault("give either a file of judgements or --spans FILE")
    if arguments.spans:
        return _describe_marks(arguments)
    try:
        judgements = read_file(arguments.file)
    except (BadJudgements, UnreadableFile) as error:
        raise CommandFault(str(error)) from error
    if arguments.truth:
        return _describe_truth(judgements, arguments)
    report = make_report(judgements, replicates=arguments.bootstrap, seed=arguments.seed, compare=arguments.compare)
    if arguments.json:
        return json.dumps(report.as_dict(), ensure_ascii=False)
    return as_text(report, Path(arguments.file).name)


def _describe_marks(arguments: Namespace) -> str:
    """How far annotators marked the same. Raises CommandFault."""
    from epitome.agreement import marking_agreement
    from epitome.cli.rows import read_rows
    from epitome.formats.reading import UnreadableFile

    try:
        rows = _read_judged_marks(arguments.spans) or read_rows(arguments.spans)
        scores = marking_agreement(rows, replicates=arguments.bootstrap, seed=arguments.seed)
    except UnreadableFile as error:
        raise CommandFault(str(error)) from error
    except ValueError as error:
        raise CommandFault(f"{Path(arguments.spans).name}: {error}") from error
    return json.dumps(scores.to_dict(), ensure_ascii=False) if arguments.json else repr(scores)


def _read_judged_marks(path: str) -> list[dict[str, Any]]:
    """The marks in an export of Pearmut or factgenie, in characters of each output; none of another file. Raises
    CommandFault, UnreadableFile."""
    from epitome.cli.rows import is_table
    from epitome.formats.elements import read_entries
    from epitome.formats.faults import Fault
    from epitome.formats.reading import input_file
    from epitome.formats.rows import Row
    from epitome.formats.tools.judgments import is_factgenie, is_pearmut, read_judgments

    file = input_file(path)
    first = None if is_table(path) else next(read_entries(file), None)
    if not isinstance(first, Row) or not (is_pearmut(first.values) or is_factgenie(first.values)):
        return []
    rows = []
    for judged in read_judgments(file):
        if isinstance(judged, Fault):
            raise CommandFault(str(judged))
        spans = [[mark.start, mark.end] for mark in judged.marks if not mark.is_omission]
        names = {"sample": f"{judged.item}, {judged.system}", "annotator": judged.rater, "source": judged.item}
        rows.append({**names, "units": len(judged.output), "spans": spans})
    return rows


def _describe_truth(judgements: "Judgements", arguments: Namespace) -> str:
    """Of each question the most likely answers (JSON only) and the reliability of the raters. Raises CommandFault."""
    from epitome.agreement.truth import item_truth
    from epitome.text.missing_library import MissingLibrary

    questions: dict[str, dict[str, Any]] = {}
    for question in judgements.questions:
        try:
            truth = item_truth(judgements, question, model=arguments.truth, seed=arguments.seed)
        except MissingLibrary as error:
            raise CommandFault(str(error)) from error
        except ValueError as error:
            questions[question] = {"undefined": str(error)}
        else:
            questions[question] = {"answers": truth.answers, "reliability": truth.reliability}
    if arguments.json:
        return json.dumps({"model": arguments.truth, "questions": questions}, ensure_ascii=False)
    lines = [f"Expected share of right answers by {arguments.truth}; --json lists the answers"]
    for question, described in questions.items():
        lines += ["", question]
        if "undefined" in described:
            lines.append(f"  n/a: {described['undefined']}")
        lines += [f"  {rater}  {share:.3f}" for rater, share in described.get("reliability", {}).items()]
    return "\n".join(lines)


def read_file(path: str) -> "Judgements":
    """The judgements of JSON lines, or of a table with the same columns. Raises BadJudgements, UnreadableFile."""
    from epitome.agreement.judgements_file import read_judgements
    from epitome.cli.rows import is_table, read_rows
    from epitome.formats.reading import input_file

    if not is_table(path):
        return read_judgements(input_file(path))
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / "judgements.jsonl"
        rows = [{"question": "answer", **row} for row in read_rows(path)]  # one question needs no column
        lines.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return read_judgements(input_file(lines, Path(path).name))

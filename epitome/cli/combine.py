"""`combine JUDGEMENTS JUDGE`: what people would say of all items, from theirs of some and a judge's of all."""

import json
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from epitome.cli.faults import CommandFault
from epitome.cli.options import add_json_option

if TYPE_CHECKING:
    from epitome.combined.joining import Joined
    from epitome.combined.rows import Scale

SUMMARY = "Estimates from people's judgements of some items and a judge's of all, with differences of systems."
EXAMPLES = (
    "epitome combine people.jsonl judge.jsonl",
    "epitome combine people.csv judge.csv --scale fluent=1:5 --rows joined.jsonl",
    "epitome combine rows.jsonl --json",
)


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "judgements",
        metavar="JUDGEMENTS",
        help='JSON lines with "item_id", "source_id", "system" (or two "systems"), "rater", "question", "answer"; or, '
        'alone, rows with "pi", "H" and "G" as a round exports them',
    )
    parser.add_argument(
        "judge", metavar="JUDGE", nargs="?", help="the same of the judge, of all items; its name is the rater"
    )
    parser.add_argument(
        "--scale",
        action="append",
        default=[],
        metavar="QUESTION=LOW:HIGH",
        help="the ends of numbers, or words from the lowest to the highest, as fluent=bad,fair,good",
    )
    parser.add_argument("--rows", metavar="FILE", help="also write the joined rows with pi, H and G to a file")
    parser.add_argument("--formulas", action="store_true", help="print the formulas too")
    add_json_option(parser)


def run_combine(arguments: Namespace) -> str:
    """The estimates as text or JSON. Raises CommandFault."""
    from epitome.combined.rows_text import estimates_json, estimates_text
    from epitome.combined.summary import summarise_rows

    joined = read_joined(arguments.judgements, arguments.judge, arguments.scale)
    if arguments.rows:
        write_file(arguments.rows, joined)
    summary = summarise_rows(joined.rows, joined.notes)
    if arguments.json:
        return json.dumps(estimates_json(summary), ensure_ascii=False)
    return estimates_text(summary, Path(arguments.judgements).name, formulas=arguments.formulas)


def read_joined(judgements: str, judge: str | None, scales: list[str]) -> "Joined":
    """The rows of one or two files. Raises CommandFault."""
    from epitome.combined.answers_file import read_answers
    from epitome.combined.joining import CannotJoin, Joined, join_answers
    from epitome.combined.rows_file import BadRows, read_combined_rows
    from epitome.formats.reading import UnreadableFile, input_file

    try:
        if judge is None:
            return Joined(tuple(read_combined_rows(input_file(judgements))))
        people = read_answers(input_file(judgements))
        judges = read_answers(input_file(judge), default_rater=Path(judge).stem)
        return join_answers(people, judges, dict(map(read_scale, scales)))
    except (BadRows, CannotJoin, UnreadableFile) as error:
        is_alone = judge is None and isinstance(error, BadRows) and error.fault.code == "missing"
        advice = "; one file holds rows as a round exports them, two hold people's and the judge's answers"
        raise CommandFault(f"{error}{advice if is_alone else ''}") from error
    except ArgumentTypeError as error:
        raise CommandFault(f"--scale: {error}", status=2) from error


def read_scale(text: str) -> "tuple[str, Scale]":
    """QUESTION=LOW:HIGH or QUESTION=word,word. Raises ArgumentTypeError."""
    from epitome.combined.rows import Scale

    question, equals, ends = text.rpartition("=")
    if not equals or not question or not ends:
        raise ArgumentTypeError(f"{text[:60]!r} is not QUESTION=LOW:HIGH")
    try:
        if ":" in ends:
            low, high = ends.split(":")
            return question, Scale((), float(low), float(high))
        return question, Scale(tuple(word.strip() for word in ends.split(",")))
    except ValueError as error:
        raise ArgumentTypeError(f"{text[:60]!r}: {error}") from None


def write_file(path: str, joined: "Joined") -> None:
    """The rows as JSON lines. Raises CommandFault."""
    from epitome.combined.rows_file import write_rows

    try:
        with Path(path).open("wb") as stream:
            stream.writelines(write_rows(joined.rows))
    except OSError as error:
        raise CommandFault(f"{path}: cannot be written: {error.strerror}") from error

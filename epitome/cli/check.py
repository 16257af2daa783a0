"""`check REPORT`: every number of an exported report computed again from its rows, and what differs."""

import json
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from epitome.cli.faults import CommandFault
from epitome.cli.options import add_json_option
from epitome.cli.outcome import Outcome

if TYPE_CHECKING:
    from epitome.check.checking import Finding

SUMMARY = "Compute every number of a round's report again from its rows, by the formulas in the file."
EXAMPLES = ("epitome check report.jsonl", "epitome check report.jsonl --all --formulas")


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("report", metavar="REPORT", help="the file for checking, from the page of the report (JSONL)")
    parser.add_argument("--all", action="store_true", help="print equal numbers, too")
    parser.add_argument("--formulas", action="store_true", help="print the formulas of the file too")
    add_json_option(parser)


def run_check(arguments: Namespace) -> Outcome:
    """What is equal, different, or not recomputed; status 1 where something differs. Raises CommandFault."""
    from epitome.check.checking import DIFFERENT, check_report
    from epitome.check.report_file import BadReport, read_report

    try:
        report = read_report(Path(arguments.report))
    except BadReport as error:
        raise CommandFault(str(error)) from error
    findings = list(check_report(report))
    status = int(any(finding.outcome == DIFFERENT for finding in findings))
    if arguments.json:
        return Outcome(_write_json(findings), status)
    formulas = [f"{name}: {text}" for name, text in report.formulas.items()] if arguments.formulas else []
    listed_findings = [finding for finding in findings if arguments.all or finding.outcome == DIFFERENT]
    lines = [*formulas, *map(_write_line, listed_findings), *([] if arguments.all else _list_reasons(findings))]
    return Outcome("\n".join([*lines, _sum_up(findings)]), status)


def _write_json(findings: "Sequence[Finding]") -> str:
    counts = Counter(finding.outcome for finding in findings)
    return json.dumps({"counts": counts, "numbers": [finding._asdict() for finding in findings]}, ensure_ascii=False)


def _write_line(finding: "Finding") -> str:
    line = f"{finding.outcome}: {finding.name}: printed {_write_number(finding.printed)}"
    if finding.reason:
        return f"{line}: {finding.reason}"
    return f"{line}, recomputed {_write_number(finding.recomputed)}"


def _write_number(number: float | str | None) -> str:
    return "n/a" if number is None else number if isinstance(number, str) else f"{number:.10g}"


def _list_reasons(findings: "Sequence[Finding]") -> list[str]:
    """How many numbers were left out for each reason."""
    from epitome.check.checking import LEFT_OUT

    reasons = Counter(finding.reason for finding in findings if finding.outcome == LEFT_OUT)
    return [f"{LEFT_OUT}: {n:,}: {reason}" for reason, n in reasons.items()]


def _sum_up(findings: "Sequence[Finding]") -> str:
    from epitome.check.checking import DIFFERENT, EQUAL, LEFT_OUT

    counts = Counter(finding.outcome for finding in findings)
    return ", ".join(f"{counts[outcome]:,} {outcome}" for outcome in (EQUAL, DIFFERENT, LEFT_OUT))

"""Small rounds of every question type, their reports, and their files for checking."""

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, permutations

import numpy as np

from epitome.check.checking import Finding, check_report
from epitome.check.report_file import parse_report
from epitome.reports.answers import Answer, Frame, ReportQuestion
from epitome.reports.build import build_report
from epitome.reports.check_lines import check_lines
from epitome.reports.combined import CombinedMaterial
from epitome.reports.correlation import ScoredSummary
from epitome.reports.subjects import list_name
from epitome.rounds.marks import Mark, write_marks

SYSTEMS = ("gold", "hp", "lead")
DOMAINS = (("document", "Documents"), ("dialogue", "Dialogues"))
TEXT = "The council met on Monday and did not vote on the new bridge."
Say = Callable[[np.random.Generator, int, str], str]
"""From a generator, the number of a sample and a system to an answer."""


def make_frame(*questions: ReportQuestion, raters: int = 2, judges: Sequence[str] = (), **more) -> Frame:
    names = tuple(f"rater{number}" for number in range(1, raters + 1))
    return Frame("Round", SYSTEMS, questions, names, DOMAINS, judges=tuple(judges), replicates=100, seed=7, **more)


def rate_summaries(frame: Frame, question: str, say: Say, n: int = 16, **more) -> list[Answer]:
    """Every rater answers about the n samples of every system; two samples are of one source."""
    rng = np.random.default_rng(3)
    return [
        Answer(
            item=f"{system}-{number}",
            rater=rater,
            question=question,
            answer=say(rng, number, system),
            system=system,
            domain=DOMAINS[number % 4 == 3][0],
            source=f"s{number // 2}",
            sample=f"s{number // 2}#{number}",
            **more,
        )
        for system in frame.systems
        for number in range(n)
        for rater in frame.raters
        if not (rater == frame.raters[-1] and number % 7 == 6)  # some answers are missing
    ]


def rate_pairs(frame: Frame, question: str, answers: Sequence[str], n: int = 12) -> list[Answer]:
    rng = np.random.default_rng(4)
    return [
        Answer(
            item=f"{first}-{second}-{number}",
            rater=rater,
            question=question,
            answer=str(rng.choice(answers, p=[0.5, *[0.5 / (len(answers) - 1)] * (len(answers) - 1)])),
            system=first,
            other=second,
            domain="document",
            source=f"s{number // 2}",
            sample=f"x{number}",
        )
        for first, second in combinations(SYSTEMS, 2)
        for number in range(n)
        for rater in frame.raters
    ]


def rate_lists(frame: Frame, question: str, *, rank: bool, n: int = 12) -> list[Answer]:
    rng, orders = np.random.default_rng(5), list(permutations("123"))
    answers = []
    for number in range(n):
        for rater in frame.raters:
            order = orders[int(rng.integers(0, 6 if number % 3 else 2))]
            answers.append(
                Answer(
                    item=f"list-{number}",
                    rater=rater,
                    question=question,
                    answer=">".join(order if rank else (order[0], order[-1])),
                    system=list_name(SYSTEMS),
                    systems=SYSTEMS,
                    domain="document",
                    source=f"s{number // 2}",
                    sample=f"x{number}",
                )
            )
    return answers


def mark_errors(rng: np.random.Generator, number: int, system: str) -> str:
    marks = []
    for start, end in ((0, 11), (16, 25), (30, 42)):
        if rng.uniform() < 0.5:
            kind = str(rng.choice(["accuracy", "fluency"]))
            marks.append(Mark(str(rng.choice(["minor", "major"])), kind, start, end))
    if rng.uniform() < 0.2:
        marks.append(Mark("major", "omission"))
    return write_marks(marks)


def pick_of(*answers: str, toward: int = 0) -> Say:
    """Answers at random, one of them more often for gold."""

    def say(rng: np.random.Generator, number: int, system: str) -> str:
        if system == "gold" and rng.uniform() < 0.4:
            return answers[toward]
        return str(rng.choice(answers))

    return say


def file_of(
    frame: Frame,
    rows: Sequence[Answer],
    scores: Sequence[ScoredSummary] = (),
    combined: CombinedMaterial | None = None,
) -> list[str]:
    """The lines of the file for checking, as they are written."""
    report = build_report(frame, rows, scores, combined=combined)
    tables = [table for table in report.tables if table.key != "raters"]
    return [json.dumps(line, ensure_ascii=False) for line in check_lines(frame, rows, tables, scores, combined)]


def check_lines_of(lines: Sequence[str]) -> list[Finding]:
    return list(check_report(parse_report(lines)))


def list_faults(findings: Sequence[Finding]) -> Iterator[str]:
    """What is not equal, one line each."""
    for one in findings:
        if one.outcome != "equal":
            yield f"{one.name}: {one.outcome}, printed {one.printed}, recomputed {one.recomputed} {one.reason}"

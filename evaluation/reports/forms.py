"""FAC, FLU and CTRL of the forms of CCSBench: agreement on the main points, fluency, and the right one chosen.

Source: CCSBench, arXiv 2410.12601, human evaluation of the data: shares of yes, and the share of items for which the
chosen summary is the one labelled high.
"""

from collections.abc import Callable

from annotation.figures.tables import Cell, Column, Table
from evaluation.agreement.intervals import Estimate
from evaluation.reports.answers import Answer, Answers, Frame
from evaluation.reports.cells import cell, mean, signature

AGREES, FLUENT = ("agree", "agrees"), ("fluent",)
NOTE = (
    "FAC: share of yes on agreement; FLU: share of yes on fluency; CTRL: share of answers that choose the summary "
    "labelled high. Majority: the same after a vote of each item's raters, without ties. 95 % intervals by a bootstrap "
    "over sources."
)


def shared(question: str) -> str:
    """The question without the side it is about: fluent-a and fluent-b are one."""
    return question.removesuffix("-a").removesuffix("-b")


def form_table(frame: Frame, answers: Answers) -> Table | None:
    """None where the round has no form of this kind: a question that chooses a side, with a labelled answer."""
    sides = {question.key for question in frame.of_type("side")}
    parts: dict[str, Callable[[Answer], float | None]] = {
        "FAC": lambda row: float(row.answer == "yes") if shared(row.question) in AGREES else None,
        "FLU": lambda row: float(row.answer == "yes") if shared(row.question) in FLUENT else None,
        "CTRL": lambda row: float(row.answer == row.expected) if row.question in sides and row.expected else None,
    }
    if not any(parts["CTRL"](row) is not None for row in answers.rows):
        return None
    columns = [Column("Answers", kind="text"), *(Column(name, interval=True, count=True) for name in parts)]
    rows = [
        [Cell("each"), *(_cell(frame, _each(answers, number)) for number in parts.values())],
        [Cell("majority"), *(_cell(frame, _majority(answers, number)) for number in parts.values())],
    ]
    told = signature("forms", frame, answers)
    return Table("forms", "Agreement, fluency and control", columns, rows, notes=(NOTE,), signature=told)


Numbers = list[tuple[str, float]]
"""(source, 1 or 0)."""


def _each(answers: Answers, number: Callable[[Answer], float | None]) -> Numbers:
    found = [(row.source, number(row)) for row in answers.rows]
    return [(source, value) for source, value in found if value is not None]


def _majority(answers: Answers, number: Callable[[Answer], float | None]) -> Numbers:
    votes: dict[tuple[str, str], list[float]] = {}
    source_of = {}
    for row in answers.rows:
        if (value := number(row)) is not None:
            votes.setdefault((row.item, row.question), []).append(value)
            source_of[row.item] = row.source
    means = {key: sum(values) / len(values) for key, values in votes.items()}
    return [(source_of[item], float(mean > 0.5)) for (item, _question), mean in means.items() if mean != 0.5]


def _cell(frame: Frame, numbers: Numbers) -> Cell:
    if not numbers:
        return cell(Estimate.none("not asked, or every vote is a tie"), 0)
    return cell(mean(frame, [value for _, value in numbers], [source for source, _ in numbers]), len(numbers))

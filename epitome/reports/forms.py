"""FAC, FLU and CTRL of the forms of CCSBench: agreement on the main points, fluency, and choice of the right summary.

Source: CCSBench, arXiv 2410.12601, human evaluation of the data: shares of yes, and the share of items for which the
chosen summary is the one labelled high.
"""

from collections.abc import Callable

from epitome.agreement.design_effect import estimate_share
from epitome.agreement.intervals import Estimate
from epitome.figures.tables import Cell, Column, Table
from epitome.reports.answers import Answer, Answers, Frame
from epitome.reports.cells import SHARE_NOTE, estimate_cell, few_sources_notes, table_signature
from epitome.reports.subjects import compares_systems
from epitome.rounds.question_types import Side

AGREES, FLUENT = ("agree", "agrees"), ("fluent",)
NOTE = (
    "FAC: share of yes on agreement; FLU: share of yes on fluency; CTRL: share of answers that choose the summary "
    "labelled high. Majority: the same after a vote of each item's raters, without ties. "
    f"{SHARE_NOTE}"
)


def strip_side(question: str) -> str:
    """The question key without its side: fluent-a and fluent-b become fluent."""
    return question.removesuffix("-a").removesuffix("-b")


def leads_with_form(frame: Frame, answers: Answers) -> bool:
    """Whether the round asks which of two summaries is labelled high, and compares no systems."""
    sides = {question.key for question in frame.of_type(Side) if not question.asks.takes_tie}
    labelled = [row for row in answers.rows if row.question in sides and row.expected]
    return bool(labelled) and not any(compares_systems(row) for row in answers.rows)


def form_table(frame: Frame, answers: Answers) -> Table | None:
    """None unless the round has a question that chooses a side and has a labelled answer."""
    sides = {question.key for question in frame.of_type(Side) if not question.asks.takes_tie}
    scorers: dict[str, Callable[[Answer], float | None]] = {
        "FAC": lambda row: float(row.answer == "yes") if strip_side(row.question) in AGREES else None,
        "FLU": lambda row: float(row.answer == "yes") if strip_side(row.question) in FLUENT else None,
        "CTRL": lambda row: float(row.answer == row.expected) if row.question in sides and row.expected else None,
    }
    if not any(scorers["CTRL"](row) is not None for row in answers.rows):
        return None
    columns = [Column("Answers", kind="text"), *(Column(name, interval=True, count=True) for name in scorers)]
    rows = [
        [Cell("each"), *(_share_cell(_answer_values(answers, number)) for number in scorers.values())],
        [Cell("majority"), *(_share_cell(_majority_values(answers, number)) for number in scorers.values())],
    ]
    signature_text = table_signature("forms", frame, answers)
    notes = (NOTE, *few_sources_notes(answers.names("source")))
    return Table("forms", "Agreement, fluency and control", columns, rows, notes=notes, signature=signature_text)


SourceValues = list[tuple[str, float]]
"""(source, 1 or 0)."""


def _answer_values(answers: Answers, number: Callable[[Answer], float | None]) -> SourceValues:
    values = [(row.source, number(row)) for row in answers.rows]
    return [(source, value) for source, value in values if value is not None]


def _majority_values(answers: Answers, number: Callable[[Answer], float | None]) -> SourceValues:
    votes: dict[tuple[str, str], list[float]] = {}
    source_of = {}
    for row in answers.rows:
        if (value := number(row)) is not None:
            votes.setdefault((row.item, row.question), []).append(value)
            source_of[row.item] = row.source
    vote_shares = {key: sum(values) / len(values) for key, values in votes.items()}
    return [
        (source_of[item], float(vote_share > 0.5))
        for (item, _question), vote_share in vote_shares.items()
        if vote_share != 0.5
    ]


def _share_cell(numbers: SourceValues) -> Cell:
    if not numbers:
        return estimate_cell(Estimate.none("not asked, or every vote is a tie"), 0)
    return estimate_cell(
        estimate_share([value for _, value in numbers], [source for source, _ in numbers]), len(numbers)
    )

"""Preferences between two summaries: win rates with ties, and the table of strengths of all systems."""

from itertools import combinations

from epitome.agreement.intervals import Estimate
from epitome.figures.tables import Cell, Column, Table
from epitome.reports.answers import Answers, Frame, ReportQuestion
from epitome.reports.cells import (
    SHARE_NOTE,
    estimate_cell,
    estimate_shares,
    few_sources_notes,
    table_signature,
)
from epitome.reports.strengths import strength_table
from epitome.rounds.question_types import Side

NOTE = f"Shares of all answers about a pair, each answer counted once; ties are shown and not split. {SHARE_NOTE}"


def pair_tables(frame: Frame, answers: Answers) -> list[Table]:
    """Win and strength tables of each question about a pair whose answer is a side."""
    tables = []
    for question in frame.of_type(Side):
        subset = answers.questions([question.key])
        if len(subset):
            possible_tables = [_win_table(frame, question, subset), strength_table(frame, question, subset)]
            tables += [table for table in possible_tables if table is not None]
    return tables


def _win_table(frame: Frame, question: ReportQuestion, answers: Answers) -> Table | None:
    """None where no two systems were compared."""
    columns = [Column("First", kind="text"), Column("Second", kind="text"), Column("Domain", kind="text")]
    columns += [Column("First wins", interval=True, count=True)]
    columns += [Column("Tie", interval=True), Column("Second wins", interval=True)]
    rows = []
    for first, second in combinations(frame.systems, 2):
        for domain, name in frame.domains:
            subset = answers.where(
                lambda row, pair={first, second}, domain=domain: (
                    row.domain == domain  # type: ignore[misc]
                    and {row.system, row.other} == pair
                )
            )
            if len(subset):
                shares = _win_shares(subset, first)
                rows.append([Cell(first), Cell(second), Cell(name), estimate_cell(shares["first"], len(subset))])
                rows[-1] += [estimate_cell(shares["tie"]), estimate_cell(shares["second"])]
    if not rows:
        return None
    notes = (NOTE, *few_sources_notes(answers.names("source")))
    signature_text = table_signature("wins", frame, answers, question=question.key, interval="wilson")
    return Table(
        f"wins-{question.key}", f"{question.label}: wins", columns, rows, notes=notes, signature=signature_text
    )


def _win_shares(answers: Answers, first: str) -> dict[str, Estimate]:
    winners = [_preferred_system(row.answer, row.system, row.other) for row in answers.rows]
    flags = {
        "first": [float(winner == first) for winner in winners],
        "tie": [float(winner == "") for winner in winners],
        "second": [float(winner not in (first, "")) for winner in winners],
    }
    return estimate_shares(flags, [row.source for row in answers.rows])


def _preferred_system(answer: str, first: str, second: str) -> str:
    """The system that an answer prefers; "" for a tie."""
    return {"1": first, "2": second}.get(answer, "")

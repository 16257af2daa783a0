"""Answers on a scale: the mean and the share of each step per system, question and domain."""

from annotation.figures.tables import Cell, Column, Table
from evaluation.reports.answers import Answers, Asked, Frame
from evaluation.reports.cells import cell, mean, signature
from evaluation.reports.comparisons import number_of

NOTE = (
    "Means of the places on the scale, from 1, with 95 % intervals by a bootstrap that draws whole sources; then the "
    "share of each step. A mean takes the steps as equally far apart; the shares do not."
)


def scale_tables(frame: Frame, answers: Answers) -> list[Table]:
    """One table per question on a scale."""
    found = []
    for question in frame.of_type("likert"):
        part = answers.questions([question.key])
        if len(part):
            found.append(_table(frame, question, part))
    return found


def _table(frame: Frame, question: Asked, answers: Answers) -> Table:
    columns = [Column("System", kind="text"), Column("Domain", kind="text")]
    columns += [Column("Mean", interval=True, count=True), *(Column(value) for value in question.values)]
    rows = []
    for system in frame.systems:
        for domain, name in frame.domains:
            part = answers.cell(system, domain, [question.key])
            if len(part):
                rows.append([Cell(system), Cell(name), *_cells(frame, question, part)])
    told = signature("scale", frame, answers, question=question.key)
    return Table(f"scale-{question.key}", question.label, columns, rows, notes=(NOTE,), signature=told)


def _cells(frame: Frame, question: Asked, answers: Answers) -> list[Cell]:
    number = number_of(question)
    found = mean(frame, [number(row) for row in answers.rows], [row.source for row in answers.rows])
    given = [row.answer for row in answers.rows]
    return [cell(found, len(given)), *(Cell(given.count(value) / len(given)) for value in question.values)]

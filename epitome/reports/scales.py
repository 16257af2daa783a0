"""Answers on a scale: the mean and the share of each step per system, question and domain."""

from epitome.figures.tables import Cell, Column, Table
from epitome.reports.answers import Answers, Frame, ReportQuestion
from epitome.reports.cells import estimate_cell, estimate_mean, few_sources_notes, table_signature
from epitome.reports.comparisons import answer_scorer
from epitome.reports.subjects import name_pairs
from epitome.rounds.question_types import Likert

NOTE = (
    "Means of the places on the scale, from 1, with 95 % intervals by a bootstrap that draws whole sources; then the "
    "share of each step. A mean takes the steps as equally far apart; the shares do not."
)


def scale_tables(frame: Frame, answers: Answers) -> list[Table]:
    """One table per question on a scale."""
    frame, answers = name_pairs(frame, answers)
    tables = []
    for question in frame.of_type(Likert):
        subset = answers.questions([question.key])
        if len(subset):
            tables.append(_scale_table(frame, question, subset))
    return tables


def _scale_table(frame: Frame, question: ReportQuestion, answers: Answers) -> Table:
    columns = [Column("System", kind="text"), Column("Domain", kind="text")]
    columns += [Column("Mean", interval=True, count=True), *(Column(value) for value in question.values)]
    rows = []
    for system in frame.systems:
        for domain, name in frame.domains:
            subset = answers.cell(system, domain, [question.key])
            if len(subset):
                rows.append([Cell(system), Cell(name), *_scale_cells(frame, question, subset)])
    notes = (NOTE, *few_sources_notes(answers.names("source")))
    signature_text = table_signature("scale", frame, answers, question=question.key)
    return Table(f"scale-{question.key}", question.label, columns, rows, notes=notes, signature=signature_text)


def _scale_cells(frame: Frame, question: ReportQuestion, answers: Answers) -> list[Cell]:
    number = answer_scorer(question)
    estimate = estimate_mean(frame, [number(row) for row in answers.rows], [row.source for row in answers.rows])
    chosen_steps = [row.answer for row in answers.rows]
    return [
        estimate_cell(estimate, len(chosen_steps)),
        *(Cell(chosen_steps.count(value) / len(chosen_steps)) for value in question.values),
    ]

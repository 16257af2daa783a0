"""Questions with values of their own, about no attribute: the share of each answer per system and domain."""

from epitome.figures.tables import Cell, Column, Table
from epitome.reports.answers import Answers, Frame, ReportQuestion
from epitome.reports.cells import few_sources_notes, share_cell, table_signature
from epitome.reports.subjects import name_pairs
from epitome.rounds.question_types import Value

NOTE = (
    "Shares of all answers, with Wilson 95 % intervals, wider where several answers are about one source. n: answers."
)


def choice_tables(frame: Frame, answers: Answers) -> list[Table]:
    """One table per question of the type value that asks about no attribute."""
    frame, answers = name_pairs(frame, answers)
    tables = []
    for question in frame.of_type(Value):
        subset = answers.questions([question.key])
        if len(subset) and not question.attribute:
            tables.append(_choice_table(frame, question, subset))
    return tables


def _choice_table(frame: Frame, question: ReportQuestion, answers: Answers) -> Table:
    columns = [Column("System", kind="text"), Column("Domain", kind="text"), Column("n", digits=0)]
    columns += [Column(value, interval=True) for value in question.values]
    rows = []
    for system in frame.systems:
        for domain, name in frame.domains:
            subset = answers.cell(system, domain, [question.key])
            if not len(subset):
                continue
            sources = [row.source for row in subset.rows]
            given_answers = [row.answer for row in subset.rows]
            shares = [
                share_cell([answer == value for answer in given_answers], sources, "not asked")
                for value in question.values
            ]
            rows.append([Cell(system), Cell(name), Cell(len(subset)), *shares])
    notes = (NOTE, *few_sources_notes(answers.names("source")))
    signature = table_signature("choices", frame, answers, question=question.key)
    return Table(
        f"choices-{question.key}", f"{question.label}: answers", columns, rows, notes=notes, signature=signature
    )

"""Questions with several answers: how often each value was ticked, per system and domain."""

from epitome.figures.tables import Cell, Column, Table
from epitome.reports.answers import Answers, Frame, ReportQuestion
from epitome.reports.cells import SHARE_NOTE, estimate_cell, estimate_shares, few_sources_notes, table_signature
from epitome.reports.subjects import name_pairs
from epitome.rounds.answer_texts import NONE, SEVERAL_JOIN
from epitome.rounds.question_types import Several

NOTE = f"Share of the answers that tick a value; they add up to more than 1 where several apply. {SHARE_NOTE}"


def several_tables(frame: Frame, answers: Answers) -> list[Table]:
    """One table per question with several answers."""
    frame, answers = name_pairs(frame, answers)
    tables = []
    for question in frame.of_type(Several):
        subset = answers.questions([question.key])
        if len(subset):
            tables.append(_several_table(frame, question, subset))
    return tables


def _several_table(frame: Frame, question: ReportQuestion, answers: Answers) -> Table:
    values = (*question.values, NONE)
    columns = [Column("System", kind="text"), Column("Domain", kind="text"), Column("Answers", digits=0)]
    columns += [Column(value, interval=True) for value in values]
    rows = []
    for system in frame.systems:
        for domain, name in frame.domains:
            subset = answers.cell(system, domain, [question.key])
            if len(subset):
                ticked = [row.answer.split(SEVERAL_JOIN) for row in subset.rows]
                flags = {value: [float(value in chosen) for chosen in ticked] for value in values}
                shares = estimate_shares(flags, [row.source for row in subset.rows])
                cells = [estimate_cell(shares[value]) for value in values]
                rows.append([Cell(system), Cell(name), Cell(len(subset)), *cells])
    notes = (NOTE, *few_sources_notes(answers.names("source")))
    signature_text = table_signature("several", frame, answers, question=question.key)
    return Table(f"several-{question.key}", question.label, columns, rows, notes=notes, signature=signature_text)

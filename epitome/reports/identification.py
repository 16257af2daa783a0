"""Identification of the requested value by raters: accuracy and a confusion matrix per attribute, without yes-bias."""

from epitome.agreement.design_effect import estimate_share
from epitome.agreement.intervals import Estimate
from epitome.figures.tables import Cell, Column, Table
from epitome.reports.answers import Answers, Frame, ReportQuestion
from epitome.reports.cells import SHARE_NOTE, estimate_cell, table_signature
from epitome.rounds.question_types import Value

NOTE = (
    f"Share of answers that name the value that was asked for. {SHARE_NOTE} Chance is what always naming the commonest "
    "requested value would give."
)
ROWS = "Rows: what was asked for; columns: what the rater named, as shares of the row. n: answers."


def identification_tables(frame: Frame, answers: Answers) -> list[Table]:
    value_questions = frame.of_type(Value)
    answers = answers.questions([question.key for question in value_questions]).where(lambda row: bool(row.requested))
    if not len(answers):
        return []
    return [
        _accuracy_table(frame, value_questions, answers),
        *(_confusion_table(frame, value_question, answers) for value_question in value_questions),
    ]


def _accuracy_table(frame: Frame, value_questions: tuple[ReportQuestion, ...], answers: Answers) -> Table:
    columns = [Column(head, kind="text") for head in ("System", "Domain", "Attribute")]
    columns += [Column("Named rightly", interval=True, count=True), Column("Chance")]
    rows = []
    for system in frame.systems:
        for domain, name in frame.domains:
            for question in value_questions:
                subset = answers.cell(system, domain, [question.key])
                if len(subset):
                    heads = [Cell(system), Cell(name), Cell(question.label)]
                    rows.append(
                        [
                            *heads,
                            estimate_cell(_accuracy_estimate(subset), len(subset)),
                            Cell(_chance_share(subset)),
                        ]
                    )
    signature_text = table_signature("identified", frame, answers)
    return Table("identified", "Requested value named rightly", columns, rows, notes=(NOTE,), signature=signature_text)


def _accuracy_estimate(answers: Answers) -> Estimate:
    return estimate_share([row.answer == row.requested for row in answers.rows], [row.source for row in answers.rows])


def _chance_share(answers: Answers) -> float:
    requested = [row.requested for row in answers.rows]
    return max(requested.count(value) for value in set(requested)) / len(requested)


def _confusion_table(frame: Frame, question: ReportQuestion, answers: Answers) -> Table:
    columns = [Column("System", kind="text"), Column("Asked for", kind="text"), Column("n", digits=0)]
    columns += [Column(value, group="Named") for value in question.values]
    rows = []
    for system in frame.systems:
        for value in question.values:
            answered_values = [
                row.answer
                for row in answers.rows
                if row.system == system and row.question == question.key and row.requested == value
            ]
            if answered_values:
                shares = [
                    Cell(answered_values.count(answered_value) / len(answered_values))
                    for answered_value in question.values
                ]
                rows.append([Cell(system), Cell(value), Cell(len(answered_values)), *shares])
    signature_text = table_signature("confusion", frame, answers, attribute=question.key)
    title = f"{question.label}: asked for and named"
    return Table(f"confusion-{question.key}", title, columns, rows, notes=(ROWS,), signature=signature_text)

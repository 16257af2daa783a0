"""Which value did the rater think was asked for? Accuracy and a confusion matrix per attribute: free of yes-bias."""

from annotation.figures.tables import Cell, Column, Table
from evaluation.agreement.intervals import Estimate
from evaluation.reports.answers import Answers, Asked, Frame
from evaluation.reports.cells import cell, mean, signature

NOTE = (
    "Share of answers that name the value that was asked for, with 95 % intervals by a bootstrap that draws whole "
    "sources. Chance is what always naming the commonest requested value would give."
)
ROWS = "Rows: what was asked for; columns: what the rater named, as shares of the row. n: answers."


def identification_tables(frame: Frame, answers: Answers) -> list[Table]:
    asked = frame.of_type("value")
    answers = answers.questions([question.key for question in asked]).where(lambda row: bool(row.requested))
    if not len(answers):
        return []
    return [_accuracy(frame, asked, answers), *(_confusion(frame, each, answers) for each in asked)]


def _accuracy(frame: Frame, asked: tuple[Asked, ...], answers: Answers) -> Table:
    columns = [Column(head, kind="text") for head in ("System", "Domain", "Attribute")]
    columns += [Column("Named rightly", interval=True, count=True), Column("Chance")]
    rows = []
    for system in frame.systems:
        for domain, name in frame.domains:
            for question in asked:
                part = answers.cell(system, domain, [question.key])
                if len(part):
                    heads = [Cell(system), Cell(name), Cell(question.label)]
                    rows.append([*heads, cell(_right(frame, part), len(part)), Cell(_chance(part))])
    told = signature("identified", frame, answers)
    return Table("identified", "Requested value named rightly", columns, rows, notes=(NOTE,), signature=told)


def _right(frame: Frame, answers: Answers) -> Estimate:
    right = [float(row.answer == row.requested) for row in answers.rows]
    return mean(frame, right, [row.source for row in answers.rows])


def _chance(answers: Answers) -> float:
    wanted = [row.requested for row in answers.rows]
    return max(wanted.count(value) for value in set(wanted)) / len(wanted)


def _confusion(frame: Frame, question: Asked, answers: Answers) -> Table:
    columns = [Column("System", kind="text"), Column("Asked for", kind="text"), Column("n", digits=0)]
    columns += [Column(value, group="Named") for value in question.values]
    rows = []
    for system in frame.systems:
        for value in question.values:
            given = [
                row.answer
                for row in answers.rows
                if row.system == system and row.question == question.key and row.requested == value
            ]
            if given:
                shares = [Cell(given.count(named) / len(given)) for named in question.values]
                rows.append([Cell(system), Cell(value), Cell(len(given)), *shares])
    told = signature("confusion", frame, answers, attribute=question.key)
    title = f"{question.label}: asked for and named"
    return Table(f"confusion-{question.key}", title, columns, rows, notes=(ROWS,), signature=told)

"""Marked errors: how many and how grave, per 100 words of the summaries, by system and by category.

The score is minus the sum of the weights per 100 words, as in MQM (Freitag et al. 2021, "Experts, Errors, and Context",
TACL 9), where a text without errors has 0. Error spans with severities alone are those of ESA (Kocmi et al. 2024,
"Error Span Annotation"), whose score is a question of its own.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from epitome.agreement.intervals import Estimate, Statistic, estimate_statistics, ratio_or_nan
from epitome.agreement.scales import Floats
from epitome.figures.tables import Cell, Column, Table
from epitome.reports.answers import Answer, Answers, Frame, ReportQuestion
from epitome.reports.cells import estimate_cell, few_sources_notes, share_cell, source_codes, table_signature
from epitome.reports.judges import INVALID
from epitome.rounds.marks import OMISSION, Mark, load_marks
from epitome.rounds.question_types import SpanErrors
from epitome.text.words import n_words

PER_WORDS = 100
NOTE = (
    "Per 100 words (separated by white space) of the rated summaries: sums over all ratings, divided by their words. "
    "95 % intervals by a bootstrap that draws whole sources."
)
NOT_ADJUDICATED = "Marked errors are not adjudicated: every rater's marks count as they are."
WITHOUT_WORDS = "the rated summaries have no words"


def span_error_tables(frame: Frame, answers: Answers) -> list[Table]:
    """Two tables per question: scores with the counts of each severity, and weights by category."""
    tables = []
    for question in frame.of_type(SpanErrors):
        subset = marked_answers(answers, question)
        if len(subset):
            by_category = _category_table(frame, question, subset)
            tables += [_score_table(frame, question, subset), *([by_category] if by_category else [])]
    return tables


def table_key(frame: Frame, name: str, question: ReportQuestion) -> str:
    """The key of a question's table; with the question's where there are several of the type."""
    return name if len(frame.of_type(SpanErrors)) == 1 else f"{name}-{question.key}"


def marked_answers(answers: Answers, question: ReportQuestion) -> Answers:
    """The answers to a question about texts that have words; invalid ones of models are left out."""
    subset = answers.questions([question.key])
    return subset.where(lambda row: row.answer != INVALID and n_words(row.text) > 0)


def sum_weights(question: ReportQuestion, marks: Sequence[Mark]) -> float:
    weights = dict(question.severities)
    return sum(weights[mark.severity] for mark in marks)


def score_marks(question: ReportQuestion, row: Answer) -> float:
    """Minus the weights of one answer's marks per 100 words of its text, which has words."""
    return -PER_WORDS * sum_weights(question, load_marks(row.answer)) / n_words(row.text)


def estimate_rates(frame: Frame, amounts: Mapping[str, Sequence[float]], rows: Sequence[Answer]) -> dict[str, Estimate]:
    """Each amount per 100 words, with intervals that resample whole sources. amounts: name -> one number per answer."""
    words = np.array([n_words(row.text) for row in rows], dtype=float)
    rates = {
        name: Statistic(np.column_stack([np.array(numbers, dtype=float), words]), _rate, otherwise=WITHOUT_WORDS)
        for name, numbers in amounts.items()
    }
    clusters = source_codes([row.source for row in rows])
    return estimate_statistics(rates, clusters, replicates=frame.replicates, seed=frame.seed)


def _rate(sums: Floats) -> Floats:
    return PER_WORDS * ratio_or_nan(sums[..., 0], sums[..., 1])


def _score_table(frame: Frame, question: ReportQuestion, answers: Answers) -> Table:
    severities = [name for name, _weight in question.severities]
    columns = [Column("System", kind="text"), Column("Domain", kind="text")]
    columns += [Column("Score", interval=True, count=True), Column("Without errors", interval=True)]
    columns += [Column("All", group="Errors", interval=True)]
    columns += [Column(name.capitalize(), group="Errors", interval=True) for name in severities]
    rows = []
    for system in frame.systems:
        for domain, name in frame.domains:
            subset = answers.cell(system, domain, [question.key])
            if len(subset):
                rows.append([Cell(system), Cell(name), *_score_cells(frame, question, subset)])
    weights = ", ".join(f"{name} {weight:g}" for name, weight in question.severities)
    score_note = f"Score: minus the sum of the weights ({weights}); 0 is without errors."
    notes = (score_note, NOTE, NOT_ADJUDICATED, *few_sources_notes(answers.names("source")))
    signature_text = table_signature("span-errors", frame, answers, question=question.key, weights=weights)
    title = f"{question.label}: errors per 100 words"
    key = table_key(frame, "span-errors", question)
    return Table(key, title, columns, rows, notes=notes, signature=signature_text)


def _score_cells(frame: Frame, question: ReportQuestion, answers: Answers) -> list[Cell]:
    rows = answers.rows
    marks_of_rows = [load_marks(row.answer) for row in rows]
    amounts: dict[str, list[float]] = {
        "score": [-sum_weights(question, marks) for marks in marks_of_rows],
        "all": [len(marks) for marks in marks_of_rows],
    }
    for name, _weight in question.severities:
        amounts[f"severity {name}"] = [sum(mark.severity == name for mark in marks) for marks in marks_of_rows]
    rates = estimate_rates(frame, amounts, rows)
    clean = share_cell([not marks for marks in marks_of_rows], [row.source for row in rows], "no answers")
    score, *others = [estimate_cell(rate) for rate in rates.values()]
    return [Cell(score.value, score.undefined, score.low, score.high, len(rows)), clean, *others]


def _category_table(frame: Frame, question: ReportQuestion, answers: Answers) -> Table | None:
    categories = [*question.values, *([OMISSION] if question.omission else [])]
    if not categories:
        return None
    columns = [Column("System", kind="text"), Column("Domain", kind="text"), Column("Errors", digits=0)]
    columns += [Column(category.capitalize(), interval=True) for category in categories]
    rows = []
    for system in frame.systems:
        for domain, name in frame.domains:
            subset = answers.cell(system, domain, [question.key])
            if len(subset):
                rows.append([Cell(system), Cell(name), *_category_cells(frame, question, subset, categories)])
    notes = ("Weights of the errors of each category.", NOTE, *few_sources_notes(answers.names("source")))
    signature_text = table_signature("span-categories", frame, answers, question=question.key)
    title = f"{question.label}: weights by category, per 100 words"
    key = table_key(frame, "span-categories", question)
    return Table(key, title, columns, rows, notes=notes, signature=signature_text)


def _category_cells(frame: Frame, question: ReportQuestion, answers: Answers, categories: Sequence[str]) -> list[Cell]:
    weights = dict(question.severities)
    marks_of_rows = [load_marks(row.answer) for row in answers.rows]
    n_errors = sum(map(len, marks_of_rows))
    amounts = {
        category: [
            sum(weights[mark.severity] for mark in marks if mark.category == category) for marks in marks_of_rows
        ]
        for category in categories
    }
    rates = estimate_rates(frame, amounts, answers.rows)
    return [Cell(n_errors), *(estimate_cell(rates[category]) for category in categories)]

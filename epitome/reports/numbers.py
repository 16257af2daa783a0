"""Questions answered by a number: means per system and domain, and agreement on the interval scale."""

import statistics

from epitome.agreement.alpha import alpha_statistic
from epitome.agreement.intervals import Estimate, estimate_statistics
from epitome.agreement.scales import disagreement_matrix
from epitome.figures.tables import Cell, Column, Table
from epitome.reports.answers import Answers, Frame, ReportQuestion
from epitome.reports.cells import estimate_cell, estimate_mean, few_sources_notes, table_signature
from epitome.reports.subjects import name_pairs
from epitome.rounds.question_types import Number

NOTE = "Means with 95 % intervals by a bootstrap that draws whole sources; medians and standard deviations beside them."
ALPHA_NOTE = (
    "Krippendorff's α with squared distances on the scale (interval level): 1 is perfect, 0 as by chance. Items rated "
    "once count for nothing. 95 % intervals by a bootstrap that draws whole sources."
)


def number_tables(frame: Frame, answers: Answers) -> list[Table]:
    """Two tables per question answered by a number: means, and agreement."""
    frame, answers = name_pairs(frame, answers)
    tables = []
    for question in frame.of_type(Number):
        subset = answers.questions([question.key])
        if len(subset):
            tables += [_mean_table(frame, question, subset), _agreement_table(frame, question, subset)]
    return tables


def _mean_table(frame: Frame, question: ReportQuestion, answers: Answers) -> Table:
    columns = [Column("System", kind="text"), Column("Domain", kind="text")]
    columns += [Column("Mean", interval=True, count=True), Column("Median"), Column("SD")]
    rows = []
    for system in frame.systems:
        for domain, name in frame.domains:
            subset = answers.cell(system, domain, [question.key])
            if len(subset):
                values = [float(row.answer) for row in subset.rows]
                estimate = estimate_mean(frame, values, [row.source for row in subset.rows])
                spread = Cell(statistics.stdev(values)) if len(values) > 1 else Cell(None, "only one answer")
                median = Cell(float(statistics.median(values)))
                rows.append([Cell(system), Cell(name), estimate_cell(estimate, len(values)), median, spread])
    notes = (NOTE, *few_sources_notes(answers.names("source")))
    signature_text = table_signature("numbers", frame, answers, question=question.key)
    return Table(f"numbers-{question.key}", question.label, columns, rows, notes=notes, signature=signature_text)


def _agreement_table(frame: Frame, question: ReportQuestion, answers: Answers) -> Table:
    columns = [Column("Domain", kind="text"), Column("Units", digits=0), Column("Raters", digits=0)]
    columns += [Column("Missing"), Column("Krippendorff's α, interval", interval=True)]
    rows = []
    for domain, name in frame.domains:
        subset = answers.domains([domain])
        if len(subset):
            labels = tuple(sorted({row.answer for row in subset.rows}, key=float))
            ratings, raters = subset.ratings(labels)
            heads = [Cell(name), Cell(ratings.n_units), Cell(len(raters)), Cell(ratings.missing)]
            rows.append([*heads, estimate_cell(_estimate_alpha(frame, subset, labels))])
    notes = (ALPHA_NOTE, *few_sources_notes(answers.names("source")))
    signature_text = table_signature("numbers-agreement", frame, answers, question=question.key)
    title = f"{question.label}: agreement"
    return Table(f"numbers-agreement-{question.key}", title, columns, rows, notes=notes, signature=signature_text)


def _estimate_alpha(frame: Frame, answers: Answers, labels: tuple[str, ...]) -> Estimate:
    ratings, raters = answers.ratings(labels)
    if len(raters) < 2:
        return Estimate.none("only one rater")
    apart = disagreement_matrix("quadratic", len(labels), [float(label) for label in labels])
    statistic = alpha_statistic(ratings.counts(), apart)
    return estimate_statistics({"alpha": statistic}, ratings.clusters, replicates=frame.replicates, seed=frame.seed)[
        "alpha"
    ]

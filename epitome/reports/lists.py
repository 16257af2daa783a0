"""Lists of summaries: shares of best and worst, mean ranks, and the concordance of rankings.

Sources: Louviere, Flynn and Marley (2015), "Best-Worst Scaling", on best minus worst; Kendall and Babington Smith
(1939), "The Problem of m Rankings", on W.
"""

from collections.abc import Callable, Mapping

import numpy as np

from epitome.agreement.concordance import kendall_w
from epitome.agreement.intervals import Estimate
from epitome.figures.tables import Cell, Column, Table
from epitome.reports.answer_parts import list_places, score_system
from epitome.reports.answers import Answer, Answers, Frame, ReportQuestion
from epitome.reports.cells import (
    estimate_cell,
    estimate_mean,
    estimate_means,
    estimate_shares,
    few_sources_notes,
    table_signature,
)
from epitome.rounds.question_types import BestWorst, Ranking

BEST_WORST_NOTE = (
    "Shares of the lists in which a system was picked as best or as worst; the score is the first minus the second, "
    "from -1 to 1. 95 % intervals: of the shares Wilson's, on n over the design effect where several lists are "
    "about one source; of the score by a bootstrap that draws whole sources."
)
RANK_NOTE = (
    "Mean rank, 1 is best, and the share of rankings that a system leads. 95 % intervals: of the mean by a bootstrap "
    "that draws whole sources; of the share Wilson's, on n over the design effect where several rankings are about one "
    "source."
)
CONCORDANCE_NOTE = (
    "Kendall's W of the raters of one item, averaged over items that two or more ranked: 1 is the same ranking by all. "
    "Raters who rank by chance reach about 1 / raters. 95 % intervals by a bootstrap that draws whole sources."
)
SHARES = ("Best", "Worst", "First")
"""Measures that are 0 or 1."""
Scores = Mapping[str, float]
Measure = Callable[[ReportQuestion, Answer, str], Scores]


def list_tables(frame: Frame, answers: Answers) -> list[Table]:
    """Tables of every question about a list of summaries that has answers."""
    tables = []
    for question in frame.of_type(BestWorst):
        subset = answers.questions([question.key])
        if len(subset):
            tables.append(_best_worst_table(frame, question, subset))
    for question in frame.of_type(Ranking):
        subset = answers.questions([question.key])
        if len(subset):
            tables += [_rank_table(frame, question, subset), _concordance_table(frame, question, subset)]
    return tables


def _measure_best_worst(question: ReportQuestion, row: Answer, system: str) -> Scores:
    score = score_system(question, row, system)
    return {"Best": float(score > 0), "Worst": float(score < 0), "Best minus worst": score}


def _measure_rank(question: ReportQuestion, row: Answer, system: str) -> Scores:
    rank = score_system(question, row, system)
    return {"Mean rank": rank, "First": float(rank == 1)}


def _best_worst_table(frame: Frame, question: ReportQuestion, answers: Answers) -> Table:
    columns, rows = _measure_systems(frame, question, answers, _measure_best_worst)
    signature_text = table_signature("best-worst", frame, answers, question=question.key)
    notes = (BEST_WORST_NOTE, *few_sources_notes(answers.names("source")))
    title = f"{question.label}: best and worst"
    return Table(f"best-worst-{question.key}", title, columns, rows, notes=notes, signature=signature_text)


def _rank_table(frame: Frame, question: ReportQuestion, answers: Answers) -> Table:
    columns, rows = _measure_systems(frame, question, answers, _measure_rank)
    signature_text = table_signature("ranks", frame, answers, question=question.key)
    notes = (RANK_NOTE, *few_sources_notes(answers.names("source")))
    title = f"{question.label}: ranks"
    return Table(f"ranks-{question.key}", title, columns, rows, notes=notes, signature=signature_text)


def _measure_systems(
    frame: Frame, question: ReportQuestion, answers: Answers, measure: Measure
) -> tuple[list[Column], list[list[Cell]]]:
    """One row per system and domain with the mean of every measure."""
    rows: list[list[Cell]] = []
    names: tuple[str, ...] = ()
    for system in frame.systems:
        for domain, domain_name in frame.domains:
            subset = answers.where(
                lambda row, domain=domain, system=system: row.domain == domain and system in row.systems  # type: ignore[misc]
            )
            if not len(subset):
                continue
            scores = [measure(question, row, system) for row in subset.rows]
            names = tuple(scores[0])
            values = {name: [score[name] for score in scores] for name in names}
            sources = [row.source for row in subset.rows]
            shares = estimate_shares({name: values[name] for name in names if name in SHARES}, sources)
            means = estimate_means(frame, {name: values[name] for name in names if name not in SHARES}, sources)
            estimates = shares | means
            cells = [estimate_cell(estimates[name], len(scores) if name == names[0] else None) for name in names]
            rows.append([Cell(system), Cell(domain_name), *cells])
    columns = [Column("System", kind="text"), Column("Domain", kind="text")]
    columns += [Column(name, interval=True, count=name == names[0]) for name in names]
    return columns, rows


def _concordance_table(frame: Frame, question: ReportQuestion, answers: Answers) -> Table:
    columns = [Column("Domain", kind="text"), Column("Raters", digits=0)]
    columns += [Column("Kendall's W", interval=True, count=True)]
    rows = []
    for domain, domain_name in frame.domains:
        subset = answers.domains([domain])
        if len(subset):
            estimate, n_items = _estimate_concordance(frame, subset)
            rows.append([Cell(domain_name), Cell(subset.distinct("rater")), estimate_cell(estimate, n_items)])
    signature_text = table_signature("concordance", frame, answers, question=question.key)
    notes = (CONCORDANCE_NOTE, *few_sources_notes(answers.names("source")))
    title = f"{question.label}: agreement of rankings"
    return Table(f"concordance-{question.key}", title, columns, rows, notes=notes, signature=signature_text)


def _estimate_concordance(frame: Frame, answers: Answers) -> tuple[Estimate, int]:
    """The mean of W over items with two rankings or more, and the number of these items."""
    by_item: dict[str, list[Answer]] = {}
    for row in answers.rows:
        by_item.setdefault(row.item, []).append(row)
    values, sources = [], []
    for rows in by_item.values():
        ranks = np.array([[list_places(row)[system] + 1 for system in rows[0].systems] for row in rows])
        concordance = kendall_w(ranks)
        if concordance.defined:
            values.append(float(concordance))
            sources.append(rows[0].source)
    if not values:
        return Estimate.none("no item was ranked by two raters"), 0
    return estimate_mean(frame, values, sources), len(values)

"""Lists of summaries: shares of best and worst, mean ranks, and the concordance of rankings.

Sources: Louviere, Flynn and Marley (2015), "Best-Worst Scaling", on best minus worst; Kendall and Babington Smith
(1939), "The Problem of m Rankings", on W.
"""

from collections.abc import Callable, Mapping

import numpy as np

from annotation.figures.tables import Cell, Column, Table
from evaluation.agreement.concordance import kendall_w
from evaluation.agreement.intervals import Estimate
from evaluation.reports.answer_parts import list_places
from evaluation.reports.answers import Answer, Answers, Frame, ReportQuestion
from evaluation.reports.cells import estimate_cell, estimate_mean, estimate_means, few_sources_notes, table_signature

BEST_WORST_NOTE = (
    "Shares of the lists in which a system was picked as best or as worst; the score is the first minus the second, "
    "from -1 to 1. 95 % intervals by a bootstrap that draws whole sources."
)
RANK_NOTE = (
    "Mean rank, 1 is best, and the share of rankings that a system leads. 95 % intervals by a bootstrap that draws "
    "whole sources."
)
CONCORDANCE_NOTE = (
    "Kendall's W of the raters of one item, averaged over items that two or more ranked: 1 is the same ranking by all. "
    "Raters who rank by chance reach about 1 / raters. 95 % intervals by a bootstrap that draws whole sources."
)
Scores = Mapping[str, float]
Measure = Callable[[Answer, str], Scores]


def list_tables(frame: Frame, answers: Answers) -> list[Table]:
    """Tables of every question about a list of summaries that has answers."""
    tables = []
    for question in frame.of_type("best-worst"):
        subset = answers.questions([question.key])
        if len(subset):
            tables.append(_best_worst_table(frame, question, subset))
    for question in frame.of_type("ranking"):
        subset = answers.questions([question.key])
        if len(subset):
            tables += [_rank_table(frame, question, subset), _concordance_table(frame, question, subset)]
    return tables


def score_best_worst(row: Answer, system: str) -> float:
    """1 where the answer picks the system as best, -1 as worst, else 0."""
    return {0: 1.0, 1: -1.0}.get(list_places(row).get(system, 2), 0.0)


def score_rank(row: Answer, system: str) -> float:
    """The system's rank in an answer, 1 is best."""
    return 1.0 + list_places(row)[system]


def _measure_best_worst(row: Answer, system: str) -> Scores:
    score = score_best_worst(row, system)
    return {"Best": float(score > 0), "Worst": float(score < 0), "Best minus worst": score}


def _measure_rank(row: Answer, system: str) -> Scores:
    rank = score_rank(row, system)
    return {"Mean rank": rank, "First": float(rank == 1)}


def _best_worst_table(frame: Frame, question: ReportQuestion, answers: Answers) -> Table:
    columns, rows = _measure_systems(frame, answers, _measure_best_worst)
    signature_text = table_signature("best-worst", frame, answers, question=question.key)
    notes = (BEST_WORST_NOTE, *few_sources_notes(answers.names("source")))
    title = f"{question.label}: best and worst"
    return Table(f"best-worst-{question.key}", title, columns, rows, notes=notes, signature=signature_text)


def _rank_table(frame: Frame, question: ReportQuestion, answers: Answers) -> Table:
    columns, rows = _measure_systems(frame, answers, _measure_rank)
    signature_text = table_signature("ranks", frame, answers, question=question.key)
    notes = (RANK_NOTE, *few_sources_notes(answers.names("source")))
    title = f"{question.label}: ranks"
    return Table(f"ranks-{question.key}", title, columns, rows, notes=notes, signature=signature_text)


def _measure_systems(frame: Frame, answers: Answers, measure: Measure) -> tuple[list[Column], list[list[Cell]]]:
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
            scores = [measure(row, system) for row in subset.rows]
            names = tuple(scores[0])
            values = {name: [score[name] for score in scores] for name in names}
            estimates = estimate_means(frame, values, [row.source for row in subset.rows])
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

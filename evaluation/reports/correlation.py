"""Correlation of automatic scores with raters' answers per attribute, and the summaries on which they differ most.

A score here is the sample's CER for the attribute, so the correlation is between closeness (-CER) and the share of
raters who said yes. Source of the rank correlation with ties: Kendall (1945), "The treatment of ties in ranking
problems" (tau-b); Spearman as Pearson's correlation of mean ranks.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotation.figures.tables import Cell, Column, Table
from annotation.measures import Signature, Value
from evaluation.agreement.scales import Floats
from evaluation.metrics.bootstrap import cluster_bootstrap
from evaluation.reports.answers import Frame

VERSION = "1"
SHUFFLES = 10_000
NOTE = (
    "Spearman's ρ between -CER of a summary and the share of raters who said yes. p: permutation of the scores among "
    "samples, two-sided. 95 % interval by a bootstrap that draws whole sources."
)


@dataclass(frozen=True)
class ScoredSummary:
    """One summary with its automatic error for an attribute. yes: share of raters who said yes, 0 to 1."""

    attribute: str
    system: str
    sample: str
    source: str
    error: float
    yes: float


def correlation_table(frame: Frame, pairs: Sequence[ScoredSummary]) -> Table | None:
    """One row per attribute, all systems together, and one per attribute and system."""
    rows = []
    for attribute in dict.fromkeys(pair.attribute for pair in pairs):
        of_attribute = [pair for pair in pairs if pair.attribute == attribute]
        rows.append([Cell(attribute), Cell("all"), *_correlation_cells(frame, of_attribute)])
        for system in frame.systems:
            subset = [pair for pair in of_attribute if pair.system == system]
            if subset:
                rows.append([Cell(attribute), Cell(system), *_correlation_cells(frame, subset)])
    if not rows:
        return None
    columns = [Column("Attribute", kind="text"), Column("System", kind="text")]
    columns += [Column("ρ", interval=True, count=True), Column("p", digits=4)]
    base_signature = Signature("metric-human", VERSION, (("correlation", "spearman"), ("score", "-cer")))
    full = base_signature.with_(n=len(pairs), shuffles=SHUFFLES, bootstrap=frame.replicates, seed=frame.seed)
    return Table("metric-human", "Automatic scores and raters", columns, rows, notes=(NOTE,), signature=str(full))


def _correlation_cells(frame: Frame, pairs: Sequence[ScoredSummary]) -> list[Cell]:
    table = np.array([[-pair.error, pair.yes] for pair in pairs])
    correlation = spearman(table[:, 0], table[:, 1])
    if not correlation.defined:
        return [Cell(None, correlation.undefined, n=len(pairs)), Cell(None, correlation.undefined)]
    interval = cluster_bootstrap(
        table, [pair.source for pair in pairs], _spearman_of_rows, frame.replicates, frame.seed
    )
    p = permutation_p(table[:, 0], table[:, 1], SHUFFLES, frame.seed)
    return [Cell(correlation.value, low=interval.low, high=interval.high, n=len(pairs)), Cell(p)]


def _spearman_of_rows(rows: Floats) -> float:
    correlation = spearman(rows[:, 0], rows[:, 1])
    return float(correlation) if correlation.defined else float("nan")


def mean_ranks(values: Floats) -> Floats:
    """Ranks from 1; ties get their mean rank."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2)[places])


def spearman(first: Floats, second: Floats) -> Value:
    """Spearman's rank correlation; undefined for fewer than three points or where one side is constant."""
    if len(first) < 3:
        return Value.none(f"only {len(first)} summaries")
    a, b = mean_ranks(first), mean_ranks(second)
    a, b = a - a.mean(), b - b.mean()
    below = float(np.sqrt((a * a).sum() * (b * b).sum()))
    if below == 0:
        return Value.none("all scores, or all answers, are the same")
    return Value.of(float((a * b).sum()) / below)


def permutation_p(first: Floats, second: Floats, shuffles: int, seed: int) -> float:
    """Two-sided permutation p value of the correlation: (1 + shuffles at least as far from 0) / (1 + shuffles)."""
    a, b = mean_ranks(first), mean_ranks(second)
    a, b = a - a.mean(), b - b.mean()
    observed = abs(float((a * b).sum()))
    rng = np.random.default_rng(seed)
    as_far = 0
    for start in range(0, shuffles, 500):
        block = rng.permuted(np.tile(a, (min(500, shuffles - start), 1)), axis=1)
        as_far += int((np.abs(block @ b) >= observed * (1 - 1e-12)).sum())
    return (1 + as_far) / (1 + shuffles)


def largest_gaps(pairs: Sequence[ScoredSummary], n: int = 20) -> list[ScoredSummary]:
    """The n summaries whose rank by score and rank by raters differ most, for manual inspection."""
    gaps: list[tuple[float, int]] = []
    for attribute in dict.fromkeys(pair.attribute for pair in pairs):
        places = [place for place, pair in enumerate(pairs) if pair.attribute == attribute]
        score = mean_ranks(np.array([-pairs[place].error for place in places])) / len(places)
        human = mean_ranks(np.array([pairs[place].yes for place in places])) / len(places)
        gaps += [(float(abs(a - b)), place) for a, b, place in zip(score, human, places, strict=True)]
    return [pairs[place] for _gap, place in sorted(gaps, key=lambda entry: (-entry[0], entry[1]))[:n]]

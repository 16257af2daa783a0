"""Do automatic scores say what raters say? Correlation per attribute, and the cases where they differ most.

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
class Pair:
    """One summary: its automatic error for an attribute, and what raters said of it. yes: share, 0 to 1."""

    attribute: str
    system: str
    sample: str
    source: str
    error: float
    yes: float


def correlation_table(frame: Frame, pairs: Sequence[Pair]) -> Table | None:
    """One row per attribute, all systems together, and one per attribute and system."""
    rows = []
    for attribute in dict.fromkeys(pair.attribute for pair in pairs):
        of_attribute = [pair for pair in pairs if pair.attribute == attribute]
        rows.append([Cell(attribute), Cell("all"), *_cells(frame, of_attribute)])
        for system in frame.systems:
            part = [pair for pair in of_attribute if pair.system == system]
            if part:
                rows.append([Cell(attribute), Cell(system), *_cells(frame, part)])
    if not rows:
        return None
    columns = [Column("Attribute", kind="text"), Column("System", kind="text")]
    columns += [Column("ρ", interval=True, count=True), Column("p", digits=4)]
    told = Signature("metric-human", VERSION, (("correlation", "spearman"), ("score", "-cer")))
    full = told.with_(n=len(pairs), shuffles=SHUFFLES, bootstrap=frame.replicates, seed=frame.seed)
    return Table("metric-human", "Automatic scores and raters", columns, rows, notes=(NOTE,), signature=str(full))


def _cells(frame: Frame, pairs: Sequence[Pair]) -> list[Cell]:
    table = np.array([[-pair.error, pair.yes] for pair in pairs])
    found = spearman(table[:, 0], table[:, 1])
    if not found.defined:
        return [Cell(None, found.undefined, n=len(pairs)), Cell(None, found.undefined)]
    interval = cluster_bootstrap(table, [pair.source for pair in pairs], _of_rows, frame.replicates, frame.seed)
    p = permutation_p(table[:, 0], table[:, 1], SHUFFLES, frame.seed)
    return [Cell(found.value, low=interval.low, high=interval.high, n=len(pairs)), Cell(p)]


def _of_rows(rows: Floats) -> float:
    found = spearman(rows[:, 0], rows[:, 1])
    return float(found) if found.defined else float("nan")


def ranks(values: Floats) -> Floats:
    """Ranks from 1; equal values share the mean of theirs."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2)[places])


def spearman(first: Floats, second: Floats) -> Value:
    """Spearman's rank correlation; undefined for fewer than three points or where one side is constant."""
    if len(first) < 3:
        return Value.none(f"only {len(first)} summaries")
    a, b = ranks(first), ranks(second)
    a, b = a - a.mean(), b - b.mean()
    below = float(np.sqrt((a * a).sum() * (b * b).sum()))
    if below == 0:
        return Value.none("all scores, or all answers, are the same")
    return Value.of(float((a * b).sum()) / below)


def permutation_p(first: Floats, second: Floats, shuffles: int, seed: int) -> float:
    """Two-sided p of the correlation when the pairing is chance: (1 + as far from 0) / (1 + shuffles)."""
    a, b = ranks(first), ranks(second)
    a, b = a - a.mean(), b - b.mean()
    seen = abs(float((a * b).sum()))
    rng = np.random.default_rng(seed)
    as_far = 0
    for start in range(0, shuffles, 500):
        block = rng.permuted(np.tile(a, (min(500, shuffles - start), 1)), axis=1)
        as_far += int((np.abs(block @ b) >= seen * (1 - 1e-12)).sum())
    return (1 + as_far) / (1 + shuffles)


def most_apart(pairs: Sequence[Pair], n: int = 20) -> list[Pair]:
    """The summaries on which rank by score and rank by raters differ most, for reading."""
    found: list[tuple[float, int]] = []
    for attribute in dict.fromkeys(pair.attribute for pair in pairs):
        places = [place for place, pair in enumerate(pairs) if pair.attribute == attribute]
        score = ranks(np.array([-pairs[place].error for place in places])) / len(places)
        human = ranks(np.array([pairs[place].yes for place in places])) / len(places)
        found += [(float(abs(a - b)), place) for a, b, place in zip(score, human, places, strict=True)]
    return [pairs[place] for _gap, place in sorted(found, key=lambda each: (-each[0], each[1]))[:n]]

"""Correlation of automatic scores with raters' answers per attribute, and the summaries on which they differ most.

A score here is the sample's CER for the attribute, so the correlation is between closeness (-CER) and the share of
raters who said yes. Source of the rank correlation with ties: Kendall (1945), "The treatment of ties in ranking
problems" (tau-b); Spearman as Pearson's correlation of mean ranks.

Summaries of one source are not independent, so p treats each source as one: rho is a sum of what each source adds to
it, and under the null hypothesis what a source adds is as likely to be negative as positive. p is the share of ways to
change these signs that give a correlation as far from 0. Source: Hemerik, Goeman and Finos (2020), "Robust testing in
generalized linear models by sign flipping score contributions", JRSS B 82 (3). `python -m benchmarks.simulation`
measures how often the p of unrelated numbers is below .05.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from epitome.agreement.scales import Floats
from epitome.figures.tables import Cell, Column, Table
from epitome.measures import Signature, Value
from epitome.metrics.bootstrap import expanded_bootstrap
from epitome.metrics.significance import holm, sign_flip_test
from epitome.reports.answers import Frame
from epitome.reports.cells import few_sources_notes, value_cell

VERSION = "2"
FLIPS = 10_000
NOTE = (
    "Spearman's ρ between -CER of a summary and the share of raters who said yes. p: two-sided, by flipping the signs "
    "of what whole sources add to ρ; Holm's correction over the rows of this table. 95 % interval by a bootstrap that "
    "draws whole sources."
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
    parts: list[tuple[str, str, Sequence[ScoredSummary]]] = []
    for attribute in dict.fromkeys(pair.attribute for pair in pairs):
        of_attribute = [pair for pair in pairs if pair.attribute == attribute]
        parts.append((attribute, "all", of_attribute))
        by_system = [(system, [pair for pair in of_attribute if pair.system == system]) for system in frame.systems]
        parts += [(attribute, system, subset) for system, subset in by_system if subset]
    if not parts:
        return None
    p_values = [_source_p(frame, subset) for _attribute, _system, subset in parts]
    adjusted = iter(holm([p_value.value for p_value in p_values if p_value.value is not None]))
    rows = [
        [
            Cell(attribute),
            Cell(system),
            _correlation_cell(frame, subset),
            value_cell(p_value),
            Cell(next(adjusted)) if p_value.defined else value_cell(p_value),
        ]
        for (attribute, system, subset), p_value in zip(parts, p_values, strict=True)
    ]
    columns = [Column("Attribute", kind="text"), Column("System", kind="text")]
    columns += [Column("ρ", interval=True, count=True), Column("p", digits=4), Column("Holm p", digits=4)]
    options = (("correlation", "spearman"), ("score", "-cer"), ("test", "sign-flips-of-sources"))
    full = Signature("metric-human", VERSION, options).with_(
        n=len(pairs), flips=FLIPS, bootstrap=frame.replicates, seed=frame.seed
    )
    notes = (NOTE, *few_sources_notes({pair.source for pair in pairs}))
    return Table("metric-human", "Automatic scores and raters", columns, rows, notes=notes, signature=str(full))


def _correlation_cell(frame: Frame, pairs: Sequence[ScoredSummary]) -> Cell:
    table = _score_table(pairs)
    correlation = spearman(table[:, 0], table[:, 1])
    if not correlation.defined:
        return Cell(None, correlation.undefined, n=len(pairs))
    sources = [pair.source for pair in pairs]
    interval = expanded_bootstrap(table, sources, _spearman_of_rows, frame.replicates, frame.seed)
    return Cell(correlation.value, low=interval.low, high=interval.high, n=len(pairs))


def _source_p(frame: Frame, pairs: Sequence[ScoredSummary]) -> Value:
    table = _score_table(pairs)
    return correlation_p(table[:, 0], table[:, 1], [pair.source for pair in pairs], FLIPS, frame.seed)


def _score_table(pairs: Sequence[ScoredSummary]) -> Floats:
    """Closeness and the share of yes, shape (pairs, 2)."""
    return np.array([[-pair.error, pair.yes] for pair in pairs])


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


def correlation_p(first: Floats, second: Floats, sources: Sequence[Hashable], flips: int, seed: int) -> Value:
    """Two-sided p of Spearman's correlation, each source one unit; first, second: (n,), sources: of each of them.

    Up to 20 sources all ways to change signs are counted, with more `flips` random ones. Undefined where the
    correlation is, and for a single source.
    """
    correlation = spearman(first, second)
    if not correlation.defined:
        return correlation
    if len(set(sources)) < 2:
        return Value.none("only one source")
    a, b = mean_ranks(first), mean_ranks(second)
    products = (a - a.mean()) * (b - b.mean())
    return sign_flip_test(products.tolist(), sources, flips, seed).p_value

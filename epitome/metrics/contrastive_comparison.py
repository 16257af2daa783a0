"""Which of two models dodges more contrastives of the same tuples: a permutation test that swaps whole sources.

The contrastives of a source's golds are swapped and drawn together. Sources: Fisher (1935) for the permutation, as in
`significance.paired_permutation`; expanded percentiles of a bootstrap for the interval; Holm (1979) over rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from epitome.agreement.intervals import expanded_level
from epitome.measures import Signature, Value
from epitome.metrics.bootstrap import DEFAULT_SEED, Floats, Interval, middle_interval, replicates_of_ratios
from epitome.metrics.contrastive_scores import order_rules
from epitome.metrics.scored_tuples import Bools, ScoredTuples, match_contrastives
from epitome.metrics.significance import REPLICATES, flip_sums, holm

VERSION = "2"
MAX_DRAWS = 2 * 10**7
"""Sources drawn over all replicates: fewer replicates for many, 2,000 for 10,000, which take a second."""
FEWEST_REPLICATES = 1000


@dataclass(frozen=True)
class ShareDifference:
    """One share in percent of both models, first minus second. tuples, sources: that have such contrastives; n:
    contrastives, or tuples for the escaped share. holm_p: of a rule, corrected for the number of rules; else p_value.
    """

    first: Value
    second: Value
    difference: Value
    interval: Interval
    p_value: Value
    holm_p: Value
    tuples: int
    n: int
    sources: int = 0


@dataclass(frozen=True)
class ContrastiveComparison:
    """Over the contrastives that both models scored."""

    dodged: ShareDifference
    escaped: ShareDifference
    by_rule: dict[str, ShareDifference]
    signature: Signature


@dataclass(frozen=True)
class _Column:
    """Per tuple: what counts for either model, and out of how many."""

    first: Floats
    second: Floats
    below: Floats


def compare_models(
    first: ScoredTuples, second: ScoredTuples, replicates: int | None = None, seed: int = DEFAULT_SEED
) -> ContrastiveComparison:
    """Differences of dodged % and escaped %, overall and by rule, two-sided p-values and 95 % intervals.

    Only tuples and contrastives that both models scored count. replicates: 10,000 by default, fewer for more than
    2,000 sources (MAX_DRAWS). p: the models' answers are swapped by whole sources, in all ways for up to 20 sources
    that differ, else (1 + as far from 0 as seen) / (1 + replicates). Values are undefined without a shared contrastive;
    p and interval also with a single source. Raises ValueError for replicates < 1.
    """
    ours, theirs = match_contrastives(first, second)
    if replicates is None:
        n_sources = int(ours.source_codes.max(initial=-1)) + 1
        replicates = min(REPLICATES, max(FEWEST_REPLICATES, MAX_DRAWS // max(1, n_sources)))
    if replicates < 1:
        raise ValueError(f"replicates is {replicates}: give at least 1, usually {REPLICATES}")
    rules = order_rules(ours.rules[number] for number in np.unique(ours.rule))
    everything = np.ones(len(ours.tuples), dtype=np.bool_)
    columns = [_count_dodged(ours, theirs, everything), _count_escaped(ours, theirs)]
    columns += [_count_dodged(ours, theirs, ours.rule == ours.rules.index(rule)) for rule in rules]
    dodged, escaped, *of_rules = _test_columns(ours, columns, replicates, seed)
    has_any = ours.count_contrastives() > 0
    n_tuples, n_units = int(has_any.sum()), len(np.unique(ours.source_codes[has_any]))
    options = (("ties", "not-dodged"), ("holm", "rules"), ("test", "sign-flips"), ("clusters", ours.drawn))
    signature = Signature("contrastive-difference", VERSION, options)
    return ContrastiveComparison(
        dodged,
        escaped,
        dict(zip(rules, _correct_rules(of_rules), strict=True)),
        signature.with_(
            n=len(ours.tuples), **{"tuples": n_tuples, ours.drawn: n_units}, replicates=replicates, seed=seed
        ),
    )


def _count_dodged(ours: ScoredTuples, theirs: ScoredTuples, chosen: Bools) -> _Column:
    first, second = (ours.count_by_tuple(chosen & scored.dodged) for scored in (ours, theirs))
    return _Column(first, second, ours.count_by_tuple(chosen))


def _count_escaped(ours: ScoredTuples, theirs: ScoredTuples) -> _Column:
    has_any = ours.count_contrastives() > 0
    first, second = ((has_any & (scored.count_failures() == 0)).astype(float) for scored in (ours, theirs))
    return _Column(first, second, has_any.astype(float))


def _test_columns(ours: ScoredTuples, columns: Sequence[_Column], replicates: int, seed: int) -> list[ShareDifference]:
    above, below = (
        ours.sum_by_source(np.stack(rows, axis=1))
        for rows in ([column.first - column.second for column in columns], [column.below for column in columns])
    )
    drawn = 100 * replicates_of_ratios(above, below, replicates, seed) if len(above) else np.empty((0, len(columns)))
    return [
        _test_column(column, above[:, index], below[:, index], drawn[:, index], replicates, seed)
        for index, column in enumerate(columns)
    ]


def _test_column(
    column: _Column, above: Floats, below: Floats, drawn: Floats, replicates: int, seed: int
) -> ShareDifference:
    """above, below: (sources,) what each source adds to the difference of the counts, and to that out of which."""
    total, tuples, sources = float(below.sum()), int(np.count_nonzero(column.below)), int(np.count_nonzero(below))
    if not total:
        none = Value.none("no contrastive was scored by both")
        interval = Interval(None, None, replicates, seed, 0.95, 0, none.undefined)
        return ShareDifference(none, none, none, interval, none, none, 0, 0)
    first, second = (100 * float(counts.sum()) / total for counts in (column.first, column.second))
    shares = (Value.of(first), Value.of(second), Value.of(100 * float(above.sum()) / total))
    if sources < 2:
        none = Value.none("only one source, so nothing to draw from")
        interval = Interval(None, None, replicates, seed, 0.95, sources, none.undefined)
        return ShareDifference(*shares, interval, none, none, tuples, int(total), sources)
    p_value = Value.of(flip_sums(above, replicates, seed)[0])
    interval = replace(middle_interval(drawn, clusters=sources, seed=seed, level=expanded_level(sources)), level=0.95)
    return ShareDifference(*shares, interval, p_value, p_value, tuples, int(total), sources)


def _correct_rules(rows: Sequence[ShareDifference]) -> list[ShareDifference]:
    """The same with Holm's correction; rows without a p-value are no test."""
    corrected = iter(holm([row.p_value.value for row in rows if row.p_value.value is not None]))
    return [replace(row, holm_p=Value.of(next(corrected))) if row.p_value.defined else row for row in rows]

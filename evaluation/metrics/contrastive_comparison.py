"""Which of two models dodges more contrastives of the same tuples: a paired bootstrap over tuples.

The contrastives of one gold stand and fall together, so whole tuples are drawn. Sources: Koehn (2004) for the paired
bootstrap, with replicates centred on the seen difference as in `significance.paired_bootstrap`; Holm (1979) over rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from annotation.measures import Signature, Value
from evaluation.agreement.intervals import expanded_level
from evaluation.metrics.bootstrap import DEFAULT_SEED, Floats, Interval, middle_interval, replicates_of_ratios
from evaluation.metrics.contrastive import order_rules
from evaluation.metrics.scored_tuples import Bools, ScoredTuples, match_contrastives
from evaluation.metrics.significance import REPLICATES, ROUNDING, holm

VERSION = "1"
MAX_DRAWS = 2 * 10**7
"""Tuples drawn over all replicates: fewer replicates for many tuples, 2,000 for 10,000, which take a second."""
FEWEST_REPLICATES = 1000


@dataclass(frozen=True)
class ShareDifference:
    """One share in percent of both models, first minus second. tuples: that have such contrastives; n: contrastives,
    or tuples for the escaped share. holm_p: of a rule, corrected for the number of rules; else the same as p_value."""

    first: Value
    second: Value
    difference: Value
    interval: Interval
    p_value: Value
    holm_p: Value
    tuples: int
    n: int


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
    2,000 tuples (MAX_DRAWS). p = (1 + replicates at least as far from the seen difference as that is from 0) /
    (1 + replicates); all shares come from the same draws. Values are undefined without a shared contrastive; p and
    interval also with a single tuple. Raises ValueError for replicates < 1.
    """
    ours, theirs = match_contrastives(first, second)
    if replicates is None:
        replicates = min(REPLICATES, max(FEWEST_REPLICATES, MAX_DRAWS // max(1, len(ours.keys))))
    if replicates < 1:
        raise ValueError(f"replicates is {replicates}: give at least 1, usually {REPLICATES}")
    rules = order_rules(ours.rules[number] for number in np.unique(ours.rule))
    everything = np.ones(len(ours.tuples), dtype=np.bool_)
    columns = [_count_dodged(ours, theirs, everything), _count_escaped(ours, theirs)]
    columns += [_count_dodged(ours, theirs, ours.rule == ours.rules.index(rule)) for rule in rules]
    dodged, escaped, *of_rules = _test_columns(columns, replicates, seed)
    n_tuples = int(np.count_nonzero(ours.count_contrastives()))
    signature = Signature("contrastive-difference", VERSION, (("ties", "not-dodged"), ("holm", "rules")))
    return ContrastiveComparison(
        dodged,
        escaped,
        dict(zip(rules, _correct_rules(of_rules), strict=True)),
        signature.with_(n=len(ours.tuples), tuples=n_tuples, replicates=replicates, seed=seed),
    )


def _count_dodged(ours: ScoredTuples, theirs: ScoredTuples, chosen: Bools) -> _Column:
    first, second = (ours.count_by_tuple(chosen & scored.dodged) for scored in (ours, theirs))
    return _Column(first, second, ours.count_by_tuple(chosen))


def _count_escaped(ours: ScoredTuples, theirs: ScoredTuples) -> _Column:
    has_any = ours.count_contrastives() > 0
    first, second = ((has_any & (scored.count_failures() == 0)).astype(float) for scored in (ours, theirs))
    return _Column(first, second, has_any.astype(float))


def _test_columns(columns: Sequence[_Column], replicates: int, seed: int) -> list[ShareDifference]:
    above = np.stack([column.first - column.second for column in columns], axis=1)
    below = np.stack([column.below for column in columns], axis=1)
    drawn = 100 * replicates_of_ratios(above, below, replicates, seed) if len(above) else None
    return [
        _test_column(column, drawn[:, place] if drawn is not None else np.empty(0), replicates, seed)
        for place, column in enumerate(columns)
    ]


def _test_column(column: _Column, drawn: Floats, replicates: int, seed: int) -> ShareDifference:
    total, tuples = float(column.below.sum()), int(np.count_nonzero(column.below))
    if not total:
        none = Value.none("no contrastive was scored by both")
        interval = Interval(None, None, replicates, seed, 0.95, 0, none.undefined)
        return ShareDifference(none, none, none, interval, none, none, 0, 0)
    first, second = (100 * float(counts.sum()) / total for counts in (column.first, column.second))
    difference = 100 * float((column.first - column.second).sum()) / total
    shares = (Value.of(first), Value.of(second), Value.of(difference))
    if tuples < 2:
        none = Value.none("only one tuple, so nothing to draw from")
        interval = Interval(None, None, replicates, seed, 0.95, tuples, none.undefined)
        return ShareDifference(*shares, interval, none, none, tuples, int(total))
    defined = drawn[np.isfinite(drawn)]
    as_far = int(np.sum(np.abs(defined - difference) >= abs(difference) - 100 * ROUNDING))
    p_value = Value.of((1 + as_far) / (1 + len(defined)))
    interval = replace(middle_interval(drawn, clusters=tuples, seed=seed, level=expanded_level(tuples)), level=0.95)
    return ShareDifference(*shares, interval, p_value, p_value, tuples, int(total))


def _correct_rules(rows: Sequence[ShareDifference]) -> list[ShareDifference]:
    """The same with Holm's correction; rows without a p-value are no test."""
    corrected = iter(holm([row.p_value.value for row in rows if row.p_value.value is not None]))
    return [replace(row, holm_p=Value.of(next(corrected))) if row.p_value.defined else row for row in rows]

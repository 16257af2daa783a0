"""Whether a model prefers a gold summary to damaged ones (contrastives): dodged and escaped shares.

Definitions: Kumar and Cheung, "Understanding the Behaviour of Neural Abstractive Summarizers using Contrastive
Examples", NAACL 2019. Shares are in percent, as the paper gives them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal

import numpy as np

from annotation.measures import Value
from evaluation.metrics.aggregate import Aggregate
from evaluation.metrics.bootstrap import (
    DEFAULT_REPLICATES,
    DEFAULT_SEED,
    Floats,
    Interval,
    middle_interval,
    replicates_of_ratios,
)
from evaluation.metrics.draws import result_of
from evaluation.metrics.scored_tuples import Bools, ScoredTuples

VERSION = "2"
RULES = ("G-N", "G-P", "G-V", "G-A", "S-N", "S-P", "S-V", "S-A")
"""Gold (two words of the summary swapped) or Source (a word of the source put in); Noun, Preposition, Verb,
Adjective."""
LAST_BAR = 20
"""The last bar of the histogram holds tuples with this many failures or more."""
LEVEL = 0.95

ScoreKind = Literal["sum", "mean"]


@dataclass(frozen=True)
class Case:
    """One (source, gold) tuple as a model scored it: the gold, and (rule, score) of each contrastive."""

    key: Hashable
    gold: float
    contrastives: Sequence[tuple[str, float]]


@dataclass(frozen=True)
class RuleResult:
    """One rule: contrastives dodged (percent), tuples that have such contrastives, tuples with >= 1 not dodged."""

    dodged: Aggregate
    tuples: int
    tuples_failed: int


@dataclass(frozen=True)
class ContrastiveReport:
    """All rules. `failures`: tuples with 0, 1, ... 19, 20 or more contrastives not dodged; `empty`: tuples with none
    at all, which count nowhere."""

    dodged: Aggregate
    escaped: Aggregate
    by_rule: dict[str, RuleResult]
    failures: tuple[int, ...]
    empty: int


def contrastive_report(
    cases: Iterable[Case],
    score: ScoreKind = "sum",
    replicates: int = DEFAULT_REPLICATES,
    seed: int = DEFAULT_SEED,
) -> ContrastiveReport:
    """Dodged % over (source, gold, contrastive) triples, overall and per rule; escaped % over (source, gold) tuples.

    A contrastive is dodged when the gold scores higher; a tie is not dodged. A tuple escapes when all of its
    contrastives, at least one, are dodged. `score` names how the scores were made, for the signature; intervals draw
    tuples. Rules in the order of `RULES`, others after them by name.
    Raises ValueError for a score that is not a finite number and for a duplicate key.
    """
    return report_scores(_build_columns(cases), score, replicates, seed)


def report_scores(
    scored: ScoredTuples, score: ScoreKind = "sum", replicates: int = DEFAULT_REPLICATES, seed: int = DEFAULT_SEED
) -> ContrastiveReport:
    """`contrastive_report` of scores that are columns already. All intervals come from the same draws of tuples."""
    dodged, fails, sizes = scored.dodged, scored.count_failures(), scored.count_contrastives()
    rules = order_rules(scored.rules)
    masks: list[Bools] = [np.ones(len(dodged), dtype=np.bool_)]
    masks += [scored.rule == scored.rules.index(rule) for rule in rules]
    above = [scored.count_by_tuple(mask & dodged) for mask in masks]
    below = [scored.count_by_tuple(mask) for mask in masks]
    above.append(((fails == 0) & (sizes > 0)).astype(float))
    below.append((sizes > 0).astype(float))
    options: dict[str, Any] = {"score": score, "ties": "not-dodged"}
    values, intervals = _draw_shares(np.stack(above, axis=1), np.stack(below, axis=1), replicates, seed)
    counts = [int(column.sum()) for column in below]
    results = [
        result_of("dodged", VERSION, value, interval, n=n, rule=rule, **options)
        for rule, value, interval, n in zip(["all", *rules], values, intervals, counts, strict=False)
    ]
    return ContrastiveReport(
        dodged=results[0],
        escaped=result_of("escaped", VERSION, values[-1], intervals[-1], n=counts[-1], **options),
        by_rule={
            rule: RuleResult(
                results[place],
                int(np.count_nonzero(below[place])),
                int(np.count_nonzero(below[place] > above[place])),
            )
            for place, rule in enumerate(rules, 1)
        },
        failures=failure_histogram(fails[sizes > 0].tolist()),
        empty=int((sizes == 0).sum()),
    )


def _draw_shares(above: Floats, below: Floats, replicates: int, seed: int) -> tuple[list[Value], list[Interval]]:
    """Per column 100 * sum(above) / sum(below), and its interval; columns: one row per tuple."""
    if replicates < 1:
        raise ValueError(f"replicates is {replicates}: give at least 1, usually 1000")
    drawn = 100 * replicates_of_ratios(above, below, replicates, seed) if len(above) else np.empty((0, above.shape[1]))
    values, intervals = [], []
    for place in range(above.shape[1]):
        clusters = int(np.count_nonzero(below[:, place]))
        total = float(below[:, place].sum())
        values.append(Value.of(100 * float(above[:, place].sum()) / total) if total else Value.none("no samples"))
        if clusters < 2:
            why = "only one source, so nothing to draw from" if clusters else "no values"
            intervals.append(Interval(None, None, replicates, seed, LEVEL, clusters, why))
        else:
            intervals.append(middle_interval(drawn[:, place], clusters=clusters, seed=seed, level=LEVEL))
    return values, intervals


def _build_columns(cases: Iterable[Case]) -> ScoredTuples:
    numbers: dict[str, int] = {}
    seen: set[Hashable] = set()
    golds: list[float] = []
    tuples: list[int] = []
    rules: list[int] = []
    scores: list[float] = []
    for number, case in enumerate(cases):
        if case.key in seen:
            raise ValueError(f"tuple {case.key} stands twice: give each once, with all its contrastives")
        seen.add(case.key)
        _check_finite(case.gold, case.key, "the gold")
        golds.append(case.gold)
        for rule, score in case.contrastives:
            _check_finite(score, case.key, f"a contrastive of {rule}")
            tuples.append(number)
            rules.append(numbers.setdefault(rule, len(numbers)))
            scores.append(score)
    return ScoredTuples(
        keys=np.arange(len(golds), dtype=np.int64),
        gold=np.array(golds, dtype=float),
        tuples=np.array(tuples, dtype=np.int64),
        contrastives=np.arange(len(tuples), dtype=np.int64),
        rule=np.array(rules, dtype=np.int64),
        scores=np.array(scores, dtype=float),
        rules=tuple(numbers),
    )


def _check_finite(score: float, key: Hashable, label: str) -> None:
    if not isfinite(score):
        raise ValueError(f"tuple {key}: {label} has the score {score}: give a finite number")


def order_rules(rules: Iterable[str]) -> list[str]:
    """Those of `RULES` in their order, then others by name."""
    present = set(rules)
    return [rule for rule in RULES if rule in present] + sorted(present.difference(RULES))


def failure_histogram(failures: Iterable[int]) -> tuple[int, ...]:
    """21 counts from failures per tuple: tuples with 0, 1, ... 19 failures, and with 20 or more."""
    bars = [0] * (LAST_BAR + 1)
    for number in failures:
        bars[min(number, LAST_BAR)] += 1
    return tuple(bars)

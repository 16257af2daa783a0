"""Whether a model prefers a gold summary to damaged ones (contrastives): dodged and escaped shares.

Definitions: Kumar and Cheung, "Understanding the Behaviour of Neural Abstractive Summarizers using Contrastive
Examples", NAACL 2019. Shares are in percent, as the paper gives them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Literal

import numpy as np

from epitome.agreement.design_effect import estimate_coded
from epitome.measures import Signature, Value
from epitome.metrics.aggregate import Aggregate
from epitome.metrics.bootstrap import Interval, Ints, cluster_codes
from epitome.metrics.scored_tuples import Bools, ScoredTuples

VERSION = "3"
RULES = ("G-N", "G-P", "G-V", "G-A", "S-N", "S-P", "S-V", "S-A")
"""Gold (two words of the summary swapped) or Source (a word of the source put in); Noun, Preposition, Verb,
Adjective."""
LAST_BAR = 20
"""The last bar of the histogram holds tuples with this many failures or more."""
LEVEL = 0.95

ScoreKind = Literal["sum", "mean"]


@dataclass(frozen=True)
class Case:
    """One (source, gold) tuple as a model scored it: the gold, and (rule, score) of each contrastive. source: where
    several tuples may have one; given for all cases or for none."""

    key: Hashable
    gold: float
    contrastives: Sequence[tuple[str, float]]
    source: Hashable | None = None


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


def contrastive_report(cases: Iterable[Case], score: ScoreKind = "sum") -> ContrastiveReport:
    """Dodged % over (source, gold, contrastive) triples, overall and per rule; escaped % over (source, gold) tuples.

    A contrastive is dodged when the gold scores higher; a tie is not dodged. A tuple escapes when all of its
    contrastives, at least one, are dodged. `score` names how the scores were made, for the signature. Intervals are
    Wilson's on the effective number of contrastives (or tuples), whose sources belong together; where no source is
    given, each tuple is one. Rules in the order of `RULES`, others after them by name.
    Raises ValueError for a score that is not a finite number, a duplicate key, and sources of some cases only.
    """
    return report_scores(_build_columns(cases), score)


def report_scores(scored: ScoredTuples, score: ScoreKind = "sum") -> ContrastiveReport:
    """`contrastive_report` of scores that are columns already."""
    dodged, fails, sizes = scored.dodged, scored.count_failures(), scored.count_contrastives()
    rules = order_rules(scored.rules)
    masks: list[Bools] = [np.ones(len(dodged), dtype=np.bool_)]
    masks += [scored.rule == scored.rules.index(rule) for rule in rules]
    above = [scored.count_by_tuple(mask & dodged) for mask in masks]
    below = [scored.count_by_tuple(mask) for mask in masks]
    codes, options = scored.source_codes, {"score": score, "ties": "not-dodged", "clusters": scored.drawn}
    of_contrastives = codes[scored.tuples]
    results = [
        _share_of("dodged", dodged[mask], of_contrastives[mask], {"rule": rule, **options})
        for rule, mask in zip(["all", *rules], masks, strict=True)
    ]
    return ContrastiveReport(
        dodged=results[0],
        escaped=_share_of("escaped", (fails == 0)[sizes > 0], codes[sizes > 0], options),
        by_rule={
            rule: RuleResult(
                results[position],
                int(np.count_nonzero(below[position])),
                int(np.count_nonzero(below[position] > above[position])),
            )
            for position, rule in enumerate(rules, 1)
        },
        failures=failure_histogram(fails[sizes > 0].tolist()),
        empty=int((sizes == 0).sum()),
    )


def _share_of(name: str, flags: Bools, sources: Ints, options: Mapping[str, str]) -> Aggregate:
    """100 times the share of true flags. sources: of each."""
    n_sources = len(np.unique(sources))
    signature = Signature(name, VERSION, tuple(options.items())).with_(n=len(flags), interval="wilson")
    signature = signature.with_(**{options["clusters"]: n_sources})
    if not len(flags):
        interval = Interval(None, None, 0, 0, LEVEL, 0, "no values")
        return Aggregate(Value.none("no samples"), interval, 0, 0, signature)
    share = estimate_coded(flags.astype(float), sources)
    value = Value.of(100 * float(share.value))
    low, high = share.interval.low, share.interval.high
    if n_sources < 2 or low is None or high is None:
        interval = Interval(None, None, 0, 0, LEVEL, n_sources, "only one source, so nothing says how sources differ")
    else:
        interval = Interval(100 * low, 100 * high, 0, 0, LEVEL, n_sources)
    return Aggregate(value, interval, len(flags), 0, signature)


def _build_columns(cases: Iterable[Case]) -> ScoredTuples:
    numbers: dict[str, int] = {}
    seen: set[Hashable] = set()
    golds: list[float] = []
    tuples: list[int] = []
    rules: list[int] = []
    scores: list[float] = []
    sources: list[Hashable | None] = []
    for index, case in enumerate(cases):
        if case.key in seen:
            raise ValueError(f"tuple {case.key} stands twice: give each once, with all its contrastives")
        seen.add(case.key)
        _check_finite(case.gold, case.key, "the gold")
        golds.append(case.gold)
        sources.append(case.source)
        for rule, score in case.contrastives:
            _check_finite(score, case.key, f"a contrastive of {rule}")
            tuples.append(index)
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
        sources=_number_sources(sources),
    )


def _number_sources(sources: Sequence[Hashable | None]) -> Ints | None:
    if not any(source is not None for source in sources):
        return None
    if None in sources:
        raise ValueError(f"case {sources.index(None)} has no source, others have: give the source of every case")
    return cluster_codes(sources, len(sources))


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

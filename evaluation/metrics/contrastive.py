"""Whether a model prefers a gold summary to damaged ones (contrastives): dodged and escaped shares.

Definitions: Kumar and Cheung, "Understanding the Behaviour of Neural Abstractive Summarizers using Contrastive
Examples", NAACL 2019. Shares are in percent, as the paper gives them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from math import fsum, isfinite
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from annotation.measures import Value
from evaluation.metrics.aggregate import Aggregate
from evaluation.metrics.bootstrap import DEFAULT_REPLICATES, DEFAULT_SEED
from evaluation.metrics.draws import Draws, mean_of

VERSION = "1"
RULES = ("G-N", "G-P", "G-V", "G-A", "S-N", "S-P", "S-V", "S-A")
"""Gold (two words of the summary swapped) or Source (a word of the source put in); Noun, Preposition, Verb,
Adjective."""
LAST_BAR = 20
"""The last bar of the histogram holds tuples with this many failures or more."""

ScoreKind = Literal["sum", "mean"]


def sequence_score(log_probabilities: Sequence[float], kind: ScoreKind = "sum") -> Value:
    """The score of a summary from its tokens' log-probabilities (natural log).

    "sum" is the paper's s(y), the log-probability of the whole; "mean" per token, because a rule can change how many
    tokens a summary has. Undefined without tokens. Raises ValueError for a log-probability that is not a number or
    above 0, and for another kind.
    """
    for place, number in enumerate(log_probabilities):
        if not number <= 0 or not isfinite(number):
            raise ValueError(f"log-probability {place} is {number}: give finite numbers, at most 0")
    if kind not in ("sum", "mean"):
        raise ValueError(f"score {kind!r}: give sum or mean")
    if not log_probabilities:
        return Value.none("no tokens")
    total = fsum(log_probabilities)
    return Value.of(total if kind == "sum" else total / len(log_probabilities))


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
    table = _build_table(cases)
    draws = Draws(replicates=replicates, seed=seed)
    fails = np.bincount(table.tuples, weights=~table.dodged, minlength=table.n_tuples).astype(np.int64)
    sizes = np.bincount(table.tuples, minlength=table.n_tuples)
    options = {"score": score, "ties": "not-dodged"}
    escaped = [100.0 * escape for escape in (fails[sizes > 0] == 0).tolist()]
    return ContrastiveReport(
        dodged=_dodged_share(table, np.ones(len(table.dodged), dtype=np.bool_), draws, rule="all", **options),
        escaped=mean_of("escaped", VERSION, escaped, draws, **options),
        by_rule={rule: _rule_result(table, rule, draws, options) for rule in _order_rules(table.rules)},
        failures=failure_histogram(fails[sizes > 0].tolist()),
        empty=int((sizes == 0).sum()),
    )


@dataclass(frozen=True)
class _Table:
    """All triples as columns: index of the tuple, index of the rule in `rules`, whether it was dodged."""

    tuples: NDArray[np.int64]
    rule: NDArray[np.int64]
    dodged: NDArray[np.bool_]
    rules: list[str]
    n_tuples: int


def _build_table(cases: Iterable[Case]) -> _Table:
    numbers: dict[str, int] = {}
    seen: set[Hashable] = set()
    tuples: list[int] = []
    rules: list[int] = []
    dodged: list[bool] = []
    for number, case in enumerate(cases):
        if case.key in seen:
            raise ValueError(f"tuple {case.key} stands twice: give each once, with all its contrastives")
        seen.add(case.key)
        _check_finite(case.gold, case.key, "the gold")
        for rule, score in case.contrastives:
            _check_finite(score, case.key, f"a contrastive of {rule}")
            tuples.append(number)
            rules.append(numbers.setdefault(rule, len(numbers)))
            dodged.append(case.gold > score)
    columns = np.array(tuples, dtype=np.int64), np.array(rules, dtype=np.int64), np.array(dodged, dtype=np.bool_)
    return _Table(*columns, list(numbers), len(seen))


def _check_finite(score: float, key: Hashable, label: str) -> None:
    if not isfinite(score):
        raise ValueError(f"tuple {key}: {label} has the score {score}: give a finite number")


def _order_rules(rules: Iterable[str]) -> list[str]:
    present = set(rules)
    return [rule for rule in RULES if rule in present] + sorted(present.difference(RULES))


def _rule_result(table: _Table, rule: str, draws: Draws, options: dict[str, str]) -> RuleResult:
    chosen = table.rule == table.rules.index(rule)
    tuples = len(np.unique(table.tuples[chosen]))
    failed = len(np.unique(table.tuples[chosen & ~table.dodged]))
    return RuleResult(_dodged_share(table, chosen, draws, rule=rule, **options), tuples, failed)


def _dodged_share(table: _Table, chosen: NDArray[np.bool_], draws: Draws, **options: str) -> Aggregate:
    values = (100.0 * table.dodged[chosen]).tolist()
    by_tuple = Draws(table.tuples[chosen].tolist(), draws.replicates, draws.seed)
    return mean_of("dodged", VERSION, values, by_tuple, **options)


def failure_histogram(failures: Iterable[int]) -> tuple[int, ...]:
    """21 counts from failures per tuple: tuples with 0, 1, ... 19 failures, and with 20 or more."""
    bars = [0] * (LAST_BAR + 1)
    for number in failures:
        bars[min(number, LAST_BAR)] += 1
    return tuple(bars)

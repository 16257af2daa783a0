"""Scores of (source, gold) tuples and their contrastives as columns, so that half a million take a second."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from epitome.metrics.bootstrap import Floats, Ints

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class ScoredTuples:
    """What one model gave to t tuples with c contrastives in all.

    keys, gold: (t,) id of each tuple, each once, and the score of its gold. tuples: (c,) index of a contrastive's
    tuple in `keys`; contrastives: (c,) its id; rule: (c,) index of its rule in `rules`; scores: (c,). sources: (t,) a
    number for the source of each tuple, which tests and intervals draw; None: each tuple has its own.
    """

    keys: Ints
    gold: Floats
    tuples: Ints
    contrastives: Ints
    rule: Ints
    scores: Floats
    rules: tuple[str, ...]
    sources: Ints | None = None

    @property
    def source_codes(self) -> Ints:
        """(t,) the source of each tuple as a number from 0 without gaps."""
        if self.sources is None:
            return np.arange(len(self.keys), dtype=np.int64)
        return np.unique(self.sources, return_inverse=True)[1].astype(np.int64)

    @property
    def drawn(self) -> str:
        """What intervals draw, for signatures: sources, or tuples where their sources are not known."""
        return "tuples" if self.sources is None else "sources"

    def sum_by_source(self, of_tuples: Floats) -> Floats:
        """(sources, p) the sums of rows (t, p)."""
        codes = self.source_codes
        n = int(codes.max(initial=-1)) + 1
        return np.stack([np.bincount(codes, weights=column, minlength=n) for column in of_tuples.T], axis=1)

    @property
    def dodged(self) -> Bools:
        """(c,) whether the gold scores higher; a tie is not dodged."""
        return np.asarray(self.gold[self.tuples] > self.scores)

    def count_by_tuple(self, chosen: Bools) -> Floats:
        """(t,) how many of the chosen contrastives each tuple has."""
        return np.bincount(self.tuples[chosen], minlength=len(self.keys)).astype(float)

    def count_contrastives(self) -> Ints:
        """(t,) contrastives of each tuple."""
        return np.bincount(self.tuples, minlength=len(self.keys)).astype(np.int64)

    def count_failures(self) -> Ints:
        """(t,) contrastives of each tuple that are not dodged."""
        return np.bincount(self.tuples[~self.dodged], minlength=len(self.keys)).astype(np.int64)

    def keep_contrastives(self, chosen: Bools) -> ScoredTuples:
        """The same tuples with only the chosen contrastives, (c,)."""
        columns = {name: getattr(self, name)[chosen] for name in ("tuples", "contrastives", "rule", "scores")}
        return replace(self, **columns)


class WorstTuple(NamedTuple):
    """A tuple that fails, with the contrastive that scored highest. Ids are those of `ScoredTuples`."""

    key: int
    gold: float
    failures: int
    n: int
    contrastive: int
    score: float


def find_worst_tuples(scored: ScoredTuples, n: int) -> list[WorstTuple]:
    """Up to n tuples with at least one failure: most failures first, then the largest lead of a contrastive."""
    if not len(scored.tuples):
        return []
    fails, sizes = scored.count_failures(), scored.count_contrastives()
    order = np.lexsort((scored.contrastives, -scored.scores, scored.tuples))
    filled, first = np.unique(scored.tuples[order], return_index=True)
    best = np.full(len(scored.keys), -1)
    best[filled] = order[first]
    lead = np.full(len(scored.keys), -np.inf)
    lead[filled] = scored.scores[best[filled]] - scored.gold[filled]
    ranked = np.lexsort((scored.keys, -lead, -fails))[:n]
    return [
        WorstTuple(
            int(scored.keys[index]),
            float(scored.gold[index]),
            int(fails[index]),
            int(sizes[index]),
            int(scored.contrastives[best[index]]),
            float(scored.scores[best[index]]),
        )
        for index in ranked
        if fails[index] > 0
    ]


def match_contrastives(first: ScoredTuples, second: ScoredTuples) -> tuple[ScoredTuples, ScoredTuples]:
    """Both with only the tuples and contrastives that both scored, in the same order. Rules are those of the first."""
    shared_keys = np.intersect1d(first.keys, second.keys)
    ours, theirs = (scored.contrastives[np.isin(scored.keys[scored.tuples], shared_keys)] for scored in (first, second))
    shared = np.intersect1d(ours, theirs)
    reordered = _reorder(first, shared_keys, shared)
    return reordered, replace(_reorder(second, shared_keys, shared), rule=reordered.rule, rules=reordered.rules)


def _reorder(scored: ScoredTuples, keys: Ints, contrastives: Ints) -> ScoredTuples:
    """Only these tuples and contrastives, both given in ascending order and present."""
    key_order = np.argsort(scored.keys, kind="stable")
    places = key_order[np.searchsorted(scored.keys, keys, sorter=key_order)]
    order = np.argsort(scored.contrastives, kind="stable")
    chosen = order[np.searchsorted(scored.contrastives, contrastives, sorter=order)]
    return ScoredTuples(
        keys=keys,
        gold=scored.gold[places],
        tuples=np.searchsorted(keys, scored.keys[scored.tuples[chosen]]),
        contrastives=contrastives,
        rule=scored.rule[chosen],
        scores=scored.scores[chosen],
        rules=scored.rules,
        sources=None if scored.sources is None else scored.sources[places],
    )

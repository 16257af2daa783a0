"""Rankings of candidate aggregations: average precision, recall, reciprocal rank, precision and NDCG.

Definitions: Jumel, Louis, Cheung, "TESA: A Task in Entity Semantic Aggregation for Abstractive Summarization",
EMNLP 2020, and the authors' released code (P@k and NDCG@k). Of candidates with the same score every order counts
alike: the metrics of a list are their exact expectation over these orders, so neither the order of the file nor a seed
decides. Source of that rule: McSherry and Najork, "Computing Information Retrieval Performance Measures Efficiently in
the Presence of Tied Scores", ECIR 2008.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb, log2

from epitome.measures import Value
from epitome.metrics.aggregate import Aggregate
from epitome.metrics.draws import BY_SAMPLE, Draws, check_same_length, mean_of

VERSION = "2"
LIST_SIZE = 24
NO_GOLD = "no gold candidate"
METRICS = ("ap", "recall", "rr", "precision", "ndcg")


class TooManyGolds(ValueError):
    """An instance has more golds than its list has places."""


@dataclass(frozen=True)
class Instance:
    """An entity tuple in its context: the entities' type and the distinct accepted aggregations."""

    key: str
    entity_type: str
    golds: tuple[str, ...]


@dataclass(frozen=True)
class RankingList:
    """Shuffled candidates of one instance and which of them are gold; shorter than asked where negatives ran out."""

    key: str
    candidates: tuple[str, ...]
    gold: tuple[bool, ...]


@dataclass(frozen=True)
class Scored:
    """One list as a system scored it. `n_gold`: all golds of the instance, which may exceed the marked ones."""

    key: str
    scores: Sequence[float]
    gold: Sequence[bool]
    n_gold: int | None = None


def ranking_lists(instances: Sequence[Instance], seed: int, size: int = LIST_SIZE) -> list[RankingList]:
    """One list per instance: its golds and negatives up to `size`, shuffled.

    Negatives are drawn uniformly without replacement from the distinct golds of the other given instances of the same
    type that are not gold here; where they are fewer, all are taken. An instance's list depends on the seed, its own
    key and the given instances, not on their order.
    Raises TooManyGolds, and ValueError for a duplicate key.
    """
    if len({instance.key for instance in instances}) != len(instances):
        raise ValueError("two instances have the same key: every list needs its own")
    answers: dict[str, set[str]] = {}
    for instance in instances:
        answers.setdefault(instance.entity_type, set()).update(instance.golds)
    pools = {kind: sorted(golds) for kind, golds in answers.items()}
    return [_build_list(instance, pools[instance.entity_type], seed, size) for instance in instances]


def _build_list(instance: Instance, pool: Sequence[str], seed: int, size: int) -> RankingList:
    golds = set(instance.golds)
    if len(golds) > size:
        raise TooManyGolds(f"instance {instance.key}: {len(golds)} golds do not fit into a list of {size}")
    draw = random.Random(f"{seed}:{instance.key}")
    negatives = [answer for answer in pool if answer not in golds]
    candidates = sorted(golds) + draw.sample(negatives, min(size - len(golds), len(negatives)))
    draw.shuffle(candidates)
    return RankingList(instance.key, tuple(candidates), tuple(candidate in golds for candidate in candidates))


@dataclass(frozen=True)
class TiedBlock:
    """Candidates with one and the same score. above: candidates with a better one, gold_above: golds among those."""

    size: int
    n_gold: int
    above: int
    gold_above: int

    def first_gold_shares(self) -> list[float]:
        """How likely the block's best gold is at its 1st, 2nd ... place, over all orders of the block; [] without."""
        places = range(1, self.size - self.n_gold + 2) if self.n_gold else ()
        return [comb(self.size - place, self.n_gold - 1) / comb(self.size, self.n_gold) for place in places]


def tied_blocks(scored: Scored) -> list[TiedBlock]:
    """The blocks of equal scores, best first; without ties every block has one candidate.

    Raises ValueError for a score that is NaN (infinite ones are fine: log 0) and for lists of unequal length.
    """
    check_same_length(scored.scores, scored.gold, f"scores of {scored.key}", "gold marks")
    for index, score in enumerate(scored.scores):
        if score != score:
            raise ValueError(f"{scored.key or 'list'}: score {index} is not a number")
    golds_by_score: dict[float, list[bool]] = {}
    for score, gold in zip(scored.scores, scored.gold, strict=True):
        golds_by_score.setdefault(score, []).append(gold)
    blocks, above, gold_above = [], 0, 0
    for score in sorted(golds_by_score, reverse=True):
        golds = golds_by_score[score]
        blocks.append(TiedBlock(len(golds), sum(golds), above, gold_above))
        above, gold_above = above + len(golds), gold_above + sum(golds)
    return blocks


def average_precision(ranks: Sequence[int], n_gold: int | None = None) -> Value:
    """AP in (0, 1]: mean over golds of (golds at this rank or better) / rank.

    ranks: ranks of the golds found, from 1; n_gold: all golds (those not found add 0), default: as many as ranks.
    Undefined without golds. Raises ValueError for ranks below 1, doubled ranks, more ranks than golds.
    """
    golds = _gold_count(ranks, n_gold)
    if not golds:
        return Value.none(NO_GOLD)
    return Value.of(sum(n_hits / rank for n_hits, rank in enumerate(sorted(ranks), 1)) / golds)


def recall_at(ranks: Sequence[int], k: int, n_gold: int | None = None) -> Value:
    """R@k in [0, 1]: the share of golds among the first k. Arguments as `average_precision`."""
    golds = _gold_count(ranks, n_gold)
    return Value.of(_count_top(ranks, k) / golds) if golds else Value.none(NO_GOLD)


def precision_at(ranks: Sequence[int], k: int, n_gold: int | None = None) -> Value:
    """P@k in [0, 1]: the share of golds in the first k places, over k also where the list is shorter."""
    return Value.of(_count_top(ranks, k) / k) if _gold_count(ranks, n_gold) else Value.none(NO_GOLD)


def reciprocal_rank(ranks: Sequence[int], n_gold: int | None = None) -> Value:
    """RR in [0, 1]: 1 / rank of the best gold, 0 where there are golds and none was found."""
    if not _gold_count(ranks, n_gold):
        return Value.none(NO_GOLD)
    return Value.of(1 / min(ranks) if ranks else 0.0)


def ndcg_at(ranks: Sequence[int], k: int, n_gold: int | None = None) -> Value:
    """NDCG@k in [0, 1]: gains of 1 discounted by log2(rank + 1), over those of a perfect ranking."""
    golds = _gold_count(ranks, n_gold)
    if not golds:
        return Value.none(NO_GOLD)
    _count_top(ranks, k)
    best = _discounted_gain(range(1, min(golds, k) + 1))
    return Value.of(_discounted_gain(rank for rank in sorted(ranks) if rank <= k) / best)


def _discounted_gain(ranks: Iterable[int]) -> float:
    return sum(1 / log2(rank + 1) for rank in ranks)


def _count_top(ranks: Sequence[int], k: int) -> int:
    if k < 1:
        raise ValueError(f"k is {k}: give 1 or more")
    return sum(rank <= k for rank in ranks)


def _gold_count(ranks: Sequence[int], n_gold: int | None) -> int:
    golds = len(ranks) if n_gold is None else n_gold
    if len(set(ranks)) != len(ranks) or any(rank < 1 for rank in ranks) or len(ranks) > golds:
        raise ValueError(f"ranks {list(ranks)[:10]} of {golds} golds: give distinct ranks from 1, at most one per gold")
    return golds


def list_metrics(scored: Scored, k: int = 10) -> dict[str, Value]:
    """The `METRICS` of one list: their expectation over all orders of tied candidates, exact; k from 1.

    Without ties these are the metrics of the golds' ranks. Undefined without golds. Raises ValueError as `tied_blocks`,
    and for fewer golds than are marked.
    """
    if k < 1:
        raise ValueError(f"k is {k}: give 1 or more")
    blocks = tied_blocks(scored)
    marked = sum(block.n_gold for block in blocks)
    golds = marked if scored.n_gold is None else scored.n_gold
    if golds < marked:
        raise ValueError(f"{scored.key}: {marked} golds are marked and {golds} are said to exist")
    if not golds:
        return {name: Value.none(NO_GOLD) for name in METRICS}
    gold_chances = [block.n_gold / block.size for block in blocks for _place in range(block.size)]
    best_gain = _discounted_gain(range(1, min(golds, k) + 1))
    hits = sum(gold_chances[:k])
    gain = sum(chance / log2(rank + 1) for rank, chance in enumerate(gold_chances[:k], 1))
    expected = (_expected_precision_sum(blocks) / golds, hits / golds, _expected_rr(blocks), hits / k, gain / best_gain)
    return dict(zip(METRICS, map(Value.of, expected), strict=True))


def reciprocal_mean_rank(scored: Scored) -> Value:
    """1 over the mean rank of the golds, in (0, 1]; tied candidates have the mean rank of their block.

    Undefined without golds, and where one of them is not in the list. Raises ValueError as `tied_blocks`.
    """
    blocks = tied_blocks(scored)
    marked = sum(block.n_gold for block in blocks)
    if not marked:
        return Value.none(NO_GOLD)
    if scored.n_gold is not None and scored.n_gold > marked:
        return Value.none("a gold is not in the list")
    total = sum(block.n_gold * (block.above + (block.size + 1) / 2) for block in blocks)
    return Value.of(marked / total)


def _expected_precision_sum(blocks: Sequence[TiedBlock]) -> float:
    """The expectation of the sum over golds of (golds at this rank or better) / rank.

    A gold at place p of its block has, on average, (p - 1) (g - 1) / (s - 1) of the block's g golds before it, of s
    candidates.
    """
    total = 0.0
    for block in blocks:
        others = (block.n_gold - 1) / (block.size - 1) if block.size > 1 else 0.0
        for position in range(1, block.size + 1):
            golds_so_far = block.gold_above + 1 + (position - 1) * others
            total += block.n_gold / block.size * golds_so_far / (block.above + position)
    return total


def _expected_rr(blocks: Sequence[TiedBlock]) -> float:
    """The expectation of 1 / rank of the best gold; 0 where none is marked."""
    first = next((block for block in blocks if block.n_gold), None)
    if first is None:
        return 0.0
    return sum(share / (first.above + position) for position, share in enumerate(first.first_gold_shares(), 1))


def rank_report(lists: Sequence[Scored], k: int = 10, draws: Draws = BY_SAMPLE) -> dict[str, Aggregate]:
    """Means over lists: MAP ("ap"), R@k ("recall"), MRR ("rr"), P@k ("precision"), NDCG@k ("ndcg"), all 0 to 1.

    A list without gold is left out and counted. Raises ValueError as `list_metrics`.
    """
    metrics = [list_metrics(scored, k) for scored in lists]
    report = {}
    for name in METRICS:
        cut = {} if name in ("ap", "rr") else {"k": str(k)}
        report[name] = mean_of(name, VERSION, [values[name] for values in metrics], draws, ties="expected", **cut)
    return report


def chance_level(n_gold: int, size: int = LIST_SIZE, k: int = 10) -> Mapping[str, float]:
    """Expected metrics of a random ranking with n_gold golds in a list of `size` (exact, not simulated).

    Raises ValueError unless 1 <= n_gold <= size and k >= 1. Source of AP: Bestgen, "Exact Expected Average Precision of
    the Random Baseline for System Evaluation", 2015.
    """
    if not 1 <= n_gold <= size or k < 1:
        raise ValueError(f"{n_gold} golds in a list of {size}, k {k}: give 1 to {size} golds and k from 1")
    depth = min(k, size)
    harmonic = sum(1 / rank for rank in range(1, size + 1))
    others = (n_gold - 1) / (size - 1) if size > 1 else 0.0
    first = [comb(size - rank, n_gold - 1) / comb(size, n_gold) for rank in range(1, size - n_gold + 2)]
    return {
        "ap": (harmonic + (size - harmonic) * others) / size,
        "recall": depth / size,
        "rr": sum(share / rank for rank, share in enumerate(first, 1)),
        "precision": n_gold * depth / size / k,
        "ndcg": n_gold / size * _discounted_gain(range(1, depth + 1)) / _discounted_gain(range(1, min(n_gold, k) + 1)),
    }

"""Drawing instances: a seeded draw, uniform or spread over articles, that needs no memory, and its figures."""

import hashlib
import heapq
import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from epitome.aggregations.articles import Entity
from epitome.aggregations.tuples import ArticleInstances, FoundInstance

DEFAULT_N = 2100
DEFAULT_SEED = 2345
TIMES_RARER = 3
"""How much rarer, in a draw by articles, each size of a tuple is than the one before: a mean of 2.48 where an article
offers all sizes from two to six; the published data set has 2.4."""
LARGE_SHARE = 0.05
"""Of an article in a draw: from here on it is named."""


def rank_key(seed: int, key: str) -> int:
    """The place of an instance in the order of a seed: the n smallest are a uniform draw of n. An instance keeps its
    place whatever else there is, so an interrupted draw continues with the same ones."""
    return int.from_bytes(hashlib.sha256(f"{seed}\n{key}".encode()).digest()[:8])


def list_turns(seed: int, instances: Sequence[FoundInstance]) -> list[FoundInstance]:
    """The instances of one article in the order of a seed in which a draw by articles takes them: first a size of the
    tuple, small ones more often (`TIMES_RARER`), then one of that size, each equally likely.

    A weighted order without replacement by exponential waiting times (Efraimidis, Spirakis 2006), so that it is the
    same whatever was drawn before.
    """
    by_size = Counter(len(row.members) for row in instances)

    def waiting_time(row: FoundInstance) -> float:
        size = len(row.members)
        weight = math.pow(TIMES_RARER, -size) / by_size[size]
        place = (rank_key(seed, f"turn\n{row.key}") + 1) / (2**64 + 1)
        return -math.log(place) / weight

    return sorted(instances, key=lambda row: (waiting_time(row), row.key))


class DrawnInstance(NamedTuple):
    """article: number of the article among those that were read."""

    rank: int
    article: int
    instance: FoundInstance


class LowestRanks:
    """The n instances with the lowest ranks of all that were offered; those of an earlier turn go before."""

    def __init__(self, n: int, seed: int) -> None:
        self.n, self.seed = n, seed
        self._heap: list[tuple[int, int, str, DrawnInstance]] = []

    def offer(self, article: int, instance: FoundInstance, turn: int = 0) -> None:
        rank = rank_key(self.seed, instance.key)
        entry = (-turn, -rank, instance.key, DrawnInstance(rank, article, instance))
        if len(self._heap) < self.n:
            heapq.heappush(self._heap, entry)
        elif self.n and entry > self._heap[0]:
            heapq.heapreplace(self._heap, entry)

    def list_drawn(self) -> list[DrawnInstance]:
        """In the order of the articles, then of the tuples, so that instances of one tuple are together."""
        rows = (row for _turn, _rank, _key, row in self._heap)
        return sorted(rows, key=lambda row: (row.article, row.instance.type, row.instance.names, row.instance.key))


@dataclass
class ExtractionFigures:
    """What an extraction found: of all articles, before the draw."""

    articles: int = 0
    articles_without_entities: int = 0
    entities: Counter[str] = field(default_factory=Counter)
    tuples: Counter[int] = field(default_factory=Counter)
    instances: Counter[tuple[str, str]] = field(default_factory=Counter)
    entities_in_instances: int = 0
    crowded: int = 0
    names: set[str] = field(default_factory=set)

    def count_article(self, offered: ArticleInstances) -> None:
        entities: tuple[Entity, ...] = offered.article.entities
        self.articles += 1
        self.articles_without_entities += not entities
        self.crowded += offered.crowded
        self.entities.update(entity.type for entity in entities)
        self.tuples.update(len(names) for _type, names in {(row.type, row.names) for row in offered.instances})
        for row in offered.instances:
            self.instances["abstract" if row.span is None else "content", row.type] += 1
            self.entities_in_instances += len(row.members)
            self.names.update(row.names)

    @property
    def n_instances(self) -> int:
        return self.instances.total()

    @property
    def mean_size(self) -> float | None:
        """Entities per instance; None without instances."""
        return self.entities_in_instances / self.n_instances if self.n_instances else None

    def as_dict(self, backgrounds: Collection[str], drawn: Iterable[FoundInstance]) -> dict[str, Any]:
        """Plain values. backgrounds: the names that have one; drawn: what this draw would take."""
        rows = list(drawn)
        by_article = Counter(row.article for row in rows)
        return {
            "articles": self.articles,
            "articles_without_entities": self.articles_without_entities,
            "entities": dict(sorted(self.entities.items())),
            "tuples": {str(size): self.tuples[size] for size in sorted(self.tuples)},
            "instances": {
                context: {kind: n for (place, kind), n in sorted(self.instances.items()) if place == context}
                for context in ("content", "abstract")
            },
            "all_instances": self.n_instances,
            "mean_tuple_size": self.mean_size,
            "crowded_windows": self.crowded,
            "names": len(self.names),
            "names_without_background": len(self.names - set(backgrounds)),
            "drawn": len(rows),
            "drawn_articles": len(by_article),
            "drawn_mean_size": sum(len(row.members) for row in rows) / len(rows) if rows else None,
            "large_articles": {
                article: n for article, n in by_article.most_common() if n > 1 and n > LARGE_SHARE * len(rows)
            },
            "drawn_without_background": sum(not set(row.names) <= set(backgrounds) for row in rows),
        }

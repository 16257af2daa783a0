"""Random numbers that are the same in every process, on every machine and under every hash seed."""

import hashlib
import json
import random
from collections.abc import Sequence
from itertools import accumulate
from typing import TypeVar

T = TypeVar("T")


class Generator:
    """A random generator seeded by `seed_parts` (numbers and texts). Uses only random() of the standard generator:
    Python guarantees that its sequence does not change, but not that of choice() or shuffle()."""

    def __init__(self, *seed_parts: int | str) -> None:
        digest = hashlib.sha256(json.dumps(seed_parts).encode()).digest()
        self._random = random.Random(int.from_bytes(digest, "big"))

    def unit(self) -> float:
        """A number in [0, 1)."""
        return self._random.random()

    def below(self, limit: int) -> int:
        """A whole number from 0 to limit - 1, all equally likely."""
        return int(self.unit() * limit)

    def pick(self, items: Sequence[T]) -> T:
        return items[self.below(len(items))]

    def pick_weighted(self, items: Sequence[T], weights: Sequence[float]) -> T:
        """One item, with probability proportional to its weight; at least one weight must be above 0."""
        sums = list(accumulate(weights))
        point = self.unit() * sums[-1]
        return next(item for item, upto in zip(items, sums, strict=True) if point < upto)

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """A shuffled copy; every permutation is equally likely (Fisher-Yates)."""
        result = list(items)
        for last in range(len(result) - 1, 0, -1):
            other = self.below(last + 1)
            result[last], result[other] = result[other], result[last]
        return result


def seeded_shuffle(candidates: Sequence[T], *seed_parts: int | str) -> list[T]:
    """The candidates in an order determined by `seed_parts`, for example a group's id and a writer's: the same at every
    request."""
    return Generator("shuffled", *seed_parts).shuffled(candidates)


def order_key(*seed_parts: int | str) -> bytes:
    """A sort key of one thing, determined by `seed_parts` alone: the order of many does not change when others come."""
    return hashlib.sha256(json.dumps(("order", *seed_parts)).encode()).digest()

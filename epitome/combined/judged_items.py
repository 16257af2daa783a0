"""The items of a round: which a judge scored, which people judged too, and with what chance people were asked."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from epitome.metrics.bootstrap import Floats, Ints, cluster_codes


class TooFew(ValueError):
    """There are too few judgements or sources for an estimate; the message says which and how many are needed."""


@dataclass(frozen=True)
class JudgedItems:
    """One measure of some items, or the difference of two systems on them.

    human: (n,) what people said, NaN where they were not asked. judge: (n,) what the judge said of the same items.
    chance: (n,) the known chance, above 0 to 1, with which people were asked. sources: (n,) numbers from 0 without
    gaps; items of one source are not independent. low, high: the ends of the scale (differences: -1 and 1).
    """

    human: Floats
    judge: Floats
    chance: Floats
    sources: Ints
    low: float = 0.0
    high: float = 1.0

    @classmethod
    def of(
        cls,
        human: Sequence[float | None],
        judge: Sequence[float],
        sources: Sequence[Hashable] | None = None,
        chance: Sequence[float] | None = None,
        *,
        low: float = 0.0,
        high: float = 1.0,
    ) -> Self:
        """Checked items. sources: of every item; None: each item is a source of its own. chance: None: all items were
        equally likely. Raises ValueError naming the first value that cannot be."""
        n = len(judge)
        if len(human) != n or (chance is not None and len(chance) != n):
            raise ValueError(f"{len(human)} human and {n} judge values: give one of each for every item")
        human_values = np.array([np.nan if value is None else float(value) for value in human], dtype=float).reshape(n)
        scored = np.asarray(judge, dtype=float).reshape(n)
        for name, values in (("human", human_values[~np.isnan(human_values)]), ("judge", scored)):
            outside = values[~((values >= low) & (values <= high))]
            if len(outside):
                raise ValueError(f"a {name} value is {outside[0]}: the scale goes from {low} to {high}")
        share = float(np.mean(~np.isnan(human_values))) if n else 0.0
        chances = np.full(n, share) if chance is None else np.asarray(chance, dtype=float)
        if n and chance is not None and not ((chances > 0) & (chances <= 1)).all():
            raise ValueError("a chance is not above 0 and at most 1: such items cannot be counted")
        return cls(human_values, scored, chances, cluster_codes(sources, n), low, high)

    @property
    def is_human(self) -> "np.typing.NDArray[np.bool_]":
        """(n,) whether people judged the item."""
        return ~np.isnan(self.human)

    @property
    def n_human(self) -> int:
        return int(self.is_human.sum())

    @property
    def n_sources(self) -> int:
        return len(np.unique(self.sources))


def subtract_systems(first: JudgedItems, second: JudgedItems) -> JudgedItems:
    """The differences of two systems on the same items, in the same order, from low - high to high - low.

    An item counts as judged by people if both systems were. Raises ValueError for other items or chances.
    """
    if first.sources.tolist() != second.sources.tolist() or not np.array_equal(first.chance, second.chance):
        raise ValueError("two systems are compared on the same items, asked with the same chances")
    reach = max(first.high, second.high) - min(first.low, second.low)
    human, judge = first.human - second.human, first.judge - second.judge
    return JudgedItems(human, judge, first.chance, first.sources, -reach, reach)

"""Control correlation (CC): how much f_r changes per step of the requested value. Best is closest to the references'.

Source: Zhang et al., "MACSum: Controllable Summarization with Mixed Attributes", TACL 2023; which samples are paired
is read from the authors' released code.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Literal, get_args

from epitome.measures import Value

PairMode = Literal["neighbours", "all", "strict"]
"""Which samples of one key (source, topic, speaker) are compared, if their requests for the attribute differ.

neighbours: those that are next to each other (the published numbers); other attributes may differ too.
all: every two. strict: every two whose other attributes are equal.
"""
PAIR_MODES: tuple[PairMode, ...] = get_args(PairMode)


@dataclass(frozen=True)
class CC:
    """The mean slope in units of f_r per step and its number of pairs; pairs with an undefined f_r are left out."""

    value: Value
    pairs: int
    left_out: int = 0


@dataclass(frozen=True)
class Pair:
    """The positions of two samples and the slope between them (undefined where f_r of either is)."""

    first: int
    second: int
    slope: Value


def slope_between(first: float, second: float, distance: int) -> float:
    """(f(first) - f(second)) / distance, where distance = index of the first request - index of the second.

    Raises ValueError for a distance of 0, where both requests are the same.
    """
    if distance == 0:
        raise ValueError("both samples were asked for the same value, so there is no slope between them")
    return (first - second) / distance


def pairs_of(
    requested: Sequence[int],
    keys: Sequence[Hashable],
    mode: PairMode = "neighbours",
    others: Sequence[Hashable] | None = None,
) -> Iterator[tuple[int, int]]:
    """Positions of the samples to compare, in file order; see PairMode.

    requested: index of the requested value per sample (short 0, normal 1, long 2); keys: (source, topic, speaker) per
    sample; others: the other attributes' requests per sample, needed for strict. Raises ValueError.
    """
    if mode not in PAIR_MODES:
        raise ValueError(f"pair mode {mode!r} is none of {', '.join(PAIR_MODES)}")
    if mode == "strict" and others is None:
        raise ValueError("pair mode strict needs the requests for the other attributes")
    if len(keys) != len(requested) or (others is not None and len(others) != len(requested)):
        raise ValueError(f"{len(requested)} requests need as many keys and as many requests for other attributes")
    if mode == "neighbours":
        pairs = _neighbour_pairs(keys)
    elif mode == "strict" and others is not None:
        pairs = _pairs_within(list(zip(keys, others, strict=True)))
    else:
        pairs = _pairs_within(keys)
    return ((first, second) for first, second in pairs if requested[first] != requested[second])


def _neighbour_pairs(keys: Sequence[Hashable]) -> Iterator[tuple[int, int]]:
    return ((index, index + 1) for index, (key, next_key) in enumerate(pairwise(keys)) if key == next_key)


def _pairs_within(keys: Sequence[Hashable]) -> Iterator[tuple[int, int]]:
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for index, key in enumerate(keys):
        groups[key].append(index)
    for places in groups.values():
        yield from combinations(places, 2)


def pair_slopes(
    values: Sequence[Value | float | None],
    requested: Sequence[int],
    keys: Sequence[Hashable],
    mode: PairMode = "neighbours",
    others: Sequence[Hashable] | None = None,
) -> list[Pair]:
    """Every pair with its slope. values: f_r per sample; the rest as `pairs_of`. Raises ValueError."""
    if len(values) != len(requested):
        raise ValueError(f"{len(values)} values and {len(requested)} requests: give one of each per sample")
    numbers = [item.value if isinstance(item, Value) else item for item in values]
    pairs = []
    for first, second in pairs_of(requested, keys, mode, others):
        first_value, second_value = numbers[first], numbers[second]
        if first_value is None or second_value is None:
            pairs.append(Pair(first, second, Value.none("f_r of a sample is undefined")))
        else:
            pairs.append(
                Pair(
                    first,
                    second,
                    Value.of(slope_between(first_value, second_value, requested[first] - requested[second])),
                )
            )
    return pairs


def cc(
    values: Sequence[Value | float | None],
    requested: Sequence[int],
    keys: Sequence[Hashable],
    mode: PairMode = "neighbours",
    others: Sequence[Hashable] | None = None,
) -> CC:
    """Mean slope over all pairs, each pair counting once; undefined where there is no pair, never 0.

    values: f_r per sample, in its own unit (words for length); the rest as `pairs_of`. The sign is the direction: above
    0 where a higher request gives a higher f_r. Raises ValueError.
    """
    pairs = pair_slopes(values, requested, keys, mode, others)
    good = [pair.slope.value for pair in pairs if pair.slope.value is not None]
    left_out = len(pairs) - len(good)
    if not good:
        return CC(Value.none(no_pair_reason(len(pairs))), 0, left_out)
    return CC(Value.of(math.fsum(good) / len(good)), len(good), left_out)


def no_pair_reason(n_pairs: int = 0) -> str:
    """Why there is no slope, given `n_pairs` pairs without one."""
    if n_pairs:
        return f"f_r is undefined in each of the {n_pairs} pairs"
    return "no two comparable samples were asked for different values"

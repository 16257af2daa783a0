"""Is one system's rate better, where a rate is a sum over a sum, such as weights of errors per 100 words?

The rates of two systems on the same samples are compared as they are printed: sums over all samples, not means of the
samples' own rates, which may differ in sign from them. Sources: as `significance`.
"""

from collections.abc import Sequence

import numpy as np

from epitome.agreement.intervals import expanded_level
from epitome.measures import Signature, Value
from epitome.metrics.bootstrap import (
    DEFAULT_SEED,
    Clusters,
    Floats,
    Interval,
    cluster_codes,
    middle_interval,
    replicates_of_ratios,
)
from epitome.metrics.significance import EXACT_SOURCES, REPLICATES, ROUNDING, Test, all_swaps, random_swaps

VERSION = "1"
LEVEL = 0.95
Amounts = Sequence[tuple[float, float]]
"""Per sample: what is summed above the line, and what it is divided by, above 0."""


def ratio_permutation(
    a: Amounts, b: Amounts, clusters: Clusters = None, replicates: int = REPLICATES, seed: int = DEFAULT_SEED
) -> Test:
    """Permutation test of sum(above) / sum(below) of a minus that of b = 0 (two-sided), swapping whole sources.

    a, b: the two systems' amounts for the same samples, in the same order. clusters: the source of every sample; None
        makes each its own. Swaps are counted or drawn as in `paired_permutation`; the interval is the expanded
        percentiles of a bootstrap that draws whole sources, undefined with a reason for a single one.
    Raises ValueError for lists of different length, and where an amount that divides is not above 0.
    """
    if len(a) != len(b):
        raise ValueError(f"{len(a)} amounts of one system and {len(b)} of the other: give both for the same samples")
    table = np.array([(*first, *second) for first, second in zip(a, b, strict=True)], dtype=float).reshape(-1, 4)
    if not (table[:, [1, 3]] > 0).all():
        raise ValueError("an amount that divides is not above 0")
    codes = cluster_codes(clusters, len(table))
    signature = Signature("ratio-permutation", VERSION)
    if not len(table):
        none = Value.none("no sample has a value of both systems")
        empty = Interval(None, None, replicates, seed, LEVEL, 0, "no values")
        return Test(none, none, empty, 0, 0, 0, seed, "permutation", signature.with_(n=0))
    sums = np.stack([np.bincount(codes, weights=column) for column in table.T], axis=1).astype(float)
    difference = Value.of(float(_rate_difference(*sums.sum(axis=0))))
    p_value, swaps = _swap_sources(sums, replicates, seed)
    method = "permutation" if swaps is None else "permutation-exact"
    signature = signature.with_(
        n=len(table), sources=len(sums), replicates=replicates if swaps is None else swaps, seed=seed
    )
    interval = _draw_interval(sums, replicates, seed)
    return Test(difference, Value.of(p_value), interval, len(table), len(sums), 0, seed, method, signature)


def _rate_difference(above_a: Floats, below_a: Floats, above_b: Floats, below_b: Floats) -> Floats:
    return np.asarray(above_a / below_a - above_b / below_b)


def _swap_sources(sums: Floats, replicates: int, seed: int) -> tuple[float, int | None]:
    """p, and the number of swaps where all were counted. sums: (sources, 4)."""
    total = sums[:, :2].sum(axis=0) + sums[:, 2:].sum(axis=0)
    apart = sums[:, :2] - sums[:, 2:]
    seen = float(_rate_difference(*sums.sum(axis=0)))
    threshold = abs(seen) - ROUNDING * float(np.abs(sums[:, 0] / sums[:, 1]).max() + abs(seen))
    apart = apart[(apart != 0).any(axis=1)]  # swapping a source where the systems tie changes nothing

    def swapped(above: Floats, below: Floats) -> Floats:
        """The difference where these are the signed sums of what the systems differ by."""
        return _rate_difference(
            (total[0] + above) / 2, (total[1] + below) / 2, (total[0] - above) / 2, (total[1] - below) / 2
        )

    if len(apart) <= EXACT_SOURCES:
        differences = swapped(all_swaps(apart[:, 0]), all_swaps(apart[:, 1]))
        return float(np.mean(np.abs(differences) >= threshold)), len(differences)
    chunks = zip(*(random_swaps(column, replicates, seed) for column in apart.T), strict=True)  # the same signs
    as_far = sum(int(np.sum(np.abs(swapped(above, below)) >= threshold)) for above, below in chunks)
    return (1 + as_far) / (1 + replicates), None


def _draw_interval(sums: Floats, replicates: int, seed: int) -> Interval:
    n = len(sums)
    if n < 2:
        return Interval(None, None, replicates, seed, LEVEL, n, "only one source, so nothing to draw from")
    rates = replicates_of_ratios(sums[:, [0, 2]], sums[:, [1, 3]], replicates, seed)
    drawn = middle_interval(rates[:, 0] - rates[:, 1], clusters=n, seed=seed, level=expanded_level(n))
    return Interval(drawn.low, drawn.high, replicates, seed, LEVEL, n, drawn.undefined)

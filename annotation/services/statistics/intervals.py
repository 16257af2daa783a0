"""Means with 95 % bootstrap intervals over sources: summaries of one source correlate, so sources are resampled.

The intervals are those of the library and of `epitome measure`: the same draws from the same seed.
"""

from collections.abc import Hashable, Sequence

from epitome.figures.tables import Cell

REPLICATES = 1000
SEED = 12345
LEVEL = 0.95
BOOTSTRAP = f"bootstrap:sources|replicates:{REPLICATES}|seed:{SEED}|level:{LEVEL}"

Values = Sequence[tuple[Hashable, float]]
"""(source, number) pairs."""


def mean_cells(groups: Sequence[Values], why_empty: Sequence[str]) -> list[Cell]:
    """One cell per group of numbers: mean, n and the percentile interval of REPLICATES draws of its sources.

    why_empty: the reason of a group without numbers. A group from fewer than two sources has no interval.
    Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapters 8 and 13.
    """
    return [_build_cell(group, why) for group, why in zip(groups, why_empty, strict=True)]


def _build_cell(group: Values, why: str) -> Cell:
    from epitome.metrics.bootstrap import cluster_bootstrap

    if not group:
        return Cell(undefined=why, n=0)
    numbers = [number for _source, number in group]
    interval = cluster_bootstrap(numbers, [source for source, _number in group], "mean", REPLICATES, SEED, LEVEL)
    return Cell(sum(numbers) / len(numbers), low=interval.low, high=interval.high, n=len(numbers))

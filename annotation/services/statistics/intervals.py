"""Means with 95 % bootstrap intervals over sources: summaries of one source correlate, so sources are resampled."""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from epitome.figures.tables import Cell

if TYPE_CHECKING:
    import numpy as np

REPLICATES = 1000
SEED = 20230701
LEVEL = 0.95
_AT_ONCE = 2_000_000
"""Maximum number of drawn counts in memory at a time."""
BOOTSTRAP = f"bootstrap:sources|replicates:{REPLICATES}|seed:{SEED}|level:{LEVEL}"

Values = Sequence[tuple[Hashable, float]]
"""(source, number) pairs."""


def mean_cells(groups: Sequence[Values], why_empty: Sequence[str]) -> list[Cell]:
    """One cell per group of numbers: mean, n and the percentile interval of REPLICATES draws of the sources.

    The same draws are used for every group, so that groups can be compared. why_empty: the reason of a group without
    numbers. A group from fewer than two sources has no interval. Replicates in which a group has no number at all
    are left out for it.
    Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapters 8 and 13.
    """
    import numpy as np

    places: dict[Hashable, int] = {}
    for group in groups:
        for source, _number in group:
            places.setdefault(source, len(places))
    sums = np.zeros((len(places), 2 * len(groups)))
    for column, group in enumerate(groups):
        for source, value in group:
            sums[places[source], 2 * column] += value
            sums[places[source], 2 * column + 1] += 1
    drawn = _draw_sums(sums) if len(places) > 1 else None
    return [_build_cell(sums, drawn, column, why_empty[column]) for column in range(len(groups))]


def _draw_sums(sums: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    """(replicates, columns): the columns' sums over as many sources as there are, drawn with replacement."""
    import numpy as np

    random, n = np.random.default_rng(SEED), len(sums)
    rows = max(1, _AT_ONCE // n)
    blocks = []
    for start in range(0, REPLICATES, rows):
        counts = random.multinomial(n, np.full(n, 1 / n), size=min(rows, REPLICATES - start))
        blocks.append(counts.astype(np.float64) @ sums)  # as floats: integer products do not use BLAS
    return np.concatenate(blocks)


def _build_cell(sums: "np.ndarray[Any, Any]", drawn: "np.ndarray[Any, Any] | None", column: int, why: str) -> Cell:
    import numpy as np

    total, n = sums[:, 2 * column].sum(), int(sums[:, 2 * column + 1].sum()) if len(sums) else 0
    if not n:
        return Cell(undefined=why, n=0)
    mean = float(total / n)
    if drawn is None or np.count_nonzero(sums[:, 2 * column + 1]) < 2:
        return Cell(mean, n=n)
    counts = drawn[:, 2 * column + 1]
    means = drawn[counts > 0, 2 * column] / counts[counts > 0]
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Cell(mean, low=float(low), high=float(high), n=n)

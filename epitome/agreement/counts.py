"""Input of the statistics for any number of raters: how many raters gave each answer to each unit."""

import numpy as np
from numpy.typing import NDArray

from epitome.agreement.scales import Floats, Ints

ONE_RATING = "no item has two ratings"
ONE_ANSWER = "every rating is the same answer, so chance agreement is complete"


def check_counts(counts: NDArray[np.integer]) -> Ints:
    """counts (units, answers) as whole numbers; raises ValueError for another shape, type, or counts below 0."""
    table = np.asarray(counts)
    if table.ndim != 2 or table.dtype.kind not in "iu":
        raise ValueError(f"counts is {table.dtype} of shape {table.shape}: give whole numbers, a row per item")
    if (table < 0).any():
        raise ValueError(f"counts holds {table.min()}: a number of ratings is not negative")
    return table.astype(np.int64, copy=False)


def undefined_reason(counts: Ints) -> str:
    """Why chance-corrected agreement is undefined for these counts, "" if it is defined."""
    if not (counts.sum(axis=1) >= 2).any():
        return ONE_RATING
    return "" if (counts.sum(axis=0) > 0).sum() >= 2 else ONE_ANSWER


def pair_disagreement(counts: Ints, apart: Floats) -> Floats:
    """Disagreement summed over the ordered pairs of a unit's ratings, shape (units,)."""
    numbers = counts.astype(float)
    return np.asarray(((numbers @ apart) * numbers).sum(axis=1))


def disagreement_of_units(rows: Floats) -> Floats:
    """(units,) the second of the terms below, NaN for a unit that is rated once."""
    return np.where(rows[:, 0] > 0, rows[:, 1], np.nan)


def mean_disagreement_rows(counts: Ints, apart: Floats) -> Floats:
    """Terms that Fleiss, Gwet and percent agreement sum (units, 3 + answers): rated twice or more, mean disagreement of
    a pair, rated at all, share of each answer. Source: Gwet (2014), section 2.4: missing ratings."""
    n_ratings = counts.sum(axis=1)
    rated_twice = n_ratings >= 2
    pairs = np.where(rated_twice, n_ratings * (n_ratings - 1), 1)
    shares = counts / np.maximum(n_ratings, 1)[:, None]
    return np.column_stack(
        [rated_twice, np.where(rated_twice, pair_disagreement(counts, apart), 0) / pairs, n_ratings >= 1, shares]
    )

"""Kendall's coefficient of concordance of several rankings."""

import numpy as np
from numpy.typing import NDArray

from epitome.measures.values import Value


def kendall_w(ranks: NDArray[np.integer]) -> Value:
    """Kendall's W: 1 if all raters give the same ranking, 0 if the rank sums are all alike; by chance about 1 / raters.

    ranks: (raters, objects), each row a ranking from 1 without ties.
    Undefined for fewer than two raters or two objects. Raises ValueError for a row that is no such ranking.
    Source: Kendall and Babington Smith (1939), "The Problem of m Rankings".
    """
    n_raters, n_objects = ranks.shape
    if not np.array_equal(np.sort(ranks, axis=1), np.tile(np.arange(1, n_objects + 1), (n_raters, 1))):
        raise ValueError(f"each row must rank {n_objects} objects from 1 without ties")
    if n_raters < 2:
        return Value.none("fewer than two raters ranked it")
    if n_objects < 2:
        return Value.none("there is only one object to rank")
    sums = ranks.sum(axis=0)
    spread = float(((sums - sums.mean()) ** 2).sum())
    return Value.of(12 * spread / (n_raters**2 * (n_objects**3 - n_objects)))

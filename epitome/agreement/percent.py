"""Percent agreement: how often two raters of an item, drawn at random, gave the same answer. Not chance-corrected."""

import numpy as np
from numpy.typing import NDArray

from epitome.agreement.counts import ONE_RATING, check_counts, disagreement_of_units, mean_disagreement_rows
from epitome.agreement.intervals import Statistic, ratio_or_nan, undefined_statistic
from epitome.agreement.scales import Floats, Ints, disagreement_matrix
from epitome.measures.values import Value


def percent_agreement(counts: NDArray[np.integer]) -> Value:
    """The mean over items of the share of pairs of raters that agree, from 0 to 1; for two raters the share of items.

    counts: (items, answers), how many raters gave each answer; items rated once are left out.
    Undefined when no item has two ratings. Raises ValueError for an invalid table of counts.
    Source: Gwet (2014), "Handbook of Inter-Rater Reliability", section 2.4.
    """
    return percent_statistic(check_counts(counts)).value()


def percent_statistic(counts: Ints) -> Statistic:
    """Percent agreement for the bootstrap."""
    if not (counts.sum(axis=1) >= 2).any():
        return undefined_statistic(ONE_RATING)
    rows = mean_disagreement_rows(counts, disagreement_matrix("nominal", counts.shape[1]))[:, :2]

    def finish(sums: Floats) -> Floats:
        return np.asarray(1 - ratio_or_nan(sums[..., 1], sums[..., 0]))

    def expect(sums: Floats) -> Floats:
        return np.ones(sums.shape[:-1])  # not corrected for chance

    return Statistic(rows, finish, otherwise=ONE_RATING, apart=disagreement_of_units(rows), expected=expect)

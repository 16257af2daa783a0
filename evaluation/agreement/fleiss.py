"""Fleiss' kappa for any number of raters, who need not be the same for every item."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from annotation.measures.values import Value
from evaluation.agreement.counts import ONE_ANSWER, check_counts, mean_disagreement_rows, undefined_reason
from evaluation.agreement.intervals import Statistic, ratio_or_nan, undefined_statistic
from evaluation.agreement.scales import Floats, Ints, Weights, disagreement_matrix


def fleiss_kappa(
    counts: NDArray[np.integer], *, weights: Weights = "nominal", points: Sequence[float] | None = None
) -> Value:
    """Fleiss' kappa: 1 perfect, 0 as by chance, below 0 worse; unitless.

    counts: (items, answers), how many raters gave each answer. Where the number differs between items (missing
        ratings), agreement is taken over the items rated at least twice and the shares of the answers over all rated
        items, each item counting once.
    weights, points: see `scales.disagreement_matrix`.
    Undefined when no item has two ratings or only one answer was given. Raises ValueError for an invalid table
    of counts.
    Source: Fleiss (1971), "Measuring nominal scale agreement among many raters"; Gwet (2014), section 2.4.
    """
    table = check_counts(counts)
    return fleiss_statistic(table, disagreement_matrix(weights, table.shape[1], points)).value()


def fleiss_statistic(counts: Ints, apart: Floats) -> Statistic:
    """Fleiss' kappa for the bootstrap; apart: disagreements, see `scales`."""
    if why := undefined_reason(counts):
        return undefined_statistic(why)

    def finish(sums: Floats) -> Floats:
        rated_twice, seen, rated, shares = sums[..., 0], sums[..., 1], sums[..., 2], sums[..., 3:]
        expected = ratio_or_nan(((shares @ apart) * shares).sum(axis=-1), rated * rated)
        return np.asarray(1 - ratio_or_nan(ratio_or_nan(seen, rated_twice), expected))

    return Statistic(mean_disagreement_rows(counts, apart), finish, otherwise=ONE_ANSWER)

"""Fleiss' kappa for any number of raters, who need not be the same for every item."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from epitome.agreement.counts import (
    ONE_ANSWER,
    check_counts,
    disagreement_of_units,
    mean_disagreement_rows,
    undefined_reason,
)
from epitome.agreement.intervals import Statistic, ratio_or_nan, undefined_statistic
from epitome.agreement.scales import Floats, Ints, Weights, disagreement_matrix
from epitome.measures.values import Value


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

    def expect(sums: Floats) -> Floats:
        rated, shares = sums[..., 2], sums[..., 3:]
        return ratio_or_nan(((shares @ apart) * shares).sum(axis=-1), rated * rated)

    def finish(sums: Floats) -> Floats:
        return np.asarray(1 - ratio_or_nan(ratio_or_nan(sums[..., 1], sums[..., 0]), expect(sums)))

    rows = mean_disagreement_rows(counts, apart)
    return Statistic(rows, finish, otherwise=ONE_ANSWER, apart=disagreement_of_units(rows), expected=expect)

"""Fleiss' kappa for any number of raters, who need not be the same for every item."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from annotation.measures.values import Value
from evaluation.agreement.counts import ONE_ANSWER, checked, flaw, mean_rows
from evaluation.agreement.intervals import Parts, ratio, without
from evaluation.agreement.scales import Floats, Ints, Weights, disagreement


def fleiss_kappa(
    counts: NDArray[np.integer], *, weights: Weights = "nominal", points: Sequence[float] | None = None
) -> Value:
    """Fleiss' kappa: 1 perfect, 0 as by chance, below 0 worse; unitless.

    counts: (items, answers), how many raters gave each answer. Where the number differs between items (missing
        ratings), agreement is taken over the items rated at least twice and the shares of the answers over all rated
        items, each item counting once.
    weights, points: see `scales.disagreement`.
    Undefined when no item has two ratings or only one answer was given. Raises ValueError for what is no table of
    counts.
    Source: Fleiss (1971), "Measuring nominal scale agreement among many raters"; Gwet (2014), section 2.4.
    """
    table = checked(counts)
    return fleiss_parts(table, disagreement(weights, table.shape[1], points)).value()


def fleiss_parts(counts: Ints, apart: Floats) -> Parts:
    """Fleiss' kappa for the bootstrap; apart: disagreements, see `scales`."""
    if why := flaw(counts):
        return without(why)

    def finish(sums: Floats) -> Floats:
        two, seen, one, shares = sums[..., 0], sums[..., 1], sums[..., 2], sums[..., 3:]
        expected = ratio(((shares @ apart) * shares).sum(axis=-1), one * one)
        return np.asarray(1 - ratio(ratio(seen, two), expected))

    return Parts(mean_rows(counts, apart), finish, otherwise=ONE_ANSWER)

"""Gwet's AC1 and AC2, which stay sensible where nearly all answers are the same."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from epitome.agreement.counts import ONE_RATING, check_counts, disagreement_of_units, mean_disagreement_rows
from epitome.agreement.intervals import Statistic, ratio_or_nan, undefined_statistic
from epitome.agreement.scales import Floats, Ints, Weights, disagreement_matrix
from epitome.measures.values import Value

ONE_LABEL = "the scale has only one answer, so chance agreement is complete"


def gwet_ac1(counts: NDArray[np.integer]) -> Value:
    """Gwet's AC1: 1 perfect, 0 as by chance, below 0 worse; unitless.

    counts: (items, answers), how many raters gave each answer; the columns are the answers of the scale, those that
        nobody gave among them: their number is q. Missing ratings as in `fleiss.fleiss_kappa`.
    Undefined when no item has two ratings or the scale has fewer than two answers. Where all raters gave one and the
    same answer of a longer scale, chance agreement is 0 and AC1 is 1. Raises ValueError for an invalid table of counts.
    Source: Gwet (2008), "Computing inter-rater reliability and its variance in the presence of high agreement";
        Gwet (2014), section 2.4.
    """
    return gwet_ac2(counts, weights="nominal")


def gwet_ac2(
    counts: NDArray[np.integer], *, weights: Weights = "quadratic", points: Sequence[float] | None = None
) -> Value:
    """Gwet's AC2, AC1 with partial credit for near answers; weights, points: see `scales.disagreement_matrix`."""
    table = check_counts(counts)
    return gwet_statistic(table, disagreement_matrix(weights, table.shape[1], points)).value()


def gwet_statistic(counts: Ints, apart: Floats) -> Statistic:
    """AC1 or AC2 for the bootstrap; apart: disagreements of the answers of the scale, see `scales`."""
    n_labels = len(apart)
    if not (counts.sum(axis=1) >= 2).any():
        return undefined_statistic(ONE_RATING)
    if n_labels < 2:
        return undefined_statistic(ONE_LABEL)
    credit = float((1 - apart).sum()) / (n_labels * (n_labels - 1))

    def expect(sums: Floats) -> Floats:
        mean = ratio_or_nan(sums[..., 3:], sums[..., 2, None])
        return np.asarray(1 - credit * (mean * (1 - mean)).sum(axis=-1))

    def finish(sums: Floats) -> Floats:
        return np.asarray(1 - ratio_or_nan(ratio_or_nan(sums[..., 1], sums[..., 0]), expect(sums)))

    rows = mean_disagreement_rows(counts, apart)
    return Statistic(rows, finish, otherwise=ONE_LABEL, apart=disagreement_of_units(rows), expected=expect)

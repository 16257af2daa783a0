"""Gwet's AC1 and AC2, which stay sensible where nearly all answers are the same."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from annotation.measures.values import Value
from evaluation.agreement.counts import ONE_ANSWER, check_counts, mean_disagreement_rows, undefined_reason
from evaluation.agreement.intervals import Statistic, ratio_or_nan, undefined_statistic
from evaluation.agreement.scales import Floats, Ints, Weights, disagreement_matrix


def gwet_ac1(counts: NDArray[np.integer]) -> Value:
    """Gwet's AC1: 1 perfect, 0 as by chance, below 0 worse; unitless.

    counts: (items, answers), how many raters gave each answer; the columns are the answers of the scale. Missing
        ratings as in `fleiss.fleiss_kappa`.
    Undefined when no item has two ratings or only one answer was given. Raises ValueError for an invalid table
    of counts.
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
    """AC1 or AC2 for the bootstrap; apart: disagreements, see `scales`.

    A replicate with only one answer is defined, because the scale is known to have more.
    """
    if why := undefined_reason(counts):
        return undefined_statistic(why)
    n_labels = len(apart)
    credit = float((1 - apart).sum()) / (n_labels * (n_labels - 1))

    def finish(sums: Floats) -> Floats:
        rated_twice, seen, rated, shares = sums[..., 0], sums[..., 1], sums[..., 2], sums[..., 3:]
        mean = ratio_or_nan(shares, rated[..., None])
        expected = 1 - credit * (mean * (1 - mean)).sum(axis=-1)
        return np.asarray(1 - ratio_or_nan(ratio_or_nan(seen, rated_twice), expected))

    return Statistic(mean_disagreement_rows(counts, apart), finish, otherwise=ONE_ANSWER)

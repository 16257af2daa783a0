"""Krippendorff's alpha for any number of raters, with missing ratings."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from epitome.agreement.counts import ONE_RATING, check_counts, pair_disagreement
from epitome.agreement.intervals import Statistic, ratio_or_nan, undefined_statistic
from epitome.agreement.scales import Floats, Ints, disagreement_matrix
from epitome.measures.values import Value

Level = Literal["nominal", "ordinal", "interval"]
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")
# Ordinal distances change with every replicate, so a sum is needed for every pair of answers.
MAX_ORDINAL = 32
ONE_ANSWER = "the items rated twice have only one answer, so nothing can vary"


def krippendorff_alpha(
    counts: NDArray[np.integer], *, level: Level = "nominal", points: Sequence[float] | None = None
) -> Value:
    """Krippendorff's alpha: 1 perfect, 0 as by chance, below 0 worse; unitless.

    counts: (items, answers), how many raters gave each answer, the answers in the order of the scale; items rated once
        are left out.
    level: "nominal", "ordinal" (distance by how many ratings are between) or "interval" (squared distance).
    points: where the answers are on an interval scale; default 0, 1, 2, ...
    Undefined when no item has two ratings or they are all the same answer. Raises ValueError for an invalid table
    of counts, an unknown level, or more than 32 answers on an ordinal scale.
    Source: Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability".
    """
    table = check_counts(counts)
    if level == "ordinal":
        return ordinal_alpha_statistic(table).value()
    if level not in LEVELS:
        raise ValueError(f"level is {level!r}: give one of {', '.join(LEVELS)}")
    apart = disagreement_matrix("nominal" if level == "nominal" else "quadratic", table.shape[1], points)
    return alpha_statistic(table, apart).value()


def _undefined_reason(counts: Ints) -> str:
    pairable = counts[counts.sum(axis=1) >= 2]
    if not len(pairable):
        return ONE_RATING
    return "" if (pairable.sum(axis=0) > 0).sum() >= 2 else ONE_ANSWER


def alpha_statistic(counts: Ints, apart: Floats) -> Statistic:
    """Alpha with fixed distances (nominal, interval) for the bootstrap; apart: squared distances, see `scales`."""
    if why := _undefined_reason(counts):
        return undefined_statistic(why)
    n_ratings = counts.sum(axis=1)
    pairable = np.where((n_ratings >= 2)[:, None], counts, 0)
    seen = pair_disagreement(pairable, apart) / np.maximum(n_ratings - 1, 1)

    def sum_expected(totals: Floats) -> Floats:
        return np.asarray(((totals @ apart) * totals).sum(axis=-1))

    def finish(sums: Floats) -> Floats:
        return _alpha_from_sums(sums[..., 0], sums[..., 1:], sum_expected(sums[..., 1:]))

    def expect(sums: Floats) -> Floats:
        n = sums[..., 1:].sum(axis=-1)
        return ratio_or_nan(sum_expected(sums[..., 1:]), n * (n - 1))

    of_units = np.where(n_ratings >= 2, seen / np.maximum(n_ratings, 1), np.nan)
    rows = np.column_stack([seen, pairable])
    return Statistic(rows, finish, otherwise=ONE_ANSWER, apart=of_units, expected=expect)


def _alpha_from_sums(seen: Floats, totals: Floats, expected: Floats) -> Floats:
    return np.asarray(1 - ratio_or_nan((totals.sum(axis=-1) - 1) * seen, expected))


def ordinal_alpha_statistic(counts: Ints) -> Statistic:
    """Ordinal alpha for the bootstrap.

    The ordinal distance of two answers is the difference of their mean ranks among all pairable ratings, which is the
    published sum over the answers between them.
    """
    if why := _undefined_reason(counts):
        return undefined_statistic(why)
    n_labels = counts.shape[1]
    if n_labels > MAX_ORDINAL:
        raise ValueError(f"{n_labels} answers: an ordinal scale has at most {MAX_ORDINAL}; take the interval level")
    n_ratings = counts.sum(axis=1)
    pairable = np.where((n_ratings >= 2)[:, None], counts, 0).astype(float)
    low, high = np.triu_indices(n_labels, 1)
    together = 2 * pairable[:, low] * pairable[:, high] / np.maximum(n_ratings - 1, 1)[:, None]

    def finish(sums: Floats) -> Floats:
        totals = sums[..., :n_labels]
        ranks = np.cumsum(totals, axis=-1) - totals / 2
        apart = (ranks[..., low] - ranks[..., high]) ** 2
        expected = 2 * (totals[..., low] * totals[..., high] * apart).sum(axis=-1)
        return _alpha_from_sums((sums[..., n_labels:] * apart).sum(axis=-1), totals, expected)

    return Statistic(np.hstack([pairable, together]), finish, otherwise=ONE_ANSWER)

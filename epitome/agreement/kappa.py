"""Cohen's kappa of two raters, plain and weighted.

kappa = 1 - D_o / D_e: D_o is the mean disagreement of the two raters over the items both rated, D_e the one expected
if each rater drew answers at random with the shares that rater used.
Source: Cohen (1960), "A coefficient of agreement for nominal scales"; Cohen (1968), "Weighted kappa".
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from epitome.agreement.intervals import Statistic, ratio_or_nan, undefined_statistic
from epitome.agreement.scales import Floats, Ints, Weights, disagreement_matrix
from epitome.agreement.table import Ratings
from epitome.measures.values import Value

MAX_LABELS = 4096
ONE_LABEL = "both raters gave one and the same answer everywhere, so chance agreement is complete"
NO_PAIR = "no item was rated by both raters"


def contingency_table(a: NDArray[np.integer], b: NDArray[np.integer], n_labels: int | None = None) -> Ints:
    """How often rater a gave answer i where rater b gave j, shape (n_labels, n_labels).

    a, b: (items,) answers as numbers from 0; -1 is a missing rating, whose item is left out.
    n_labels: answers there are; default one more than the largest number.
    Raises ValueError for other shapes, other types and numbers out of range.
    """
    a, b = np.asarray(a), np.asarray(b)
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(f"the raters have shapes {a.shape} and {b.shape}: give one answer of each per item")
    if a.dtype.kind not in "iu" or b.dtype.kind not in "iu":
        raise ValueError(f"the answers are {a.dtype} and {b.dtype}: give whole numbers from 0, -1 where missing")
    low, high = min(a.min(initial=0), b.min(initial=0)), max(a.max(initial=0), b.max(initial=0))
    if low < 0:
        if low < -1:
            raise ValueError(f"{low} is no answer: give whole numbers from 0, -1 where missing")
        both = (a >= 0) & (b >= 0)
        a, b = a[both], b[both]
    size = int(high) + 1 if n_labels is None else n_labels
    if high >= size or size > MAX_LABELS:
        raise ValueError(f"answer {high} is out of range: number the answers from 0, at most {MAX_LABELS} of them")
    cells = a.astype(np.int64, copy=False) * size
    cells += b.astype(np.int64, copy=False)  # in place: a third array of a million costs as much as the counting
    return np.bincount(cells, minlength=size * size).reshape(size, size)


def cohen_kappa(
    a: NDArray[np.integer],
    b: NDArray[np.integer],
    *,
    weights: Weights = "nominal",
    n_labels: int | None = None,
    points: Sequence[float] | None = None,
) -> Value:
    """Cohen's kappa of two raters: 1 perfect, 0 as by chance, below 0 worse; unitless.

    a, b: (items,) whole numbers from 0, -1 where the rater gave none; items rated by both count.
    weights, points: see `scales.disagreement_matrix`; n_labels: answers on the scale, including unused ones.
    Undefined without an item rated by both, or where both gave one and the same answer everywhere.
    Raises ValueError for invalid arrays.
    Source: Cohen (1960, 1968).
    """
    return kappa_of_table(contingency_table(a, b, n_labels), weights=weights, points=points)


def kappa_of_table(
    table: NDArray[np.integer], *, weights: Weights = "nominal", points: Sequence[float] | None = None
) -> Value:
    """Cohen's kappa of a square table of counts (rows: one rater's answers, columns: the other's)."""
    counts = np.asarray(table)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or (counts < 0).any():
        raise ValueError(f"the table has shape {counts.shape}: give as many rows as columns, of counts")
    if not counts.any():
        return Value.none(NO_PAIR)
    apart = disagreement_matrix(weights, len(counts), points)
    n = counts.sum(dtype=float)
    expected = counts.sum(axis=1, dtype=float) @ apart @ counts.sum(axis=0, dtype=float)
    if expected <= 0:
        return Value.none(ONE_LABEL)
    return Value.of(1 - n * float((counts * apart).sum()) / float(expected))


def kappa_statistic(a: Ints, b: Ints, apart: Floats) -> Statistic:
    """Cohen's kappa for the bootstrap; a, b: (units,), -1 where missing; apart: disagreements, see `scales`."""
    both = (a >= 0) & (b >= 0)
    if not both.any():
        return undefined_statistic(NO_PAIR)
    labels = np.arange(len(apart))
    rows = np.hstack(
        [
            both[:, None],
            np.where(both, apart[a, b], 0)[:, None],
            both[:, None] & (a[:, None] == labels),
            both[:, None] & (b[:, None] == labels),
        ]
    ).astype(float)

    def sum_expected(sums: Floats) -> Floats:
        first, second = sums[..., 2 : 2 + len(apart)], sums[..., 2 + len(apart) :]
        return np.asarray(((first @ apart) * second).sum(axis=-1))

    def finish(sums: Floats) -> Floats:
        return np.asarray(1 - ratio_or_nan(sums[..., 0] * sums[..., 1], sum_expected(sums)))

    def expect(sums: Floats) -> Floats:
        return ratio_or_nan(sum_expected(sums), sums[..., 0] ** 2)

    of_units = np.where(both, rows[:, 1], np.nan)
    return Statistic(rows, finish, otherwise=ONE_LABEL, apart=of_units, expected=expect)


def pairs_mean_statistic(ratings: Ratings, apart: Floats) -> Statistic:
    """The mean of Cohen's kappa over all pairs of raters for which it is defined in these data.

    A replicate in which one of them is undefined counts as undefined, so that all replicates average the same pairs.
    Source: Light (1971), "Measures of response agreement for qualitative data".
    """
    columns = [ratings.column(rater) for rater in range(ratings.n_raters)]
    pairs = [kappa_statistic(a, b, apart) for a, b in combinations(columns, 2)]
    defined_pairs = [pair for pair in pairs if not pair.undefined and pair.value().defined]
    if not defined_pairs:
        return undefined_statistic("no two raters have a defined kappa with each other")
    width = defined_pairs[0].rows.shape[1]

    def finish(sums: Floats) -> Floats:
        kappas = [pair.finish(sums[..., at * width : (at + 1) * width]) for at, pair in enumerate(defined_pairs)]
        return np.asarray(np.mean(kappas, axis=0))

    def expect(sums: Floats) -> Floats:
        """The harmonic mean: where nobody disagrees yet, each kappa would fall by a share of 1 / D_e."""
        finishes = [pair.expected for pair in defined_pairs if pair.expected is not None]
        chances = [expected(sums[..., at * width : (at + 1) * width]) for at, expected in enumerate(finishes)]
        return np.asarray(1 / np.mean(1 / np.array(chances), axis=0))

    of_pairs = np.array([pair.apart for pair in defined_pairs])
    n_pairs = np.isfinite(of_pairs).sum(axis=0)
    of_units = np.where(n_pairs > 0, np.nansum(of_pairs, axis=0) / np.maximum(n_pairs, 1), np.nan)
    return Statistic(np.hstack([pair.rows for pair in defined_pairs]), finish, apart=of_units, expected=expect)

"""Why kappa is low or high: prevalence and bias of two raters with two answers, and what is left without them.

With the table a (both yes), b (first yes, second no), c (first no, second yes), d (both no) and n items:
prevalence index (a - d) / n, bias index (b - c) / n, PABAK = 2 (a + d) / n - 1, and
kappa = (PABAK - PI^2 + BI^2) / (1 - PI^2 + BI^2).
Source: Byrt, Bishop and Carlin (1993), "Bias, prevalence and kappa".
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from epitome.agreement.intervals import Statistic, ratio_or_nan, undefined_statistic
from epitome.agreement.kappa import NO_PAIR
from epitome.agreement.scales import Floats, Ints
from epitome.measures.values import Value

NAMES = ("prevalence_index", "bias_index", "pabak", "positive_agreement", "negative_agreement")
NO_SUCH_ANSWER = "neither rater gave that answer"


@dataclass(frozen=True)
class Indices:
    """Shares of items; prevalence and bias keep their sign (above 0: more yes; the first rater says yes more often).

    positive_agreement, negative_agreement: agreement on yes, 2a / (2a + b + c), and on no, 2d / (2d + b + c).
    """

    prevalence_index: Value
    bias_index: Value
    pabak: Value
    positive_agreement: Value
    negative_agreement: Value


def agreement_indices(a: NDArray[np.integer], b: NDArray[np.integer]) -> Indices:
    """The indices of two raters. a, b: (items,) 1 for yes, 0 for no, -1 where missing.

    Undefined without an item rated by both. Raises ValueError for other numbers or shapes.
    Source: Byrt et al. (1993); Cicchetti and Feinstein (1990), "High agreement but low kappa: II".
    """
    first, second = np.asarray(a), np.asarray(b)
    if first.ndim != 1 or first.shape != second.shape or not np.isin([*first, *second], (-1, 0, 1)).all():
        raise ValueError("give one answer of each rater per item: 1 for yes, 0 for no, -1 where missing")
    return Indices(**{name: statistic.value() for name, statistic in index_statistics(first, second).items()})


def _expect_half(sums: Floats) -> Floats:
    return np.full(sums.shape[:-1], 0.5)


def index_statistics(a: Ints, b: Ints) -> dict[str, Statistic]:
    """Each index for the bootstrap; a, b: (units,), 1, 0, or -1 where missing."""
    both = (a >= 0) & (b >= 0)
    if not both.any():
        return {name: undefined_statistic(NO_PAIR) for name in NAMES}
    cells = [both & (a == first) & (b == second) for first, second in ((1, 1), (1, 0), (0, 1), (0, 0))]
    rows = np.column_stack(cells).astype(float)

    def prevalence(sums: Floats) -> Floats:
        return ratio_or_nan(sums[..., 0] - sums[..., 3], sums.sum(axis=-1))

    def bias(sums: Floats) -> Floats:
        return ratio_or_nan(sums[..., 1] - sums[..., 2], sums.sum(axis=-1))

    def pabak(sums: Floats) -> Floats:
        return np.asarray(2 * ratio_or_nan(sums[..., 0] + sums[..., 3], sums.sum(axis=-1)) - 1)

    def positive(sums: Floats) -> Floats:
        return ratio_or_nan(2 * sums[..., 0], 2 * sums[..., 0] + sums[..., 1] + sums[..., 2])

    def negative(sums: Floats) -> Floats:
        return ratio_or_nan(2 * sums[..., 3], 2 * sums[..., 3] + sums[..., 1] + sums[..., 2])

    finishes = (prevalence, bias, pabak, positive, negative)
    statistics = {
        name: Statistic(rows, finish, otherwise=NO_SUCH_ANSWER) for name, finish in zip(NAMES, finishes, strict=True)
    }
    of_units = np.where(both, a != b, np.nan)
    statistics["pabak"] = replace(statistics["pabak"], apart=of_units, expected=_expect_half)
    return statistics

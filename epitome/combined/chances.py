"""Whom to show to people: items drawn with known, unequal chances, and estimates that take them into account.

theta = 1/T sum over all T items of l G + (H - l G) x / pi, x = 1 where people were asked, with chance pi. Whatever the
judge says, the expectation is the mean of H. Without a judge, the weighted mean (Hajek). The best chances are
proportional to the root of the expected squared error of the judge, E[(H - G)^2 | features].
Source: Zrnic and Candes, "Active Statistical Inference", ICML 2024; Angelopoulos et al., "Cost-Optimal Active AI Model
Evaluation", arXiv 2506.07949 (2025); Horvitz and Thompson (1952), JASA 47; Hajek (1971).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from epitome.combined.estimates import (
    LEVEL,
    Estimate,
    conclude_basis,
    conclude_tuned,
    rest_on_people,
    tune_weight,
)
from epitome.combined.intervals import Basis
from epitome.combined.judged_items import JudgedItems, TooFew
from epitome.metrics.bootstrap import Floats, Ints

LEAST_PILOT = 20
RIDGE = 1.0


def share_out(sizes: Sequence[float] | Floats, n: int, floor: float = 0.05) -> Floats:
    """(T,) chances from `floor` to 1 with sum n, beyond the floor proportional to `sizes` (0 or more each).

    Raises ValueError where n is more than there are items, or less than the floor asks for.
    """
    weights = np.asarray(sizes, dtype=float)
    total = len(weights)
    if not 0 < floor <= 1 or (weights < 0).any() or not np.isfinite(weights).all():
        raise ValueError("sizes are finite and not negative, and the floor is above 0 and at most 1")
    if not floor * total <= n <= total:
        raise ValueError(
            f"{n} of {total} items with a chance of at least {floor}: choose {floor * total:.0f} to {total}"
        )
    if not weights.any():
        return np.full(total, n / total)
    low, high = 0.0, 1.0
    while np.clip(weights * high, floor, 1.0).sum() < n and high < 1e300:
        high *= 2
    for _halving in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if np.clip(weights * middle, floor, 1.0).sum() < n else (low, middle)
    chances = np.clip(weights * high, floor, 1.0)
    missing = n - chances.sum()  # items of size 0 stay at the floor; where all others are certain, they share the rest
    rest = chances < 1
    if missing > 1e-9 and rest.any():
        chances[rest] += missing / rest.sum()
    return np.asarray(np.minimum(chances, 1.0))


def draw_items(chances: Sequence[float] | Floats, seed: int) -> Ints:
    """The numbers of the drawn items, sorted: each with its chance, as many as the chances sum to (rounded up or down).

    Systematic sampling in a random order: a point every 1.0 along the chances laid end to end.
    """
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(chances))
    ends = np.cumsum(np.asarray(chances, dtype=float)[order])
    points = rng.uniform() + np.arange(int(np.ceil(ends[-1])) if len(ends) else 0)
    places = np.searchsorted(ends, points[points < ends[-1] - 1e-12] if len(ends) else points, side="right")
    return np.sort(order[np.unique(places)])


@dataclass(frozen=True)
class ErrorModel:
    """Predicts the judge's squared error from features: a ridge regression on standardised features, never below the
    least that half the pilot's items of smallest error suggest."""

    means: Floats
    spreads: Floats
    weights: Floats
    least_error: float

    def predict(self, features: "np.typing.ArrayLike") -> Floats:
        """(T,) expected squared errors, above 0. features: (T, p)."""
        rows = (np.asarray(features, dtype=float) - self.means) / self.spreads
        return np.asarray(np.maximum(self.least_error, self.weights[0] + rows @ self.weights[1:]), dtype=float)

    def best_sizes(self, features: "np.typing.ArrayLike") -> Floats:
        """(T,) what `share_out` shares by: the roots of the expected squared errors."""
        return np.sqrt(self.predict(features))


def fit_errors(features: "np.typing.ArrayLike", human: Sequence[float], judge: Sequence[float]) -> ErrorModel:
    """From a pilot: features (n, p) known before people are asked, as the judge's uncertainty or how metrics disagree.

    Raises TooFew below `LEAST_PILOT` items.
    """
    rows = np.asarray(features, dtype=float)
    if len(rows) < LEAST_PILOT:
        raise TooFew(f"{len(rows)} items with both judgements: at least {LEAST_PILOT} are needed to learn from")
    errors = (np.asarray(human, dtype=float) - np.asarray(judge, dtype=float)) ** 2
    means, spreads = rows.mean(axis=0), rows.std(axis=0)
    spreads = np.where(spreads > 0, spreads, 1.0)
    design = np.column_stack([np.ones(len(rows)), (rows - means) / spreads])
    penalty = RIDGE * np.eye(design.shape[1])
    penalty[0, 0] = 0.0
    weights = np.linalg.solve(design.T @ design + penalty, design.T @ errors)
    least_error = max(1e-6, 0.1 * float(errors.mean()))
    return ErrorModel(means, spreads, weights, least_error)


def estimate_by_chance(
    items: JudgedItems, level: float = LEVEL, null: float = 0.0, weight: float | None = 1.0
) -> Estimate:
    """People and judge where people were asked with unequal, known chances. weight: l of the judge; None: tuned on the
    same rows. Raises TooFew."""
    basis = _rest_on_weighted(items)
    is_shown = items.is_human
    total = len(items.judge)
    inverse = np.where(is_shown, 1 / items.chance, 0.0)
    human = np.where(is_shown, items.human, 0.0)
    judge_part = items.judge * (inverse - 1)
    tuned = weight is None
    if weight is None:
        centred = human * inverse - (human * inverse).mean()
        weight = tune_weight(centred, judge_part - judge_part.mean(), items.sources)
    contributions = human * inverse - weight * judge_part
    value = float(contributions.mean())
    influence = (contributions - value) / total
    return conclude_tuned(items, value, influence, basis, weight, level, null, is_tuned=tuned)


def estimate_weighted(items: JudgedItems, level: float = LEVEL, null: float = 0.0) -> Estimate:
    """People alone, asked with unequal chances: the mean weighted by 1 / chance (Hajek). Raises TooFew."""
    return conclude_basis(items, _rest_on_weighted(items), 0.0, level, null)


def _rest_on_weighted(items: JudgedItems) -> Basis:
    return rest_on_people(items, 1 / items.chance[items.is_human])

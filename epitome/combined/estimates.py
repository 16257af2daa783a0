"""The mean that people would give all items, from people's judgements of some and a judge's of all.

theta = mean_n(H) - l (mean_n(G) - mean_N(G)): H people, G judge, n items with both, N items with G alone. The weight l
of the judge makes the variance least: l = Cov(H, G) / ((1 + n / N) Var(G)) for independent items, between 0 and 1.
Source: Angelopoulos, Bates, Fannjiang, Jordan, Zrnic, "Prediction-powered inference", Science 382 (2023), 669-674;
Angelopoulos, Duchi, Zrnic, "PPI++: Efficient Prediction-Powered Inference", arXiv 2311.01453 (2023), example 6.1.
Here items of one source belong together: the variance is that of the sums over sources of each item's influence
(cluster-robust, with k / (k - 1) for k sources), and l is chosen by the same sums; with one item a source these are the
formulas of the papers. Intervals are those of `intervals`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from epitome.combined.intervals import Basis, InfluencedMean, bound_mean, make_basis, sum_by_source
from epitome.combined.judged_items import JudgedItems, TooFew
from epitome.metrics.bootstrap import Floats, Ints

LEVEL = 0.95
LEAST_SOURCES = 3
LEAST_DEVIATING = 3


@dataclass(frozen=True)
class Estimate:
    """A mean in the scale's unit with its interval.

    weight: l, how much the judge counts, 0 to 1. n_human: items with people's judgement; n_judge: items with the
    judge's alone. effective_n: how many human judgements alone would give this standard error. sources: those that the
    interval rests on (with people's judgements; of the judge alone: all). p_value: two-sided, of "the mean is `null`".
    deviating: how many sources of equal weight would make up the variance of people's judgements (or the judge's).
    """

    value: float
    error: float
    low: float
    high: float
    level: float
    weight: float
    n_human: int
    n_judge: int
    sources: int
    effective_n: float
    null: float
    p_value: float
    deviating: float = 0.0

    @property
    def width(self) -> float:
        return self.high - self.low


def estimate_people(items: JudgedItems, level: float = LEVEL, null: float = 0.0) -> Estimate:
    """From people's judgements alone. Raises TooFew for fewer than `LEAST_SOURCES` sources with judgements."""
    return conclude_basis(items, rest_on_people(items), 0.0, level, null)


def rest_on_people(items: JudgedItems, weights: Floats | None = None) -> Basis:
    """The mean of people's judgements, weighted by these; None: equally. Raises TooFew."""
    count_human_sources(items)
    human = items.human[items.is_human]
    return make_basis(items, human, items.is_human, np.ones(len(human)) if weights is None else weights)


def estimate_judge(items: JudgedItems, level: float = LEVEL, null: float = 0.0) -> Estimate:
    """From the judge alone: of what the judge says, not of what people would; its bias is not in the interval."""
    k = len(np.unique(items.sources))
    if k < LEAST_SOURCES:
        raise TooFew(f"{k} sources with the judge's judgements: at least {LEAST_SOURCES} are needed for an interval")
    n = len(items.judge)
    basis = make_basis(items, items.judge, np.ones(n, dtype=bool), np.ones(n))
    return conclude_basis(items, basis, 1.0, level, null)


def estimate_combined(items: JudgedItems, level: float = LEVEL, null: float = 0.0) -> Estimate:
    """From people and judge, for items that were equally likely to be shown to people (else `estimate_by_chance`).

    Where the judge makes the interval no narrower, or where people's judgements differ in fewer than `LEAST_DEVIATING`
    sources, so that nobody knows how good it is, its weight is 0 and people's estimate is kept. Raises TooFew.
    """
    basis = rest_on_people(items)
    people = conclude_basis(items, basis, 0.0, level, null)
    is_shown = items.is_human
    if is_shown.all() or basis.deviating < LEAST_DEVIATING:
        return people
    judge_part = _judge_influences(items, is_shown)
    weight = tune_weight(basis.part, judge_part, items.sources)
    if not weight:
        return people
    shift = float(items.judge[is_shown].mean() - items.judge[~is_shown].mean())
    influence = basis.part - weight * judge_part
    combined = conclude_tuned(items, basis.mean - weight * shift, influence, basis, weight, level, null)
    return combined if combined.width < people.width else people


def tune_weight(human_part: Floats, judge_part: Floats, sources: Ints) -> float:
    """The weight between 0 and 1 with the least variance of `human_part - weight * judge_part` summed by source."""
    of_human, of_judge = sum_by_source(human_part, sources), sum_by_source(judge_part, sources)
    spread = float(of_judge @ of_judge)
    return min(1.0, max(0.0, float(of_human @ of_judge) / spread)) if spread > 0 else 0.0


def _judge_influences(items: JudgedItems, is_shown: "np.typing.NDArray[np.bool_]") -> Floats:
    """(n,) each item's share in the deviation of mean_n(G) - mean_N(G)."""
    n, rest = is_shown.sum(), (~is_shown).sum()
    judge_part = np.zeros(len(is_shown))
    judge_part[is_shown] = (items.judge[is_shown] - items.judge[is_shown].mean()) / n
    judge_part[~is_shown] = -(items.judge[~is_shown] - items.judge[~is_shown].mean()) / rest
    return judge_part


def conclude_basis(items: JudgedItems, basis: Basis, weight: float, level: float, null: float) -> Estimate:
    """The estimate from people's judgements alone (weight 0), or from the judge's (1)."""
    mean = InfluencedMean(basis.mean, basis.error, basis.part, basis.takes_part, basis.sources - 1)
    return _make_estimate(items, mean, basis, weight, level, null)


def conclude_tuned(
    items: JudgedItems,
    value: float,
    influence: Floats,
    basis: Basis,
    weight: float,
    level: float,
    null: float,
    *,
    is_tuned: bool = True,
) -> Estimate:
    """The combined estimate from each item's influence on it; (n,). basis: people's judgements alone.

    is_tuned: the weight was chosen on the same items, which costs a degree of freedom.
    """
    sums = sum_by_source(influence, items.sources)
    freedom = basis.sources - 1 - is_tuned
    error = sqrt(float(sums @ sums) * basis.sources / freedom)
    mean = InfluencedMean(value, error, influence, np.ones(len(influence), dtype=bool), freedom)
    return _make_estimate(items, mean, basis, weight, level, null)


def _make_estimate(
    items: JudgedItems, mean: InfluencedMean, basis: Basis, weight: float, level: float, null: float
) -> Estimate:
    bounds = bound_mean(items, mean, basis, level, null)
    n_human = items.n_human
    return Estimate(
        value=mean.value,
        error=mean.error,
        low=bounds.low,
        high=bounds.high,
        level=level,
        weight=weight,
        n_human=n_human,
        n_judge=len(items.judge) - n_human,
        sources=basis.sources,
        effective_n=n_human * (basis.error / mean.error) ** 2 if mean.error else float(n_human),
        null=null,
        p_value=bounds.p_value,
        deviating=basis.deviating,
    )


def count_human_sources(items: JudgedItems) -> int:
    """Sources with judgements of people. Raises TooFew where they are fewer than `LEAST_SOURCES`."""
    k = len(np.unique(items.sources[items.is_human]))
    if k < LEAST_SOURCES:
        raise TooFew(f"{k} sources with people's judgements: at least {LEAST_SOURCES} are needed for an interval")
    return k


def replicate_estimates(items: JudgedItems, replicates: int, seed: int) -> Floats:
    """(replicates,) the combined value with whole sources drawn anew, the weight tuned in each; NaN where a draw has
    no judgement of people or of the judge alone. For intervals that assume nothing of the spread."""
    rng = np.random.default_rng(seed)
    codes = np.unique(items.sources, return_inverse=True)[1]
    by_source = [np.flatnonzero(codes == code) for code in range(codes.max() + 1)]
    values = np.full(replicates, np.nan)
    for index in range(replicates):
        drawn = rng.integers(0, len(by_source), len(by_source))
        rows = np.concatenate([by_source[code] for code in drawn])
        labels = np.repeat(np.arange(len(drawn)), [len(by_source[code]) for code in drawn])
        values[index] = _drawn_value(items, rows, labels)
    return values


def _drawn_value(items: JudgedItems, rows: Ints, labels: Ints) -> float:
    drawn = JudgedItems(items.human[rows], items.judge[rows], items.chance[rows], labels, items.low, items.high)
    is_shown = drawn.is_human
    if not is_shown.any() or is_shown.all():
        return float(drawn.human.mean()) if is_shown.all() else float("nan")
    human_part = np.where(is_shown, (drawn.human - drawn.human[is_shown].mean()) / is_shown.sum(), 0.0)
    weight = tune_weight(human_part, _judge_influences(drawn, is_shown), labels)
    return float(drawn.human[is_shown].mean() - weight * (drawn.judge[is_shown].mean() - drawn.judge[~is_shown].mean()))


def holm_estimates(estimates: Sequence[Estimate]) -> list[float]:
    """The estimates' p-values corrected for their number (Holm)."""
    from epitome.metrics.significance import holm

    return holm([estimate.p_value for estimate in estimates])

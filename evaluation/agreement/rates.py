"""How often the answer was yes: per rater, pooled over raters, and by all raters of an item."""

from dataclasses import dataclass, field

import numpy as np

from annotation.measures.values import Value
from evaluation.agreement.design_effect import effective_numbers
from evaluation.agreement.intervals import (
    Estimate,
    Statistic,
    estimate_statistics,
    ratio_or_nan,
    undefined_statistic,
    wilson_interval,
)
from evaluation.agreement.scales import Floats
from evaluation.agreement.table import Ratings, is_yes

NOT_YES_NO = "the answers are not yes and no"


@dataclass(frozen=True)
class YesRates:
    """raters: each rater's share of yes with its Wilson interval; answers_of: each rater's number of answers.

    A rater's interval takes the effective number of answers, which is below answers_of where several are about one
    cluster (source or item). pooled: share of all judgements, all_yes: share of the items rated twice whose raters all
    said yes; both with an interval by the bootstrap over clusters.
    """

    pooled: Estimate
    all_yes: Estimate
    raters: dict[str, Estimate] = field(default_factory=dict)
    answers_of: dict[str, int] = field(default_factory=dict)


def yes_rates(ratings: Ratings, raters: tuple[str, ...], *, replicates: int, seed: int) -> YesRates:
    """The rates of ratings whose answers are all yes or no, undefined for others; raters: their names."""
    yes_labels = [is_yes(label) for label in ratings.labels]
    if None in yes_labels:
        return YesRates(Estimate.none(NOT_YES_NO), Estimate.none(NOT_YES_NO))
    said_yes = np.array([bool(label_is_yes) for label_is_yes in yes_labels])[ratings.answers]
    of_rater = np.bincount(ratings.raters, minlength=len(raters)).tolist()
    yes_of_rater = np.bincount(ratings.raters, weights=said_yes, minlength=len(raters)).astype(int).tolist()
    answers_of = dict(zip(raters, of_rater, strict=True))
    effective = effective_numbers(
        ratings.raters, ratings.clusters[ratings.units], said_yes.astype(float), len(raters)
    ).tolist()
    rate_by_rater = {
        name: Estimate(Value.of(yes / n), wilson_interval(yes / n * n_effective, n_effective))
        for name, yes, n, n_effective in zip(raters, yes_of_rater, of_rater, effective, strict=True)
    }
    n_ratings = np.bincount(ratings.units, minlength=ratings.n_units).astype(float)
    yes_of_unit = np.bincount(ratings.units, weights=said_yes, minlength=ratings.n_units)
    rated_twice = n_ratings >= 2
    statistics = {
        "pooled": Statistic(np.column_stack([yes_of_unit, n_ratings]), _yes_share),
        "all_yes": Statistic(
            np.column_stack([rated_twice & (yes_of_unit == n_ratings), rated_twice]).astype(float), _yes_share
        )
        if rated_twice.any()
        else undefined_statistic("no item has two ratings"),
    }
    rate_estimates = estimate_statistics(statistics, ratings.clusters, replicates=replicates, seed=seed)
    return YesRates(rate_estimates["pooled"], rate_estimates["all_yes"], rate_by_rater, answers_of)


def _yes_share(sums: Floats) -> Floats:
    return ratio_or_nan(sums[..., 0], sums[..., 1])

"""How often the answer was yes: per rater, pooled over raters, and by all raters of an item."""

from dataclasses import dataclass, field

import numpy as np

from epitome.agreement.design_effect import estimate_coded
from epitome.agreement.effective_number import effective_numbers
from epitome.agreement.intervals import Estimate, wilson_interval
from epitome.agreement.table import Ratings, is_yes
from epitome.measures.values import Value

NOT_YES_NO = "the answers are not yes and no"


@dataclass(frozen=True)
class YesRates:
    """pooled: share of all judgements; all_yes: share of the items rated twice whose raters all said yes; raters: each
    rater's share of yes; answers_of: each rater's number of answers.

    All with Wilson's interval on the effective number of answers (or items), which is below their number where several
    are about one cluster (source or item).
    """

    pooled: Estimate
    all_yes: Estimate
    raters: dict[str, Estimate] = field(default_factory=dict)
    answers_of: dict[str, int] = field(default_factory=dict)


def yes_rates(ratings: Ratings, raters: tuple[str, ...]) -> YesRates:
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
    all_yes = Estimate.none("no item has two ratings")
    if rated_twice.any():
        agreed = (yes_of_unit == n_ratings)[rated_twice].astype(float)
        all_yes = estimate_coded(agreed, ratings.clusters[rated_twice])
    pooled = estimate_coded(said_yes.astype(float), ratings.clusters[ratings.units])
    return YesRates(pooled, all_yes, rate_by_rater, answers_of)

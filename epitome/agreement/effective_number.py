"""How many independent answers a share is worth when several of them are about one source.

The design effect is the variance of the share between sources over that of as many independent answers; the effective
number of answers is n over it. Wilson's interval takes that number in place of n.
Source: Kish (1965), "Survey Sampling", 8.2; Korn and Graubard (1998), "Confidence intervals for proportions with small
expected number of positive counts estimated from survey data".
"""

import numpy as np

from epitome.agreement.scales import Floats, Ints


def effective_numbers(groups: Ints, clusters: Ints, flags: Floats, n_groups: int) -> Floats:
    """The effective number of answers of each group (such as a rater), shape (n_groups,); 0 for a group without.

    groups, clusters, flags: (answers,), whose each answer is, which source it is about, and 1 for yes or 0 for no (or a
        number between them, whose spread is taken to be no smaller than that of as many answers of yes and no).
    Never above the number of answers, and equal to it where every answer is about a source of its own. A group whose
    answers are all the same says nothing about its design effect, and counts as if a source had one answer.
    """
    if not len(groups):
        return np.zeros(n_groups)
    width = int(clusters.max()) + 1
    pairs, place = np.unique(groups.astype(np.int64) * width + clusters, return_inverse=True)
    group_of_pair = pairs // width
    sizes = np.bincount(place.reshape(-1)).astype(float)
    n = np.bincount(groups, minlength=n_groups).astype(float)
    share = np.divide(np.bincount(groups, weights=flags, minlength=n_groups), n, out=np.zeros(n_groups), where=n > 0)
    deviations = np.bincount(place.reshape(-1), weights=flags) - share[group_of_pair] * sizes

    def sum_by_group(of_pairs: Floats) -> Floats:
        return np.asarray(np.bincount(group_of_pair, weights=of_pairs, minlength=n_groups), dtype=float)

    n_clusters = sum_by_group(np.ones(len(pairs)))
    alike = np.divide(n * n, sum_by_group(sizes * sizes), out=np.zeros(n_groups), where=n > 0)
    between = sum_by_group(deviations**2) * n_clusters / np.maximum(n_clusters - 1, 1)
    within = n * share * (1 - share) * n / np.maximum(n - 1, 1)
    effect = np.maximum(1.0, np.divide(between, within, out=np.ones(n_groups), where=within > 0))
    return np.asarray(np.where((within > 0) & (n_clusters > 1), n / effect, alike))

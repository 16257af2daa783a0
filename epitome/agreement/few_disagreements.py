"""How low agreement may be where raters hardly ever disagreed.

A bootstrap cannot draw a disagreement that never happened: its intervals of 20 items with 90 % yes hold the true kappa
in .6 of rounds, and perfect agreement gives [1, 1]. Where fewer than `FEW` sources have a disagreement, the interval
reaches as far as Wilson's of the observed disagreement does (on the effective number of items), put through the
coefficient 1 - D_o / D_e with D_e as it is in the data. How often it holds the truth: `benchmarks.coverage`.
Source: Wilson (1927) for the share.
"""

from statistics import NormalDist

import numpy as np

from epitome.agreement.effective_number import effective_numbers
from epitome.agreement.scales import Floats, Ints
from epitome.measures.shares import wilson_bounds

FEW = 10
"""Sources with a disagreement: from so many on the bootstrap is right by itself."""
WORST = -1.0


def bound_agreement(
    apart: Floats, clusters: Ints, value: float, expected: float, level: float
) -> tuple[float, float] | None:
    """The ends of a coefficient with few disagreements, from -1 to 1; None where there are enough of them, or where no
    disagreement is expected.

    apart: (units,) disagreement of each unit, 0 to 1, NaN for one that does not count; clusters: (units,) its source.
    value: the coefficient; expected: D_e, above 0. Disagreements above 1 (of weights of one's own) give None.
    """
    counts = np.isfinite(apart)
    seen, sources = apart[counts], np.unique(clusters[counts], return_inverse=True)[1].astype(np.int64)
    if len(seen) < 2 or len(np.unique(sources[seen > 0])) >= FEW or seen.max() > 1:
        return None
    mean = float(seen.mean())
    chance_disagreement = mean / (1 - value) if mean > 0 and value < 1 else expected
    if not chance_disagreement > 0:
        return None
    n = float(effective_numbers(np.zeros(len(seen), dtype=np.int64), sources, seen, 1)[0])
    low, high = wilson_bounds(mean * n, n, NormalDist().inv_cdf((1 + level) / 2))
    return max(WORST, 1 - high / chance_disagreement), min(1.0, 1 - low / chance_disagreement)

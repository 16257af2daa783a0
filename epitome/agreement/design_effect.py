"""Shares with Wilson's interval on the effective number of answers, see `effective_number`."""

from collections.abc import Hashable, Sequence

import numpy as np

from epitome.agreement.effective_number import effective_numbers
from epitome.agreement.intervals import Estimate, wilson_interval
from epitome.agreement.scales import Floats, Ints
from epitome.measures.values import Value


def estimate_share(values: Sequence[float], sources: Sequence[Hashable]) -> Estimate:
    """The share of true flags with Wilson's 95 % interval on the effective number of answers.

    values: 1 or true where the answer counts, 0 or false where not, .5 for half (a tie); sources: of each answer.
    Undefined without answers. Raises ValueError for lists of different length and for numbers outside 0 to 1.
    """
    if len(values) != len(sources):
        raise ValueError(f"{len(values)} answers and {len(sources)} sources: give the source of every answer")
    if not len(values):
        return Estimate.none("no answers")
    code_by_source: dict[Hashable, int] = {}
    codes = np.array([code_by_source.setdefault(source, len(code_by_source)) for source in sources], dtype=np.int64)
    return estimate_coded(np.array(values, dtype=float), codes)


def estimate_coded(flags: Floats, codes: Ints) -> Estimate:
    """`estimate_share` of at least one answer whose sources are numbers from 0."""
    if not ((flags >= 0) & (flags <= 1)).all():
        raise ValueError("a share is of numbers from 0 to 1")
    n = float(effective_numbers(np.zeros(len(flags), dtype=np.int64), codes, flags, 1)[0])
    share = float(flags.sum()) / len(flags)
    return Estimate(Value.of(share), wilson_interval(share * n, n))

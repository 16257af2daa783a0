"""Intervals of shares."""

_Z = 1.959963984540054


def wilson_bounds(successes: float, n: float, z: float = _Z) -> tuple[float, float]:
    """The ends of the Wilson score interval of a share of n > 0 independent answers, or of an effective number.

    z: the normal quantile of the interval's ends, by default that of 95 %.

    Source: Wilson (1927), "Probable inference, the law of succession, and statistical inference", JASA 22, 209-212.
    """
    share = successes / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * ((share * (1 - share) / n + z * z / (4 * n * n)) ** 0.5)
    # At 0 and n the formula gives exactly 0 and 1, but for rounding.
    return max(0.0, middle - half) if successes else 0.0, min(1.0, middle + half) if successes < n else 1.0

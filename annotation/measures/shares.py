"""Intervals of shares."""

_Z = 1.959963984540054


def wilson_bounds(successes: float, n: float) -> tuple[float, float]:
    """The ends of the 95 % Wilson score interval of a share of n > 0 independent answers, or of an effective number.

    Source: Wilson (1927), "Probable inference, the law of succession, and statistical inference", JASA 22, 209-212.
    """
    share = successes / n
    middle = (share + _Z * _Z / (2 * n)) / (1 + _Z * _Z / n)
    half = _Z / (1 + _Z * _Z / n) * ((share * (1 - share) / n + _Z * _Z / (4 * n * n)) ** 0.5)
    # At 0 and n the formula gives exactly 0 and 1, but for rounding.
    return max(0.0, middle - half) if successes else 0.0, min(1.0, middle + half) if successes < n else 1.0

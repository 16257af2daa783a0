"""Quantiles of Student's t for whole degrees of freedom, without scipy, which the base install does not have."""

from math import atan, cos, pi, sin, sqrt
from statistics import NormalDist

MANY = 1000
"""Degrees of freedom from which on the expansion around the normal quantile is exact to 1e-10."""


def central_share(t: float, freedom: int) -> float:
    """The share of Student's t between -t and t. Source: Abramowitz and Stegun (1964), 26.7.3 and 26.7.4."""
    angle = atan(t / sqrt(freedom))
    square, total = cos(angle) ** 2, 0.0
    odd = freedom % 2
    term = cos(angle) if odd else 1.0
    for position in range(1, freedom // 2 + 1):
        total += term
        term *= square * (2 * position / (2 * position + 1) if odd else (2 * position - 1) / (2 * position))
    return 2 / pi * (angle + sin(angle) * total) if odd else sin(angle) * total


def quantile(share: float, freedom: int) -> float:
    """The value below which this share (above one half) of Student's t lies. Raises ValueError for other input."""
    if not 0.5 < share < 1 or freedom < 1:
        raise ValueError(f"a share between .5 and 1 and at least 1 degree of freedom, not {share} and {freedom}")
    z = NormalDist().inv_cdf(share)
    if freedom >= MANY:
        first = (z**3 + z) / 4
        second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
        third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
        return z + first / freedom + second / freedom**2 + third / freedom**3
    low, high = 0.0, 2 * z
    while central_share(high, freedom) < 2 * share - 1:
        high *= 2
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if central_share(middle, freedom) < 2 * share - 1 else (low, middle)
    return high

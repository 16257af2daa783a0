"""What somebody finds who knows the exported rows and the printed formulas alone, with another library's t."""

from math import sqrt

import numpy as np
from scipy import stats


def share_interval(theta, error, sums, of_people, mean, least, inflation=1.0):
    """The interval of a mean from 0 to 1. sums: D_s, of_people: E_s; least: of the degrees of freedom;
    inflation: f."""
    sums, of_people = np.asarray(sums), np.asarray(of_people)
    shifts = sums**2 / (sums @ sums) - 1 / len(sums) - (1 - 2 * mean) * of_people / (mean * (1 - mean))
    freedom = min(1000, max(least, int(2 / (shifts @ shifts))))
    c = stats.t.ppf(0.975, freedom) ** 2 * inflation * error**2 / (mean * (1 - mean))
    x = min(1.0, max(0.0, theta))
    half = sqrt(c * x * (1 - x) + c**2 / 4)
    return (x + c / 2 - half) / (1 + c), (x + c / 2 + half) / (1 + c)


def find_inflation(values, of_people, error, shares, mean):
    """f. values: H; shares: w_s."""
    of_people, shares = np.asarray(of_people), np.asarray(shares)
    if (of_people @ of_people) ** 2 / (of_people**4).sum() >= 5:
        return 1.0
    return max(1.0, float(((np.asarray(values) - mean) ** 2).mean()) * (shares @ shares) / error**2)

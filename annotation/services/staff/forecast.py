"""When the writing will be done at the pace of the last two weeks. Pure; days in, days out."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from math import ceil, sqrt
from statistics import NormalDist, mean, stdev

WINDOW = 14
"""Days whose pace counts; today is left out, for it is not over."""
FEWEST = 3
"""Fewer days since the first summary say nothing of a pace."""
FURTHEST = 3 * 365
"""A day further away than this is no forecast."""
COVERAGE = 0.8
_Z = NormalDist().inv_cdf(0.5 + COVERAGE / 2)


@dataclass(frozen=True, slots=True)
class Forecast:
    """pace: summaries a day over the window; done_on: when nothing is left at that pace; earliest, latest: the same at
    the ends of the pace's 80 % interval (normal approximation of the mean of the days), latest None where that
    interval reaches 0 or leads further than three years."""

    pace: float
    done_on: date
    earliest: date
    latest: date | None


def forecast_completion(written: Mapping[date, int], remaining: int, today: date) -> Forecast | None:
    """written: day -> number, days without any may be absent. None: nothing is left, nothing was written in the window,
    writing began less than `FEWEST` days before today, or the end is further away than three years."""
    if remaining <= 0 or not written:
        return None
    n_days = min(WINDOW, (today - min(written)).days)
    if n_days < FEWEST:
        return None
    numbers = [written.get(today - timedelta(days=back), 0) for back in range(1, n_days + 1)]
    pace, spread = mean(numbers), _Z * stdev(numbers) / sqrt(n_days)
    done_on = _find_end(remaining, pace, today)
    if done_on is None:
        return None
    earliest = _find_end(remaining, pace + spread, today) or done_on
    return Forecast(pace, done_on, earliest, _find_end(remaining, pace - spread, today))


def _find_end(remaining: int, pace: float, today: date) -> date | None:
    if pace <= 0 or remaining / pace > FURTHEST:
        return None
    return today + timedelta(days=ceil(remaining / pace))

"""How many modes a group of ratios has: several modes under one requested length mean that its label hides others.

In MACSum's news part the samples of a topic pair that are labelled "normal" were written to 5, 10 or 15 % of the
marked sentences; their ratios show three modes where a true label shows one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

VERSION = "log-kde@1"
MIN_RATIOS = 20
"""Fewer ratios than this are too few to find several modes."""
MIN_SHARE = 0.1
"""A mode holds at least this share of the ratios; less is a tail."""
MAX_DIP = 0.8
"""Between two modes the density falls to at most this share of the lower one's."""
MIN_CERTAINTY = 2.5
"""And it falls by at least this many standard errors: a valley between a few ratios may be chance."""
MIN_BANDWIDTH = 0.02
"""Smallest bandwidth in log units (2 %): summaries are counted in whole words, so equal ratios are no surprise."""
_POINTS = 512
_CHUNK_SIZE = 4096

_Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class _Curve:
    """A density: grid (512 log ratios, ascending), its height there (unscaled) and the variance of that height."""

    grid: _Floats
    height: _Floats
    variance: _Floats


def find_modes(ratios: Sequence[float]) -> list[float]:
    """The modes of positive ratios, ascending; a ratio is summary words / source words (0.05 = 5 %).

    Gaussian kernel density over log ratios on 512 points. Every peak is a mode at first; then neighbours are merged
    into the higher peak, the least certain valley first, until every valley is deep (`MAX_DIP`) and certain
    (`MIN_CERTAINTY`) and every peak holds `MIN_SHARE` of the ratios. Below `MIN_RATIOS`: their median alone. No
    ratios: no modes. The order of the ratios does not matter and nothing is drawn at random.
    Raises ValueError for a ratio that is not a positive number.
    Source: Silverman, Density Estimation for Statistics and Data Analysis (1986), chapter 3; the merging rule is ours.
    """
    logs = _sorted_logs(ratios)
    if not len(logs):
        return []
    if len(logs) < MIN_RATIOS:
        return [float(np.exp(np.median(logs)))]
    curve = _density_curve(logs, kernel_bandwidth(logs))
    return [float(np.exp(curve.grid[peak])) for peak in _find_peaks(logs, curve)]


def kernel_bandwidth(logs: _Floats) -> float:
    """Kernel width for (n,) log ratios, n > 1, in log units: 0.36 * min(sd, IQR / 1.349) * n^(-1/5).

    That is 0.4 of Silverman's rule, which is meant for one mode and blurs three; the certainty that a valley needs
    removes peaks that are due to chance. Never below `MIN_BANDWIDTH`.
    """
    spread = float(np.std(logs, ddof=1))
    low, high = np.percentile(logs, [25, 75])
    if high > low:  # equal where half of the ratios are the same
        spread = min(spread, float(high - low) / 1.349)
    return float(max(0.36 * spread * len(logs) ** -0.2, MIN_BANDWIDTH))


def _sorted_logs(ratios: Sequence[float]) -> _Floats:
    values = np.asarray(ratios, dtype=np.float64)
    bad = ~(np.isfinite(values) & (values > 0))
    if bad.any():
        index = int(np.argmax(bad))
        raise ValueError(f"ratio {index} is {values[index]}: give positive numbers only")
    return np.sort(np.log(values))


def _density_curve(logs: _Floats, width: float) -> _Curve:
    grid = np.linspace(logs[0] - 3 * width, logs[-1] + 3 * width, _POINTS)
    height, variance = np.zeros(_POINTS), np.zeros(_POINTS)
    for start in range(0, len(logs), _CHUNK_SIZE):  # in chunks, to limit memory
        distance = (grid[:, None] - logs[None, start : start + _CHUNK_SIZE]) / width
        kernel = np.exp(-0.5 * distance**2)
        height += kernel.sum(axis=1)
        variance += (kernel**2).sum(axis=1)
    return _Curve(grid, height, variance)


def _find_peaks(logs: _Floats, curve: _Curve) -> list[int]:
    """Grid indexes of the peaks that remain after merging."""
    rising = np.diff(curve.height) > 0
    peaks = [int(at) + 1 for at in np.flatnonzero(rising[:-1] & ~rising[1:])]
    while len(peaks) > 1:
        pairs = list(pairwise(peaks))
        valleys = [start + int(np.argmin(curve.height[start:end])) for start, end in pairs]
        doubtful: list[tuple[float, int]] = []
        for pair, valley in zip(pairs, valleys, strict=True):
            lower = min(pair, key=lambda peak: float(curve.height[peak]))
            certainty = _valley_certainty(curve, lower, valley)
            if certainty < MIN_CERTAINTY or curve.height[valley] > MAX_DIP * curve.height[lower]:
                doubtful.append((certainty, lower))
        if doubtful:
            peaks.remove(min(doubtful)[1])
            continue
        shares = np.diff(np.searchsorted(logs, curve.grid[valleys]), prepend=0, append=len(logs)) / len(logs)
        if shares.min() >= MIN_SHARE:
            break
        del peaks[int(np.argmin(shares))]
    return peaks


def _valley_certainty(curve: _Curve, peak: int, valley: int) -> float:
    """How many standard errors the density falls from the peak to the valley."""
    error = np.sqrt(curve.variance[peak] + curve.variance[valley])
    return float((curve.height[peak] - curve.height[valley]) / error)

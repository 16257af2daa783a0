"""A value per sample becomes one number with its interval, its n and what reproduces it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from annotation.measures import Signature, Value
from evaluation.metrics.bootstrap import (
    DEFAULT_REPLICATES,
    DEFAULT_SEED,
    Clusters,
    Interval,
    Number,
    Statistic,
    cluster_bootstrap,
    number_or_nan,
    numbers,
)


@dataclass(frozen=True)
class Aggregate:
    """A statistic over samples: the value or why there is none, its interval, how many samples it is of."""

    value: Value
    interval: Interval
    n: int
    left_out: int
    signature: Signature


def aggregate(
    values: Sequence[Number],
    clusters: Clusters = None,
    *,
    signature: Signature,
    statistic: Literal["mean"] | Statistic = "mean",
    replicates: int = DEFAULT_REPLICATES,
    seed: int = DEFAULT_SEED,
    level: float = 0.95,
) -> Aggregate:
    """The statistic of per-sample values with a bootstrap interval drawn by source.

    values: one number per sample; undefined ones are left out and counted in `left_out`.
    clusters: the source of every sample; None makes every sample its own.
    signature: of the metric; the result's has n (samples counted), the clusters, replicates and seed added.
    Returns an Aggregate in the values' unit; its value is undefined when no sample has one, its interval also when all
    samples are of one source. Raises ValueError as `cluster_bootstrap`.
    """
    table = numbers(values)
    kept = table[np.isfinite(table)]
    interval = cluster_bootstrap(values, clusters, statistic, replicates, seed, level)
    full = signature.with_(n=len(kept), sources=interval.clusters, replicates=replicates, seed=seed)
    return Aggregate(_point(kept, len(table), statistic), interval, len(kept), len(table) - len(kept), full)


def _point(kept: np.ndarray[tuple[int, ...], np.dtype[np.float64]], asked: int, statistic: object) -> Value:
    if not len(kept):
        return Value.none("no samples" if not asked else f"undefined for all {asked} samples")
    if callable(statistic):
        found = number_or_nan(statistic, kept)
        return Value.of(found) if np.isfinite(found) else Value.none(f"undefined over these {len(kept)} samples")
    return Value.of(float(kept[0] + np.mean(kept - kept[0])))

"""Aggregates per-sample values into one number with its interval, its n and its signature."""

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
    to_floats,
)


@dataclass(frozen=True)
class Aggregate:
    """A statistic over samples: its value (or why it is undefined), its interval and the number of samples used."""

    value: Value
    interval: Interval
    n: int
    left_out: int
    signature: Signature


def aggregate_values(
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
    table = to_floats(values)
    defined = table[np.isfinite(table)]
    interval = cluster_bootstrap(values, clusters, statistic, replicates, seed, level)
    full_signature = signature.with_(n=len(defined), sources=interval.clusters, replicates=replicates, seed=seed)
    return Aggregate(
        _point_value(defined, len(table), statistic), interval, len(defined), len(table) - len(defined), full_signature
    )


def _point_value(
    defined: np.ndarray[tuple[int, ...], np.dtype[np.float64]], n_samples: int, statistic: object
) -> Value:
    if not len(defined):
        return Value.none("no samples" if not n_samples else f"undefined for all {n_samples} samples")
    if callable(statistic):
        number = number_or_nan(statistic, defined)
        return Value.of(number) if np.isfinite(number) else Value.none(f"undefined over these {len(defined)} samples")
    return Value.of(float(defined[0] + np.mean(defined - defined[0])))

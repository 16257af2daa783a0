"""Aggregates per-sample values into one number with its interval, its n and its signature."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from epitome.measures import Signature, Value
from epitome.metrics.bootstrap import (
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
        _point_value(defined, values, statistic), interval, len(defined), len(table) - len(defined), full_signature
    )


def _point_value(
    defined: np.ndarray[tuple[int, ...], np.dtype[np.float64]], values: Sequence[Number], statistic: object
) -> Value:
    if not len(defined):
        return Value.none(_explain_none(values))
    if callable(statistic):
        number = number_or_nan(statistic, defined)
        return Value.of(number) if np.isfinite(number) else Value.none(f"undefined over these {len(defined)} samples")
    return Value.of(float(defined[0] + np.mean(defined - defined[0])))


def _explain_none(values: Sequence[Number]) -> str:
    """Why no sample has a value, with the samples' reason where they share it."""
    if not len(values):
        return "no samples"
    reasons = {value.undefined if isinstance(value, Value) else "" for value in values}
    reason = reasons.pop() if len(reasons) == 1 else ""
    return f"undefined for all {len(values)} samples" + (f": {reason}" if reason else "")

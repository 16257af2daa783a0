"""Bootstrap settings of an evaluation, and helpers that build an Aggregate (value, interval, signature)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from epitome.measures import Signature, Value
from epitome.metrics.aggregate import Aggregate, aggregate_values
from epitome.metrics.bootstrap import DEFAULT_REPLICATES, DEFAULT_SEED, Clusters, Interval, Number


@dataclass(frozen=True)
class Draws:
    """The source of every sample (None: each its own), the number of bootstrap replicates and their seed."""

    clusters: Clusters = None
    replicates: int = DEFAULT_REPLICATES
    seed: int = DEFAULT_SEED

    def of(self, places: Sequence[int]) -> Draws:
        """The same settings for a subset of the samples, given by position."""
        if self.clusters is None:
            return self
        return replace(self, clusters=[self.clusters[index] for index in places])

    def check(self, n: int) -> None:
        """Raises ValueError when there is not one source for each of n samples."""
        if self.clusters is not None and len(self.clusters) != n:
            raise ValueError(f"{n} samples and {len(self.clusters)} sources: give the source of every sample")


BY_SAMPLE = Draws()


def mean_of(name: str, version: str, values: Sequence[Number], draws: Draws, **options: str) -> Aggregate:
    """The mean of per-sample values; undefined ones are left out and counted."""
    signature = Signature(name, version, tuple(options.items()))
    return aggregate_values(values, draws.clusters, signature=signature, replicates=draws.replicates, seed=draws.seed)


def result_of(
    name: str, version: str, value: Value, interval: Interval, *, n: int, left_out: int = 0, **options: str
) -> Aggregate:
    """The Aggregate of a value that is not a mean (a correlation, a pooled rate), with its interval."""
    signature = Signature(name, version, tuple(options.items()))
    drawn = {"sources": interval.clusters, "replicates": interval.replicates, "seed": interval.seed}
    return Aggregate(value, interval, n, left_out, signature.with_(n=n, **drawn))


def check_same_length(first: Sequence[object], second: Sequence[object], name: str, other: str) -> None:
    """Raises ValueError when two lists of one value per sample differ in length."""
    if len(first) != len(second):
        raise ValueError(f"{len(first)} {name} and {len(second)} {other}: give one of each per sample")

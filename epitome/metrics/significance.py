"""Is one system better than another on the same samples? Paired tests that treat each source as one unit.

Summaries of one source are not independent, so a test that treats them as independent finds spurious
differences: whole sources are drawn (bootstrap) or swapped between the systems (permutation).
Sources: Koehn (2004), "Statistical Significance Tests for Machine Translation Evaluation" (bootstrap); Fisher (1935),
"The Design of Experiments", sec. 21 (permutation); Phipson and Smyth (2010), "Permutation P-values Should Never Be
Zero" (the +1); Holm (1979), "A Simple Sequentially Rejective Multiple Test Procedure".
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from epitome.measures import Signature, Value
from epitome.metrics.bootstrap import (
    DEFAULT_SEED,
    Clusters,
    Floats,
    Interval,
    Ints,
    Number,
    cluster_codes,
    complete_rows,
    expanded_bootstrap,
    replicates_of_mean,
    to_floats,
)

VERSION = "2"
REPLICATES = 10_000
# Up to this many sources that differ, all 2^k ways to swap them are counted: at 20 about a million.
EXACT_SOURCES = 20
# Relative tolerance: swaps that tie with the observed difference differ from it only by rounding.
ROUNDING = 1e-9
CHUNK = 1 << 20
BYTES = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).T * 2.0 - 1.0
"""(8, 256): the signs that each byte encodes, the first bit first."""

Method = Literal["permutation", "bootstrap"]


@dataclass(frozen=True)
class Test:
    """A paired comparison: mean(a) - mean(b), its two-sided p-value and 95 % interval, and what reproduces them."""

    __test__ = False  # a result, not something pytest should run

    difference: Value
    p_value: Value
    ci95: Interval
    n: int
    sources: int
    left_out: int
    seed: int
    method: str
    signature: Signature


@dataclass(frozen=True)
class Comparison:
    """One pair of systems out of several, with its p-value corrected for the number of pairs."""

    first: str
    second: str
    test: Test
    holm_p: Value


@dataclass(frozen=True)
class _Pairs:
    differences: Floats
    codes: Ints
    left_out: int

    @property
    def sources(self) -> int:
        return int(self.codes.max()) + 1 if len(self.codes) else 0

    @property
    def mean(self) -> float:
        first = self.differences[0]
        return float(first + np.mean(self.differences - first))


def _pair_values(a: Sequence[Number], b: Sequence[Number], clusters: Clusters) -> _Pairs:
    if len(a) != len(b):
        raise ValueError(f"{len(a)} values of one system and {len(b)} of the other: give both for the same samples")
    table = np.stack([to_floats(a, "a"), to_floats(b, "b")], axis=1)
    rows, codes = complete_rows(table, cluster_codes(clusters, len(table)))
    return _Pairs(rows[:, 0] - rows[:, 1], codes, len(table) - len(rows))


def _build_test(pairs: _Pairs, p_value: Value, ci95: Interval, replicates: int, seed: int, method: str) -> Test:
    n = len(pairs.differences)
    difference = Value.of(pairs.mean) if n else Value.none("no sample has a value of both systems")
    signature = Signature(f"paired-{method}", VERSION).with_(
        n=n, sources=pairs.sources, replicates=replicates, seed=seed
    )
    return Test(difference, p_value, ci95, n, pairs.sources, pairs.left_out, seed, method, signature)


def _difference_interval(pairs: _Pairs, replicates: int, seed: int) -> Interval:
    return expanded_bootstrap(pairs.differences.tolist(), pairs.codes.tolist(), "mean", replicates, seed)


def paired_bootstrap(
    a: Sequence[Number],
    b: Sequence[Number],
    clusters: Clusters = None,
    replicates: int = REPLICATES,
    seed: int = DEFAULT_SEED,
) -> Test:
    """Paired bootstrap test of mean(a) - mean(b) = 0 (two-sided), drawing whole sources.

    a, b: the two systems' values for the same samples, in the same order; a sample undefined in either is left out
        and counted.
    clusters: the source of every sample; None makes each its own.
    p = (1 + replicates whose difference is at least as far from the seen one as that is from 0) / (1 + replicates).
    Returns a Test; p and interval are undefined with a reason for no pairs and for a single source.
    Raises ValueError (counts that differ, NaN or infinite number, replicates < 1).
    Source: Koehn (2004), with the replicates centred on the seen difference as in Efron and Tibshirani (1993), ch. 16.
    """
    pairs = _pair_values(a, b, clusters)
    ci95 = _difference_interval(pairs, replicates, seed)
    if not ci95.defined:
        return _build_test(pairs, Value.none(ci95.undefined), ci95, replicates, seed, "bootstrap")
    observed = pairs.mean
    replicate_means = replicates_of_mean(pairs.differences, pairs.codes, replicates, seed)
    threshold = abs(observed) - ROUNDING * float(np.abs(pairs.differences).max())
    as_far = int(np.sum(np.abs(replicate_means - observed) >= threshold))
    return _build_test(pairs, Value.of((1 + as_far) / (1 + replicates)), ci95, replicates, seed, "bootstrap")


def paired_permutation(
    a: Sequence[Number],
    b: Sequence[Number],
    clusters: Clusters = None,
    replicates: int = REPLICATES,
    seed: int = DEFAULT_SEED,
) -> Test:
    """Paired permutation test of mean(a) - mean(b) = 0 (two-sided), swapping the systems by whole sources.

    a, b, clusters: as `paired_bootstrap`. With up to 20 sources that differ, all ways to swap them are counted
    (method "permutation-exact", replicates = their number); with more, `replicates` seeded random ones with
    p = (1 + as far from 0 as seen) / (1 + replicates) (method "permutation").
    Returns a Test whose interval is the bootstrap's (same seed). Equal systems, and a single source, give p = 1;
    no pairs give undefined with a reason. Raises ValueError as `paired_bootstrap`.
    Source: Fisher (1935), sec. 21; Phipson and Smyth (2010) for the +1.
    """
    pairs = _pair_values(a, b, clusters)
    ci95 = _difference_interval(pairs, replicates, seed)
    if not len(pairs.differences):
        return _build_test(pairs, Value.none("no sample has a value of both systems"), ci95, 0, seed, "permutation")
    p_value, swaps = flip_sums(np.bincount(pairs.codes, weights=pairs.differences).astype(float), replicates, seed)
    method = "permutation" if swaps is None else "permutation-exact"
    return _build_test(pairs, Value.of(p_value), ci95, replicates if swaps is None else swaps, seed, method)


def flip_sums(sums: Floats, replicates: int, seed: int) -> tuple[float, int | None]:
    """p of "the sums are as likely to be negative as positive", two-sided, and how many flips were counted where all
    were; None: `replicates` random ones. sums: (sources,), what each source adds to the difference."""
    threshold = abs(float(sums.sum())) - ROUNDING * float(np.abs(sums).sum())
    sums = sums[sums != 0]  # swapping a source where the systems tie changes nothing
    if len(sums) <= EXACT_SOURCES:
        swapped = all_swaps(sums)
        return float(np.mean(np.abs(swapped) >= threshold)), len(swapped)
    as_far = sum(int(np.sum(np.abs(chunk) >= threshold)) for chunk in random_swaps(sums, replicates, seed))
    return (1 + as_far) / (1 + replicates), None


def sign_flip_test(
    values: Sequence[Number],
    clusters: Clusters = None,
    replicates: int = REPLICATES,
    seed: int = DEFAULT_SEED,
) -> Test:
    """Test of mean(values) = 0 (two-sided) that flips the signs of whole sources: `paired_permutation` against zeros.

    values: one number per sample, such as +1 where the first of two systems was preferred, -1 where the second was, 0
        for a tie. Under the null hypothesis what a source adds is as likely to be negative as positive.
    """
    return paired_permutation(values, [0.0] * len(values), clusters, replicates, seed)


def all_swaps(sums: Floats) -> Floats:
    """The sums of all 2^k ways to give the k numbers a sign."""
    signed_sums = np.zeros(1)
    for source_sum in sums:
        signed_sums = np.concatenate([signed_sums + source_sum, signed_sums - source_sum])
    return signed_sums


def random_swaps(sums: Floats, replicates: int, seed: int) -> Iterator[Floats]:
    """The sums under random signs. Eight signs at a time are one byte, whose sum is looked up: the draws are those of
    one number per sign, and a tenth of the work."""
    rng = np.random.default_rng(seed)
    step = max(1, CHUNK // len(sums))
    padded = np.zeros(-(-len(sums) // 8) * 8)
    padded[: len(sums)] = sums
    tables = padded.reshape(-1, 8) @ BYTES  # of every eight numbers: the sum under each byte
    for start in range(0, replicates, step):
        bits = rng.integers(0, 2, size=(min(step, replicates - start), len(sums)), dtype=np.int8)
        signed_sums = np.zeros(len(bits))
        for table, column in zip(tables, np.packbits(bits, axis=1).T, strict=True):
            signed_sums += table[column]
        yield signed_sums


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values, in the order given: compare each with the level itself (such as .05).

    The smallest of m is multiplied by m, the next by m - 1 and so on, never below one before it nor above 1.
    Raises ValueError for a p-value outside 0 to 1. Source: Holm (1979).
    """
    for index, p_value in enumerate(p_values):
        if not 0 <= p_value <= 1:
            raise ValueError(f"p_values[{index}] is {p_value}: give a p-value from 0 to 1")
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = largest
    return adjusted


def compare_systems(
    systems: Mapping[str, Sequence[Number]],
    clusters: Sequence[Hashable] | None = None,
    *,
    against: str | None = None,
    method: Method = "permutation",
    replicates: int = REPLICATES,
    seed: int = DEFAULT_SEED,
) -> list[Comparison]:
    """Every pair of systems (or each against one), tested on the same samples, with Holm's correction.

    systems: name to values, one per sample in the same order. against: compare only with this system.
    Returns the comparisons in the order of the names, first minus second. Pairs without a p-value stay undefined and
    do not count as a test. Raises ValueError (unknown `against` or method; else as the tests).
    """
    if against is not None and against not in systems:
        raise ValueError(f"no system {against!r}: give one of {', '.join(systems)}")
    tests = {"permutation": paired_permutation, "bootstrap": paired_bootstrap}
    if method not in tests:
        raise ValueError(f"method is {method!r}: give one of {', '.join(tests)}")
    others = [name for name in systems if name != against]
    names = list(combinations(systems, 2)) if against is None else [(name, against) for name in others]
    results = [tests[method](systems[first], systems[second], clusters, replicates, seed) for first, second in names]
    corrected = iter(holm([test.p_value.value for test in results if test.p_value.value is not None]))
    return [
        Comparison(first, second, test, Value.of(next(corrected)) if test.p_value.value is not None else test.p_value)
        for (first, second), test in zip(names, results, strict=True)
    ]

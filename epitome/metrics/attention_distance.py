"""Attention by distance: how much of what written tokens attend to is near, far, or the control lines of the prompt.

Source: CCSBench, arXiv 2410.12601, section 5 and Figure 3 (LLaMA2). Its binning is not given: bins double here (1, 2,
3-4, 5-8, ...), and the first token, which draws attention whatever it is, is counted apart (Xiao et al., "Efficient
Streaming Language Models with Attention Sinks", 2023).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from epitome.metrics.aggregate import Aggregate
from epitome.metrics.draws import BY_SAMPLE, Draws, mean_of

VERSION = "1"
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SampleAttention:
    """One summary. weights: (written tokens, all tokens), rows sum to 1; n_prompt: tokens before the first written one;
    control: places of the tokens of the control lines."""

    weights: Sequence[Sequence[float]]
    n_prompt: int
    control: Sequence[int] = ()


@dataclass(frozen=True)
class DistanceBin:
    """Tokens `low` to `high` before the token that attends. share: of its attention, mean over samples. mean: attention
    per token in the bin."""

    low: int
    high: int
    share: Aggregate
    mean: Aggregate

    @property
    def label(self) -> str:
        return str(self.low) if self.low == self.high else f"{self.low}–{self.high}"


@dataclass(frozen=True)
class AttentionByDistance:
    """sink, itself: shares of the first token and of the attending token; with the bins they sum to 1. control: the
    control lines by their distance from the end of the prompt; control_share: all of them together."""

    bins: list[DistanceBin]
    sink: Aggregate
    itself: Aggregate
    control: list[DistanceBin]
    control_share: Aggregate
    n_samples: int


def bin_of(distance: int) -> int:
    """0 for 1, 1 for 2, 2 for 3 and 4, 3 for 5 to 8, ... Raises ValueError below 1."""
    if distance < 1:
        raise ValueError(f"distance {distance}: the nearest token is 1 away")
    return (distance - 1).bit_length()


def bin_limits(number: int) -> tuple[int, int]:
    """The smallest and the largest distance of a bin."""
    return (1 if number == 0 else 2 ** (number - 1) + 1), 2**number


def measure_attention(samples: Sequence[SampleAttention], draws: Draws = BY_SAMPLE) -> AttentionByDistance:
    """Shares and means over samples with their intervals (unitless, 0 to 1). Leave out samples without a written token.

    Raises ValueError for weights that do not fit their tokens.
    """
    draws.check(len(samples))
    rows = [_sum_by_distance(sample) for sample in samples]
    controls = [_sum_control(sample) for sample in samples]
    return AttentionByDistance(
        bins=_build_bins([row.by_bin for row in rows], draws, "all"),
        sink=mean_of("attention", VERSION, [row.sink for row in rows], draws, of="sink"),
        itself=mean_of("attention", VERSION, [row.itself for row in rows], draws, of="self"),
        control=_build_bins(controls, draws, "control"),
        control_share=mean_of(
            "attention", VERSION, [sum(share for share, _n in row.values()) for row in controls], draws, of="control"
        ),
        n_samples=len(samples),
    )


@dataclass(frozen=True)
class _Sums:
    """Of one sample, per written token. by_bin: bin -> (attention, pairs of tokens per written token)."""

    by_bin: dict[int, tuple[float, float]]
    sink: float
    itself: float


def _check_weights(sample: SampleAttention) -> Floats:
    weights = np.asarray(sample.weights, dtype=np.float64)
    n_written = len(weights)
    if weights.ndim != 2 or not n_written or weights.shape[1] != sample.n_prompt + n_written:
        raise ValueError(f"weights of shape {weights.shape} do not fit {sample.n_prompt} tokens and those written")
    return weights


def _sum_by_distance(sample: SampleAttention) -> _Sums:
    weights = _check_weights(sample)
    n_written, n_all = weights.shape
    bin_by_distance = np.array([bin_of(distance) for distance in range(1, n_all)], dtype=np.int64)
    by_bin: dict[int, tuple[float, float]] = {}
    itself = sink = 0.0
    for index, row in enumerate(weights):
        position = sample.n_prompt + index
        itself += float(row[position])
        sink += float(row[0])
        bins = bin_by_distance[: position - 1][::-1]  # of every earlier token but the first, in their order
        masses = np.bincount(bins, weights=row[1:position])
        for at, (mass, pairs) in enumerate(zip(masses, np.bincount(bins), strict=True)):
            old_mass, old_pairs = by_bin.get(at, (0.0, 0.0))
            by_bin[at] = (old_mass + float(mass), old_pairs + int(pairs))
    per_token = {at: (mass / n_written, pairs / n_written) for at, (mass, pairs) in by_bin.items() if pairs}
    return _Sums(per_token, sink / n_written, itself / n_written)


def _sum_control(sample: SampleAttention) -> dict[int, tuple[float, float]]:
    """bin of the distance from the prompt's end -> (attention, tokens) per written token. The first token of all is
    left out: models rest their attention there, whatever it is."""
    received = _check_weights(sample).mean(axis=0)
    by_bin: dict[int, tuple[float, float]] = {}
    for position in filter(None, sample.control):
        at = bin_of(sample.n_prompt - position)
        mass, tokens = by_bin.get(at, (0.0, 0.0))
        by_bin[at] = (mass + float(received[position]), tokens + 1)
    return by_bin


def _build_bins(rows: Sequence[dict[int, tuple[float, float]]], draws: Draws, of: str) -> list[DistanceBin]:
    """Bins that some sample has. A sample without a token in a bin gives it no attention, and no mean."""
    bins = []
    for number in sorted({at for row in rows for at in row}):
        pairs = [row.get(number, (0.0, 0.0)) for row in rows]
        means = [mass / tokens if tokens else None for mass, tokens in pairs]
        options = {"of": of, "bin": str(number)}
        share = mean_of("attention", VERSION, [mass for mass, _tokens in pairs], draws, **options)
        bins.append(
            DistanceBin(*bin_limits(number), share, mean_of("attention-mean", VERSION, means, draws, **options))
        )
    return bins

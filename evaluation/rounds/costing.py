"""The cost of a round (judgements, minutes) and its expected precision (interval widths)."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.rounds.plans import PlannedItem

WORDS_PER_MINUTE = 200.0
"""Words read in a minute."""
SECONDS_PER_ANSWER = 8.0
"""Seconds for one answer."""
BASE_RATES = (0.5, 0.7, 0.8, 0.9)
KAPPAS = (0.6, 0.8)
Z = 1.959963984540054


@dataclass(frozen=True)
class Cost:
    """items: shown to each complete set of raters. judgements: answers in all. minutes: in all, an estimate; the
    source is read at its first item in full and at later ones for a quarter."""

    items: int
    judgements: int
    minutes: float


@dataclass(frozen=True)
class Power:
    """Precision of n answers: half widths of 95 % intervals. rates: base rate -> +-; kappas: kappa -> +-, of two
    raters at that base rate of .7."""

    n: int
    rates: Mapping[float, float]
    kappas: Mapping[float, float]


def wilson_half_width(rate: float, n: int) -> float:
    """Half the width of the 95 % Wilson interval of a yes-rate."""
    return Z / (1 + Z * Z / n) * math.sqrt(rate * (1 - rate) / n + Z * Z / (4 * n * n))


def kappa_half_width(kappa: float, n: int, rate: float = 0.7) -> float:
    """Half the width of the 95 % interval of Cohen's kappa of two raters who say yes at the same rate; at most 1.

    Source: Cohen (1960), "A Coefficient of Agreement for Nominal Scales", the large-sample standard error.
    """
    expected = rate * rate + (1 - rate) * (1 - rate)
    observed = kappa * (1 - expected) + expected
    return min(1.0, Z * math.sqrt(observed * (1 - observed) / (n * (1 - expected) ** 2)))


def estimate_power(n: int) -> Power:
    """The expected precision. n: answers of one rater to one question about one target. Raises ValueError below 1."""
    if n < 1:
        raise ValueError(f"n is {n}: at least one answer is needed")
    return Power(
        n,
        {rate: wilson_half_width(rate, n) for rate in BASE_RATES},
        {kappa: kappa_half_width(kappa, n) for kappa in KAPPAS},
    )


def estimate_cost(
    items: Sequence[PlannedItem],
    raters_per_item: int,
    *,
    source_words: Mapping[str, int],
    summary_words: int,
    shows_source: bool,
) -> Cost:
    """The cost of a round. summary_words: length of a usual summary. source_words: source -> words."""
    read_sources: set[str] = set()
    minutes = 0.0
    for item in items:
        words = float(summary_words * len(item.texts))
        if shows_source:
            words += source_words.get(item.source, 0) * (0.25 if item.source in read_sources else 1.0)
            read_sources.add(item.source)
        minutes += words / WORDS_PER_MINUTE + len(item.questions) * SECONDS_PER_ANSWER / 60
    answers = sum(len(item.questions) for item in items)
    return Cost(len(items), answers * raters_per_item, minutes * raters_per_item)

"""How often the p of rho is below .05 for unrelated numbers: python -m benchmarks.simulation [--rounds N] [--seed S]

Two unrelated numbers per summary, both with a share `icc` of their spread between sources; how often Spearman's p by
whole sources is below .05, and how often that of a permutation of single summaries is. It should be .05. All intervals
and tests of a report are in `benchmarks.coverage`.

Prints one JSON line per row; 1,000 rounds take about a minute. Needs no database.
"""

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from epitome.agreement.scales import Floats, Ints
from epitome.reports.correlation import correlation_p, mean_ranks

LEVEL = 0.05
FLIPS = 1000


@dataclass(frozen=True)
class Design:
    """sources x items; spread: icc of both numbers."""

    sources: int
    items: int
    spread: float

    @property
    def name(self) -> str:
        return f"{self.sources}x{self.items}"


P_DESIGNS = (
    Design(30, 1, 0.0),
    Design(30, 4, 0.5),
    Design(30, 6, 0.3),
    Design(30, 8, 0.6),
    Design(15, 8, 0.6),
)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for row in error_rates(options.rounds, options.seed):
        print(json.dumps(row), flush=True)


def error_rates(rounds: int, seed: int) -> Iterator[dict[str, Any]]:
    """Per design: how often the p of unrelated numbers is below .05, of whole sources and of single summaries."""
    for design in P_DESIGNS:
        rng = np.random.default_rng(seed)
        sources = np.repeat(np.arange(design.sources), design.items)
        by_source = by_summary = 0
        for _round in range(rounds):
            first, second = (_clustered_numbers(rng, design, sources) for _number in range(2))
            p_value = correlation_p(first, second, sources.tolist(), FLIPS, seed).value
            by_source += p_value is not None and p_value < LEVEL
            by_summary += _permutation_p(rng, first, second) < LEVEL
        shares = {"by_source": by_source / rounds, "by_summary": by_summary / rounds}
        yield {"simulated": "p of unrelated numbers", "design": design.name, "icc": design.spread, **shares}


def _clustered_numbers(rng: np.random.Generator, design: Design, sources: Ints) -> Floats:
    between = rng.standard_normal(design.sources)[sources]
    return np.asarray(np.sqrt(design.spread) * between + np.sqrt(1 - design.spread) * rng.standard_normal(len(sources)))


def _permutation_p(rng: np.random.Generator, first: Floats, second: Floats) -> float:
    """The p of a permutation of single summaries, which takes them as independent."""
    a, b = mean_ranks(first), mean_ranks(second)
    a, b = a - a.mean(), b - b.mean()
    shuffled = rng.permuted(np.tile(a, (499, 1)), axis=1) @ b
    return float((1 + (np.abs(shuffled) >= abs(a @ b) - 1e-9).sum()) / 500)


if __name__ == "__main__":
    main()

"""How often tests and intervals are right, by simulation: python -m benchmarks.simulation [--rounds N] [--seed S]

p of unrelated numbers: two unrelated numbers per summary, both with a share `icc` of their spread between sources; how
often Spearman's p by whole sources is below .05, and how often that of a permutation of single summaries is. It should
be .05. Coverage: two raters answer yes or no, their log-odds differ between sources; how often the 95 % intervals of
kappa, of the pooled share, of the share to which both say yes and of one rater's share hold the truth, with the plain
middle of the replicates (or Wilson's own n) before the slash and as in the reports after it. It should be .95.

Prints one JSON line per row; 1,000 rounds take about two minutes. Needs no database.
"""

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from evaluation.agreement.intervals import draw_resamples, expanded_level, sum_by_cluster, wilson_interval
from evaluation.agreement.rates import yes_rates
from evaluation.agreement.report import build_statistics
from evaluation.agreement.scales import Floats, Ints
from evaluation.agreement.table import Ratings
from evaluation.reports.correlation import correlation_p, mean_ranks

LEVEL = 0.05
FLIPS = 1000
AGREEING = 0.6
"""The share of items on which the second rater repeats the first: kappa, where sources do not differ."""


@dataclass(frozen=True)
class Design:
    """sources x items; spread: icc of both numbers (p), or standard deviation of the log-odds (coverage)."""

    sources: int
    items: int
    spread: float
    base: float = 0.7

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
COVERAGE_DESIGNS = (
    Design(10, 2, 1.0),
    Design(15, 4, 1.0),
    Design(30, 1, 0.0),
    Design(30, 4, 1.5),
    Design(30, 6, 2.0, 0.5),
    Design(94, 3, 1.0),
    Design(10, 2, 1.0, 0.9),
)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for row in (*error_rates(options.rounds, options.seed), *coverages(options.rounds, options.seed)):
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


def coverages(rounds: int, seed: int) -> Iterator[dict[str, Any]]:
    """Per design: how often each interval holds the truth, plain and as in the reports."""
    for design in COVERAGE_DESIGNS:
        rng = np.random.default_rng(seed)
        truths = _true_values(rng, design)
        held: dict[str, list[int]] = {name: [0, 0] for name in (*truths, "one_rater")}
        for _round in range(rounds):
            ratings = _draw_ratings(rng, design)
            for name, interval_pair in _intervals(ratings, seed).items():
                truth = truths.get(name, truths["pooled"])
                for place, (low, high) in enumerate(interval_pair):
                    held[name][place] += low <= truth <= high
        shares = {name: f"{plain / rounds:.3f} / {ours / rounds:.3f}" for name, (plain, ours) in held.items()}
        yield {"simulated": "coverage", "design": design.name, "base": design.base, "sd": design.spread, **shares}


def _draw_ratings(rng: np.random.Generator, design: Design) -> Ratings:
    """Two raters' answers about every item, 1 for yes."""
    log_odds = np.log(design.base / (1 - design.base)) + design.spread * rng.standard_normal(design.sources)
    chance = np.repeat(1 / (1 + np.exp(-log_odds)), design.items)
    first = rng.random(len(chance)) < chance
    second = np.where(rng.random(len(chance)) < AGREEING, first, rng.random(len(chance)) < chance)
    n = len(chance)
    return Ratings(
        np.tile(np.arange(n), 2),
        np.repeat([0, 1], n),
        np.concatenate([first, second]).astype(np.int64),
        ("no", "yes"),
        np.repeat(np.arange(design.sources), design.items),
        2,
    )


def _true_values(rng: np.random.Generator, design: Design) -> dict[str, float]:
    """The values in a round of very many sources."""
    ratings = _draw_ratings(rng, Design(200_000 // design.items, design.items, design.spread, design.base))
    rates = yes_rates(ratings, ("first", "second"), replicates=1, seed=1)
    kappa = build_statistics(ratings)["cohen_kappa"].value()
    return {"kappa": float(kappa), "pooled": float(rates.pooled.value), "both": float(rates.all_yes.value)}


def _intervals(ratings: Ratings, seed: int) -> dict[str, list[tuple[float, float]]]:
    """Each interval, plain and as in the reports."""
    rates = yes_rates(ratings, ("first", "second"), replicates=1000, seed=seed)
    n_sources = ratings.n_items
    said = ratings.counts()
    first = ratings.column(0)
    answers = {
        "pooled": np.column_stack([said[:, 1], said.sum(axis=1)]),
        "both": np.column_stack([said[:, 1] == 2, np.ones(len(said))]),
    }
    draws = next(draw_resamples(n_sources, 1000, seed))
    kappa = build_statistics(ratings)["cohen_kappa"]
    values = {name: _replicate_ratios(draws, rows, ratings) for name, rows in answers.items()}
    if not kappa.undefined:
        values["kappa"] = kappa.finish(draws @ sum_by_cluster(kappa.rows, ratings.clusters, n_sources))
    levels = (0.95, expanded_level(n_sources))
    intervals = {name: [_middle(numbers, level) for level in levels] for name, numbers in values.items()}
    plain, ours = wilson_interval(int(first.sum()), len(first)), rates.raters["first"].interval
    intervals["one_rater"] = [(_number(each.low), _number(each.high)) for each in (plain, ours)]
    return intervals


def _replicate_ratios(draws: Floats, rows: Floats, ratings: Ratings) -> Floats:
    sums = draws @ sum_by_cluster(rows.astype(float), ratings.clusters, ratings.n_items)
    return np.asarray(sums[:, 0] / sums[:, 1])


def _middle(values: Floats, level: float) -> tuple[float, float]:
    good = values[np.isfinite(values)]
    if not len(good):
        return (np.inf, -np.inf)
    low, high = np.percentile(good, [50 * (1 - level), 50 * (1 + level)])
    return float(low), float(high)


def _number(end: float | None) -> float:
    return float("nan") if end is None else end


if __name__ == "__main__":
    main()

"""Whether a plan's power is the round's: python -m benchmarks.combined_power [--runs 1000]

Each design states what a plan without a pilot states: the systems' mean share of yes, how their answers about a sample
correlate (b), how people and judge correlate (r), the difference to be found, and the number of samples. The plan says
how many of them people need to judge, with the judge, for a power of .8 (`find_need`). So many are drawn in each round,
whose difference is estimated as in a report (`estimate_both`). Printed, one JSON line per design: the share of rounds
that find it at 5 %. Needs no database; a minute on one core.
"""

import argparse
import json
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from epitome.combined.advice import state_assumptions
from epitome.combined.group_estimates import estimate_both
from epitome.combined.judged_items import JudgedItems
from epitome.combined.planner import find_need
from epitome.metrics.bootstrap import Floats

SEED = 3
LEVEL = 0.05


class Design(NamedTuple):
    """between: b; correlation: r; total: samples that the judge scores."""

    rate: float
    between: float
    correlation: float
    difference: float
    total: int


DESIGNS = (
    Design(0.5, 0.5, 0.9, 0.1, 300),
    Design(0.5, 0.7, 0.9, 0.1, 300),
    Design(0.5, 0.4, 0.8, 0.15, 300),
    Design(0.5, 0.0, 0.8, 0.15, 300),
    Design(0.6, 0.3, 0.6, 0.15, 400),
    Design(0.7, 0.3, 0.6, 0.1, 400),
    Design(0.5, 0.3, 0.9, 0.2, 200),
    Design(0.5, 0.5, 0.8, 0.2, 200),
    Design(0.7, 0.2, 0.8, 0.1, 600),
    Design(0.6, 0.5, 0.9, 0.15, 400),
    Design(0.5, 0.6, 0.6, 0.15, 150),
    Design(0.8, 0.3, 0.8, 0.15, 300),
    Design(0.5, 0.0, 0.9, 0.2, 300),
    Design(0.7, 0.5, 0.8, 0.15, 300),
    Design(0.6, 0.2, 0.7, 0.2, 200),
)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=SEED)
    args = parser.parse_args()
    for design in DESIGNS:
        print(json.dumps(check_power(design, args.runs, args.seed)), flush=True)


def check_power(design: Design, runs: int, seed: int = SEED) -> dict[str, Any]:
    about = state_assumptions(design.rate, design.correlation, between=design.between)
    n = find_need("combined", about, design.difference, design.total).n_human
    assert n is not None
    rng = np.random.default_rng(seed)
    found = sum(_finds_difference(rng, design, n) for _run in range(runs))
    return {"row": "power", **design._asdict(), "runs": runs, "people": n, "power": round(found / runs, 3)}


def _finds_difference(rng: np.random.Generator, design: Design, n: int) -> bool:
    human, judge = draw_answers(rng, design)
    apart = human[:, 0] - human[:, 1]
    apart[n:] = np.nan
    chances, sources = np.full(design.total, n / design.total), np.arange(design.total)
    _people, combined = estimate_both(JudgedItems(apart, judge[:, 0] - judge[:, 1], chances, sources, -1.0, 1.0))
    return combined.p_value < LEVEL


def draw_answers(rng: np.random.Generator, design: Design) -> tuple[Floats, Floats]:
    """(total, 2) of people and of the judge, who repeats people's answer in a share r of the texts and else draws one.
    The systems' answers correlate exactly b."""
    rates = np.array([design.rate + design.difference / 2, design.rate - design.difference / 2])
    both = float(rates.prod() + design.between * sqrt(float((rates * (1 - rates)).prod())))
    cells = [both, rates[0] - both, rates[1] - both, 1 - rates.sum() + both]
    drawn = rng.choice(4, size=design.total, p=cells)
    human = np.column_stack([drawn < 2, drawn % 2 == 0]).astype(float)
    repeats = rng.uniform(size=human.shape) < design.correlation
    return human, np.where(repeats, human, (rng.uniform(size=human.shape) < rates).astype(float))


if __name__ == "__main__":
    main()

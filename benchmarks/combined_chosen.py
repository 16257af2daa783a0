"""Items chosen by the judges' doubts, as a round chooses them: python -m benchmarks.combined_chosen [--runs 1000]

Rounds of T samples of which people see n, one or two systems with known shares of yes, and two judges that say of each
summary what people say with a given accuracy, independently of each other. Chances are those of a round
(`share_chances`), the drawn samples too (`draw_items`), and the estimates are those of its report (`estimate_both` of
the first judge's rows). Each round is drawn twice: with these chances, and with equal ones. Printed, one JSON line per
design, each with the means of the systems ("mean") or of their difference: the share of rounds whose 95 % interval
holds the truth, of people alone and combined, and the mean width of the combined one, chosen and at random.

With --pilot 60 a pilot of so many samples says first where the judges err. Needs no database; a minute on one core.
"""

import argparse
import json
from typing import Any, NamedTuple

import numpy as np

from epitome.combined.chances import ErrorModel, draw_items, fit_errors
from epitome.combined.doubts import describe_doubt, share_chances
from epitome.combined.group_estimates import estimate_both
from epitome.combined.judged_items import JudgedItems
from epitome.metrics.bootstrap import Floats
from epitome.rounds.certainty import LEAST_CHANCE

N_JUDGES = 2
SEED = 5


class Design(NamedTuple):
    """total: samples; n: that people see; rates: of each system; accuracy: of each judge."""

    total: int
    n: int
    rates: tuple[float, ...]
    accuracy: float

    @property
    def text(self) -> str:
        systems = " and ".join(f"{rate:.2f}".lstrip("0") for rate in self.rates)
        return f"{self.n} of {self.total}, {systems}, judges {self.accuracy:.2f}".replace("judges 0", "judges ")


DESIGNS = (
    Design(200, 60, (0.8,), 0.85),
    Design(100, 30, (0.65,), 0.85),
    Design(200, 60, (0.8, 0.65), 0.85),
    Design(100, 30, (0.8, 0.65), 0.85),
    Design(300, 100, (0.9, 0.8), 0.93),
    Design(400, 80, (0.65,), 0.85),
)
Doubts = dict[str, list[tuple[float, float, float]]]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--pilot", type=int, default=0)
    parser.add_argument("--seed", type=int, default=SEED)
    args = parser.parse_args()
    for design in DESIGNS:
        for row in check_chosen(design, args.runs, args.seed, args.pilot):
            print(json.dumps(row), flush=True)


def check_chosen(design: Design, runs: int, seed: int = SEED, pilot: int = 0) -> list[dict[str, Any]]:
    """One row for the means and, of two systems, one for the difference."""
    rng = np.random.default_rng(seed)
    found: dict[str, list[list[float]]] = {}
    for run in range(runs):
        human, judges = _draw_answers(rng, design, design.total)
        model = _learn_errors(*_draw_answers(rng, design, pilot)) if pilot else None
        even = np.full(design.total, design.n / design.total)
        chosen = share_chances(describe_doubts(judges), design.n, LEAST_CHANCE, model)
        rows = [_estimate(design, human, judges[0], chances, run) for chances in (chosen, even)]
        for name, by_choice, by_chance in zip(("mean", "difference"), *rows, strict=False):
            found.setdefault(name, []).append([*by_choice, *by_chance])
    return [_describe(design, name, runs, np.array(values).mean(axis=0)) for name, values in found.items()]


def _draw_answers(rng: np.random.Generator, design: Design, total: int) -> tuple[Floats, list[Floats]]:
    """(total, systems) of people, and of every judge."""
    shape = (total, len(design.rates))
    human = (rng.uniform(size=shape) < np.array(design.rates)).astype(float)
    return human, [np.where(rng.uniform(size=shape) < design.accuracy, human, 1 - human) for _judge in range(N_JUDGES)]


def describe_doubts(judges: list[Floats]) -> Doubts:
    return {
        str(sample): [describe_doubt(values) for values in zip(*(judge[sample] for judge in judges), strict=True)]
        for sample in range(len(judges[0]))
    }


def _learn_errors(human: Floats, judges: list[Floats]) -> ErrorModel:
    features = np.array([row for rows in describe_doubts(judges).values() for row in rows])
    return fit_errors(features, human.ravel().tolist(), features[:, 2].tolist())


def _estimate(design: Design, human: Floats, judge: Floats, chances: Floats, seed: int) -> list[list[float]]:
    """Of the first system's mean and of the difference: whether people's and the combined interval hold, the width."""
    drawn = draw_items(chances, seed)
    shown = np.full(human.shape, np.nan)
    shown[drawn] = human[drawn]
    sources = np.arange(design.total)
    measures = [(design.rates[0], JudgedItems(shown[:, 0], judge[:, 0], chances, sources))]
    if len(design.rates) > 1:
        apart = JudgedItems(shown[:, 0] - shown[:, 1], judge[:, 0] - judge[:, 1], chances, sources, -1.0, 1.0)
        measures.append((design.rates[0] - design.rates[1], apart))
    rows = []
    for truth, items in measures:
        people, combined = estimate_both(items)
        holds = [float(one.low <= truth <= one.high) for one in (people, combined)]
        rows.append([*holds, combined.width, combined.value - truth])
    return rows


def _describe(design: Design, name: str, runs: int, means: Floats) -> dict[str, Any]:
    people, combined, width, bias, _people_even, combined_even, width_even, _bias_even = (
        round(float(number), 4) for number in means
    )
    return {
        "row": "chosen",
        "design": design.text,
        "of": name,
        "runs": runs,
        "coverage_people": people,
        "coverage_combined": combined,
        "coverage_at_random": combined_even,
        "width_chosen": width,
        "width_at_random": width_even,
        "wider": round(width / width_even, 3),
        "bias_chosen": bias,
    }


if __name__ == "__main__":
    main()

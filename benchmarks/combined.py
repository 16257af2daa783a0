"""How often combined estimates and sequences are right, by simulation: python -m benchmarks.combined [--runs 4000]

Rounds of 30 and 100 sources with two items each that resemble each other; people judge one source in five; the judge is
worthless, fair, good, or good and biased. The truth is known. Printed, one JSON line per row:
  interval   share of rounds whose 95 % interval holds the truth, of people alone and combined; the mean width of both;
             the bias
  edge       the same where nearly all say yes, of few sources and of many: rates of .9, .95 and .98
  gain       how many times people's judgements count, beside 1 / (1 - r^2), for many more items of the judge
  chosen     the same where people see the items that two judges doubt, as a round chooses them; see
             `benchmarks.combined_chosen`
  sequence   share of rounds whose sequence holds the truth at every look
  looks      share of rounds of two equal systems that are called different when one looks after every source
--sequences N rounds for the last two (a tenth of --runs unless told). Needs no database; minutes on one core.
"""

import argparse
import json
from typing import Any, NamedTuple

import numpy as np

from benchmarks.combined_chosen import DESIGNS, check_chosen
from epitome.combined.estimates import estimate_combined, estimate_people
from epitome.combined.judged_items import JudgedItems
from epitome.combined.sequences import follow_combined, follow_mean, follow_preference
from epitome.metrics.bootstrap import Floats

RATE = 0.65
ALIKE = 0.4
"""Share of a source's second items that are copies of the first."""
PER_SOURCE = 2
JUDGED_TIMES = 5
MANY_TIMES = 60
FEW = 200
LOOKS = 80


class Judge(NamedTuple):
    """accuracy: share of items of which it says what people say; bias: share of people's no that it calls yes."""

    name: str
    accuracy: float
    bias: float = 0.0


JUDGES = (Judge("worthless", 0.5), Judge("fair", 0.78), Judge("good", 0.96), Judge("good, biased", 0.96, 0.35))

EDGE_RATES = (0.9, 0.95, 0.98)
EDGE_JUDGES = (JUDGES[1], JUDGES[2])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=4000)
    parser.add_argument("--sequences", type=int)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    for sources in (30, 100):
        for judge in JUDGES:
            show_row(check_intervals(rng, judge, sources, args.runs))
    for sources in (15, 30, 100):
        for rate in EDGE_RATES:
            for judge in EDGE_JUDGES:
                result = check_intervals(rng, judge, sources, args.runs, rate)
                show_row({**result, "row": "edge", "rate": rate})
    for judge in JUDGES:
        show_row(check_gain(rng, judge, max(1, args.runs // 20)))
    for design in DESIGNS:
        for row in check_chosen(design, max(1, args.runs // 4)):
            show_row(row)
    replays = args.sequences or max(1, args.runs // 10)
    for judge in JUDGES:
        show_row(check_sequence(rng, judge, replays))
    show_row(check_looks(rng, replays))


def show_row(row: dict[str, Any]) -> None:
    print(json.dumps(row), flush=True)


def draw_sources(rng: np.random.Generator, judge: Judge, n: int, rate: float = RATE) -> tuple[Floats, Floats]:
    """(n, PER_SOURCE) of people and of the judge."""
    human = (rng.uniform(size=(n, PER_SOURCE)) < rate).astype(float)
    copies = rng.uniform(size=n) < ALIKE
    human[copies] = human[copies, :1]
    result = np.where(rng.uniform(size=human.shape) < judge.accuracy, human, 1 - human)
    biased = (human == 0) & (rng.uniform(size=human.shape) < judge.bias)
    return human, np.where(biased, 1.0, result)


def make_round(rng: np.random.Generator, judge: Judge, sources: int, times: int, rate: float = RATE) -> JudgedItems:
    """People judge all items of `sources` sources; the judge those of `times` as many."""
    human, answers = draw_sources(rng, judge, sources * times, rate)
    human[sources:] = np.nan
    labels = np.repeat(np.arange(sources * times), PER_SOURCE)
    return JudgedItems(human.ravel(), answers.ravel(), np.full(human.size, 1 / times), labels)


def check_intervals(
    rng: np.random.Generator, judge: Judge, sources: int, runs: int, rate: float = RATE
) -> dict[str, Any]:
    array = np.zeros((runs, 2))
    widths, values = np.zeros((runs, 2)), np.zeros(runs)
    for run in range(runs):
        items = make_round(rng, judge, sources, JUDGED_TIMES, rate)
        for place, item in enumerate((estimate_people(items), estimate_combined(items))):
            array[run, place] = item.low <= rate <= item.high
            widths[run, place] = item.width
        values[run] = item.value
    return {
        "row": "interval",
        "judge": judge.name,
        "sources": sources,
        "runs": runs,
        "coverage_people": round(float(array[:, 0].mean()), 4),
        "coverage_combined": round(float(array[:, 1].mean()), 4),
        "width_people": round(float(widths[:, 0].mean()), 4),
        "width_combined": round(float(widths[:, 1].mean()), 4),
        "widest_ratio": round(float((widths[:, 1] / widths[:, 0]).max()), 4),
        "bias_combined": round(float(values.mean() - rate), 4),
    }


def check_gain(rng: np.random.Generator, judge: Judge, runs: int) -> dict[str, Any]:
    """With many more items of the judge: how many times as much people's judgements count, by the squared errors."""
    people, combined = np.zeros(runs), np.zeros(runs)
    pairs = []
    for run in range(runs):
        human, answers = draw_sources(rng, judge, FEW * MANY_TIMES)
        pairs.append(np.corrcoef(human[:, 0], answers[:, 0])[0, 1])
        human[FEW:] = np.nan
        # One item a source: then 1 / (1 - r^2) is exact.
        items = JudgedItems(human[:, 0], answers[:, 0], np.full(len(human), 1 / MANY_TIMES), np.arange(len(human)))
        people[run], combined[run] = estimate_people(items).error ** 2, estimate_combined(items).error ** 2
    return {
        "row": "gain",
        "judge": judge.name,
        "runs": runs,
        "gain": round(float(people.mean() / combined.mean()), 3),
        "expected": round(1 / (1 - float(np.mean(pairs)) ** 2), 3),
    }


def check_sequence(rng: np.random.Generator, judge: Judge, runs: int) -> dict[str, Any]:
    """A pool of sources that the judge saw whole; people see LOOKS of them, one after the other."""
    array = np.zeros((runs, 2))
    for run in range(runs):
        human, answers = (rows.mean(axis=1) for rows in draw_sources(rng, judge, LOOKS * JUDGED_TIMES))
        alone = follow_mean(human[:LOOKS].tolist())
        array[run, 0] = all(look.low <= RATE <= look.high for look in alone)
        known = (float(answers.mean()), float(answers.mean()))
        both = follow_combined(human[:LOOKS].tolist(), answers[:LOOKS].tolist(), known, 0.7, pool=len(human))
        array[run, 1] = all(look.low <= human.mean() <= look.high for look in both)
    return {
        "row": "sequence",
        "judge": judge.name,
        "runs": runs,
        "looks": LOOKS,
        "always_people": round(float(array[:, 0].mean()), 4),
        "always_combined": round(float(array[:, 1].mean()), 4),
    }


def check_looks(rng: np.random.Generator, runs: int) -> dict[str, Any]:
    wrong = np.zeros(runs)
    for run in range(runs):
        outcomes = rng.choice([0.0, 0.5, 1.0], p=[0.4, 0.2, 0.4], size=(LOOKS, PER_SOURCE)).mean(axis=1)
        wrong[run] = any(look.rejects for look in follow_preference(outcomes.tolist()))
    return {"row": "looks", "runs": runs, "looks": LOOKS, "called_different": round(float(wrong.mean()), 4)}


if __name__ == "__main__":
    main()

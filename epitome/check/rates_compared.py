"""Differences of rates of marked errors: sums over sums, as the table of scores has them."""

from typing import Any

import numpy as np

from epitome.check.draws import BLOCK, EXACT, ROUNDING, Floats, bootstrap, number_sources, sum_sources
from epitome.check.marks import amount, select_marked
from epitome.check.report_file import Number, Report
from epitome.check.results import Result
from epitome.check.selection import Of


def sum_samples(report: Report, of: Of) -> tuple[Floats, list[str]]:
    """(samples, 4): 100 times the score and the words of the first system, then of the second; the source of each."""
    chosen = {name: value for name, value in of.items() if name not in ("first", "second")}
    sums: dict[str, dict[str, Floats]] = {of["first"]: {}, of["second"]: {}}
    source_of: dict[str, str] = {}
    for marked in select_marked(report, chosen):
        answer = marked.answer
        if answer.systems[0] in sums:
            added = np.array([100 * amount(report, marked, {"amount": "score"}), answer.n_words])
            of_system = sums[answer.systems[0]]
            of_system[answer.sample] = of_system.get(answer.sample, np.zeros(2)) + added
            source_of[answer.sample] = answer.source
    mine, theirs = sums[of["first"]], sums[of["second"]]
    both = sorted(mine.keys() & theirs.keys())
    table = np.array([[*mine[sample], *theirs[sample]] for sample in both], dtype=float).reshape(-1, 4)
    return table, [source_of[sample] for sample in both]


def subtract_rates(sums: Floats) -> Floats:
    return np.asarray(sums[..., 0] / sums[..., 1] - sums[..., 2] / sums[..., 3])


def difference(report: Report, number: Number) -> Result:
    table, sources = sum_samples(report, number.of)
    if not len(table):
        return Result(None, n=0)
    low, high = bootstrap(table, sources, subtract_rates, int(report.head["swaps"]), report.seed)
    return Result(float(subtract_rates(table.sum(axis=0))), low, high, len(table))


def p_value(report: Report, of: Of) -> float | None:
    table, sources = sum_samples(report, of)
    if not len(table):
        return None
    sums = sum_sources(table, number_sources(sources))
    observed = float(subtract_rates(sums.sum(axis=0)))
    far = abs(observed) - ROUNDING * float(np.abs(sums[:, 0] / sums[:, 1]).max() + abs(observed))
    total = (sums[:, :2] + sums[:, 2:]).sum(axis=0)
    apart = sums[:, :2] - sums[:, 2:]
    apart = apart[(apart != 0).any(axis=1)]

    def count_far(signs: "np.typing.NDArray[np.floating[Any]]") -> int:
        moved = signs @ apart
        return int(np.sum(np.abs(subtract_rates(np.hstack([total + moved, total - moved]))) >= far))

    k, swaps = len(apart), int(report.head["swaps"])
    if k <= EXACT:
        ways = np.arange(2**k)
        return count_far(1.0 - 2.0 * ((ways[:, None] >> np.arange(k)) & 1)) / len(ways)
    rng, n_far, step = np.random.default_rng(report.seed), 0, max(1, BLOCK // k)
    for start in range(0, swaps, step):
        bits = rng.integers(0, 2, size=(min(step, swaps - start), k), dtype=np.int8)
        n_far += count_far(2.0 * bits - 1.0)
    return (1 + n_far) / (1 + swaps)


def p_of_difference(report: Report, number: Number) -> Result:
    return Result(p_value(report, number.of))

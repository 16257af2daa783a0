"""How often every interval holds the truth, and every test calls equal systems different:

    python -m benchmarks.coverage [--runs 2000] [--only WORD] [--markdown]

One row for each kind of interval and test that a report prints, in designs that are easy and in such that are not: few
sources, sources that differ, shares near 1. The functions are those of the reports, the truth is known, seeds are
fixed. A 95 % interval should hold the truth in .95 of the runs ("coverage"), a test at .05 call .05 of equal systems
different ("type I"); .01 either way is chance in 2,000 runs, .02 in 400. Prints JSON lines, or with --markdown the
table of docs/metrics.md. Slow rows (strengths, sequences) have fewer runs, as their column says. Needs no database.
"""

import argparse
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from benchmarks.combined import JUDGES, check_intervals, check_looks, check_sequence
from benchmarks.combined_chosen import DESIGNS as CHOSEN
from benchmarks.combined_chosen import check_chosen
from benchmarks.coverage_draws import (
    Design,
    draw_flags,
    draw_marks,
    draw_numbers,
    draw_rankings,
    draw_steps,
    draw_two_raters,
    make_ratings,
    true_share,
)
from epitome.agreement.concordance import kendall_w
from epitome.agreement.design_effect import estimate_share
from epitome.agreement.intervals import Estimate, Statistic, estimate_statistics, ratio_or_nan
from epitome.agreement.rates import yes_rates
from epitome.agreement.report import build_statistics
from epitome.agreement.scales import Floats, Ints
from epitome.measures import Signature
from epitome.metrics.aggregate import aggregate_values
from epitome.metrics.bradley_terry import find_ends, fit_strengths
from epitome.metrics.contrastive_comparison import compare_models
from epitome.metrics.contrastive_scores import report_scores
from epitome.metrics.ratio_tests import ratio_permutation
from epitome.metrics.scored_tuples import ScoredTuples
from epitome.metrics.significance import Test, paired_permutation, sign_flip_test
from epitome.reports.correlation import correlation_p
from epitome.reports.strengths import bound_strength

COEFFICIENTS = {
    "percent": "percent agreement",
    "cohen_kappa": "Cohen's kappa",
    "fleiss_kappa": "Fleiss' kappa",
    "krippendorff_alpha": "Krippendorff's alpha",
    "gwet_ac1": "Gwet's AC1",
}
KAPPA = 0.6
SWAPS = 2000
LEVEL = 0.05
EPSILON = 1e-9
SHARES = (
    *(Design(30, 1, 0.5), Design(20, 1, 0.9), Design(30, 1, 0.95), Design(50, 1, 0.97)),
    *(Design(10, 2, 0.7, 1), Design(20, 4, 0.7, 1), Design(30, 6, 0.5, 2), Design(30, 3, 0.95, 1)),
)
AGREEMENTS = (
    *(Design(n, 1, rate) for n in (20, 30, 100) for rate in (0.7, 0.9, 0.95)),
    *(Design(10, 2, 0.7, 1), Design(30, 4, 0.7, 1.5), Design(30, 3, 0.95, 1)),
)


class Row(NamedTuple):
    """what: the number; method: of its interval or test; value: the share of runs."""

    what: str
    method: str
    design: str
    kind: str
    value: float
    runs: int


def holds(estimate: Estimate, truth: float) -> bool | None:
    """Whether the interval does; None without one."""
    low, high = estimate.interval.low, estimate.interval.high
    return None if low is None or high is None else low - EPSILON <= truth <= high + EPSILON


def share_of(flags: Sequence[bool | None]) -> float:
    known = [flag for flag in flags if flag is not None]
    return float(np.mean(known)) if known else float("nan")


def rejects(test: Test) -> bool:
    return test.p_value.value is not None and test.p_value.value < LEVEL


def check_shares(rng: np.random.Generator, runs: int) -> Iterator[Row]:
    for design in SHARES:
        truth, sources = true_share(design), design.clusters.tolist()
        held = [holds(estimate_share(draw_flags(rng, design).tolist(), sources), truth) for _run in range(runs)]
        what = "share of yes of one rater, wins, best, first ranks"
        yield Row(what, "Wilson, effective n", design.text, "coverage", share_of(held), runs)
    for ties in (0.3, 0.7):
        chances = [0.15, ties, 0.85 - ties]
        drawn = (rng.choice([0.0, 0.5, 1.0], 30, p=chances) for _run in range(runs))
        held = [holds(estimate_share(values.tolist(), range(30)), 0.5 * ties + chances[2]) for values in drawn]
        design_text = f"30 x 1, {ties:.1f} ties".replace(" 0.", " .")
        yield Row("share won, ties as halves", "Wilson, effective n", design_text, "coverage", share_of(held), runs)


def check_yes(rng: np.random.Generator, runs: int) -> Iterator[Row]:
    for design in (Design(10, 2, 0.7, 1), Design(30, 1, 0.95), Design(30, 4, 0.7, 1.5), Design(30, 3, 0.95, 1)):
        many = draw_two_raters(np.random.default_rng(9), design, KAPPA, 400_000 // design.items)
        truths = {"share of yes, pooled": many.mean(), "share of yes by all raters": many.all(axis=1).mean()}
        held: dict[str, list[bool | None]] = {name: [] for name in truths}
        for _run in range(runs):
            rates = yes_rates(make_ratings(draw_two_raters(rng, design, KAPPA), design.clusters), ("one", "two"))
            for (name, truth), estimate in zip(truths.items(), (rates.pooled, rates.all_yes), strict=True):
                held[name].append(holds(estimate, float(truth)))
        for name, flags in held.items():
            yield Row(name, "Wilson, effective n", design.text, "coverage", share_of(flags), runs)


def check_agreement(rng: np.random.Generator, runs: int) -> Iterator[Row]:
    for design in AGREEMENTS:
        many = draw_two_raters(np.random.default_rng(9), design, KAPPA, 400_000 // design.items)
        truths = _true_coefficients(many)
        held: dict[str, list[bool | None]] = {name: [] for name in COEFFICIENTS}
        for _run in range(runs):
            ratings = make_ratings(draw_two_raters(rng, design, KAPPA), design.clusters)
            statistics = build_statistics(ratings)
            chosen = {name: statistics[name] for name in COEFFICIENTS}
            for name, estimate in estimate_statistics(chosen, ratings.clusters).items():
                held[name].append(holds(estimate, truths[name]) if estimate.value.defined else None)
        for name, flags in held.items():
            yield Row(
                COEFFICIENTS[name], "bootstrap, widened (kappa .6)", design.text, "coverage", share_of(flags), runs
            )


def _true_coefficients(answers: Ints) -> dict[str, float]:
    """Of very many units, from how many have each of the four pairs of answers. answers: (units, 2)."""
    pairs = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    exact = build_statistics(make_ratings(pairs, np.arange(4)))
    counts = np.bincount(2 * answers[:, 0] + answers[:, 1], minlength=4).astype(float)
    return {name: float(exact[name].finish(counts @ exact[name].rows)) for name in COEFFICIENTS}


def estimate_mean(above: Floats, below: Floats, clusters: Sequence[int]) -> Estimate:
    def finish(sums: Floats) -> Floats:
        return ratio_or_nan(sums[..., 0], sums[..., 1])

    statistic = Statistic(np.column_stack([above, below]), finish)
    return estimate_statistics({"mean": statistic}, np.asarray(clusters, dtype=np.int64))["mean"]


def check_means(rng: np.random.Generator, runs: int) -> Iterator[Row]:
    expanded, plain = "bootstrap, expanded", "bootstrap, percentile"
    for sources, items, skewed in ((10, 3, False), (30, 3, False), (30, 3, True), (94, 3, True)):
        clusters, truth = np.repeat(np.arange(sources), items), float(skewed)
        design = f"{sources} x {items}, icc .5{', skewed' if skewed else ''}"
        held: dict[str, list[bool | None]] = {expanded: [], plain: []}
        for _run in range(runs):
            numbers = draw_numbers(rng, sources, items, 0.5, skewed=skewed)
            held[expanded].append(holds(estimate_mean(numbers, np.ones(len(numbers)), clusters.tolist()), truth))
            interval = aggregate_values(numbers.tolist(), clusters.tolist(), signature=Signature("mean", "1")).interval
            held[plain].append((interval.low or 0.0) <= truth <= (interval.high or 0.0))
        names = {
            expanded: "mean of answers (scales, numbers, ranks)",
            plain: "mean of automatic scores (CER, ROUGE)",
        }
        for method, flags in held.items():
            yield Row(names[method], method, design, "coverage", share_of(flags), runs)
    yield from _check_list_means(rng, runs, expanded)


def _check_list_means(rng: np.random.Generator, runs: int, method: str) -> Iterator[Row]:
    held: dict[str, list[bool | None]] = {"best minus worst": [], "Kendall's W": [], "errors per 100 words": []}
    many = [kendall_w(draw_rankings(np.random.default_rng(number), 3, 4)).value or 0.0 for number in range(20_000)]
    for _run in range(runs):
        picks = rng.choice([1.0, 0.0, -1.0], 30, p=[0.25, 0.5, 0.25])
        held["best minus worst"].append(holds(estimate_mean(picks, np.ones(30), range(30)), 0.0))
        values = np.array([kendall_w(draw_rankings(rng, 3, 4)).value or 0.0 for _item in range(20)])
        held["Kendall's W"].append(holds(estimate_mean(values, np.ones(20), range(20)), float(np.mean(many))))
        weights, words = draw_marks(rng, 30, 0.03)
        held["errors per 100 words"].append(holds(estimate_mean(weights, words, range(30)), -9.0))
    designs = ("30 lists, 4 systems", "20 items, 3 raters by chance", "30 texts, .03 errors a word")
    for (name, flags), design in zip(held.items(), designs, strict=True):
        yield Row(name, method, design, "coverage", share_of(flags), runs)


def check_differences(rng: np.random.Generator, runs: int) -> Iterator[Row]:
    """Two systems that are alike."""
    for sources, items in ((6, 3), (12, 2), (30, 3)):
        clusters = np.repeat(np.arange(sources), items).tolist()
        tests: dict[str, list[Test]] = {"yes or no, .8": [], "steps": [], "preferences": [], "mean ranks": []}
        for _run in range(runs):
            design = Design(sources, items, 0.8, 1)
            answers = draw_two_raters(rng, design, 0.3)  # two systems whose answers are alike
            pairs = {"yes or no, .8": answers.T, "steps": draw_steps(rng, sources, items, 2).T}
            pairs["mean ranks"] = draw_rankings(rng, sources * items, 4)[:, :2].T
            for name, (first, second) in pairs.items():
                tests[name].append(paired_permutation(first.tolist(), second.tolist(), clusters, SWAPS))
            signs = rng.choice([1.0, 0.0, -1.0], sources * items, p=[0.4, 0.2, 0.4])
            tests["preferences"].append(sign_flip_test(signs.tolist(), clusters, SWAPS))
        for name, found in tests.items():
            design_text = f"{sources} x {items}"
            flags = [test.ci95.low <= EPSILON and test.ci95.high >= -EPSILON for test in found]  # type: ignore[operator]
            yield Row(f"difference: {name}", "bootstrap, expanded", design_text, "coverage", share_of(flags), runs)
            errors = share_of([rejects(test) for test in found])
            yield Row(f"difference: {name}", "sign flips of sources", design_text, "type I", errors, runs)


def check_marks(rng: np.random.Generator, runs: int) -> Iterator[Row]:
    for sources in (8, 30):
        found = []
        for _run in range(runs):
            ours, theirs = (list(zip(*(column.tolist() for column in draw_marks(rng, sources, 0.03)), strict=True))
                            for _system in range(2))  # fmt: skip
            found.append(ratio_permutation(ours, theirs, None, SWAPS))
        flags = [test.ci95.low <= 0 <= test.ci95.high for test in found]  # type: ignore[operator]
        design = f"{sources} texts"
        yield Row("difference: marked errors", "bootstrap, expanded", design, "coverage", share_of(flags), runs)
        errors = share_of([rejects(test) for test in found])
        yield Row("difference: marked errors", "sign flips of sources", design, "type I", errors, runs)


def check_contrastives(rng: np.random.Generator, runs: int) -> Iterator[Row]:
    """Golds of a source are alike in how well they are told apart."""
    for sources, golds, each in ((10, 3, 5), (25, 4, 10)):
        tuples = np.repeat(np.arange(sources * golds), each)
        of_tuple = np.repeat(np.arange(sources), golds)
        held: dict[str, list[bool | None]] = {"contrastives dodged": [], "tuples escaped": []}
        errors = []
        shares = 1 / (1 + np.exp(-2.5 - np.random.default_rng(9).standard_normal(200_000)))
        truths = (100 * float(shares.mean()), 100 * float((shares**each).mean()))
        for _run in range(runs):
            chances = 1 / (1 + np.exp(-2.5 - rng.standard_normal(sources)))
            models = [
                ScoredTuples(
                    keys=np.arange(sources * golds),
                    gold=np.zeros(sources * golds),
                    tuples=tuples,
                    contrastives=np.arange(len(tuples)),
                    rule=np.zeros(len(tuples), dtype=np.int64),
                    scores=np.where(rng.random(len(tuples)) < chances[of_tuple[tuples]], -1.0, 1.0),
                    rules=("G-N",),
                    sources=of_tuple,
                )
                for _model in range(2)
            ]
            report = report_scores(models[0])
            for name, truth, aggregate in zip(held, truths, (report.dodged, report.escaped), strict=True):
                held[name].append((aggregate.interval.low or 0.0) <= truth <= (aggregate.interval.high or 0.0))
            p_value = compare_models(models[0], models[1], replicates=SWAPS).dodged.p_value.value
            errors.append(p_value is not None and p_value < LEVEL)
        design = f"{sources} sources x {golds} golds x {each}"
        for name, flags in held.items():
            yield Row(name, "Wilson, effective n", design, "coverage", share_of(flags), runs)
        yield Row("two scorers: dodged", "sign flips of sources", design, "type I", share_of(errors), runs)


def check_correlation(rng: np.random.Generator, runs: int) -> Iterator[Row]:
    for sources, items, icc in ((15, 8, 0.6), (30, 1, 0.0), (30, 6, 0.3)):
        clusters = np.repeat(np.arange(sources), items).tolist()
        errors = []
        for _run in range(runs):
            first, second = (draw_numbers(rng, sources, items, icc) for _number in range(2))
            p_value = correlation_p(first, second, clusters, SWAPS, 1).value
            errors.append(p_value is not None and p_value < LEVEL)
        design = f"{sources} x {items}, icc {icc:g}"
        yield Row("Spearman's rho", "sign flips of sources", design, "type I", share_of(errors), runs)


def check_strengths(rng: np.random.Generator, runs: int) -> Iterator[Row]:
    """An end that is open holds everything beyond the other one."""
    truth = np.array([0.8, 0.2, -0.2, -0.8])
    first, second = np.triu_indices(4, 1)
    chances = 1 / (1 + np.exp(truth[second] - truth[first]))
    for sources in (15, 40):
        held: list[bool | None] = []
        n_open = 0
        for _run in range(max(1, runs // 5)):
            won = rng.random((sources, len(first))) < chances
            wins = np.zeros((sources, 4, 4))
            wins[:, first, second], wins[:, second, first] = won, ~won
            tables = np.tensordot(rng.multinomial(sources, np.ones(sources) / sources, 400).astype(float), wins, 1)
            if np.isnan(fit_strengths(wins.sum(axis=0))).any():
                held += [None] * 4
                continue
            strengths = fit_strengths(tables)
            values = np.where(np.isnan(strengths), find_ends(tables), strengths)
            for system in range(4):
                low, high, _why = bound_strength(values[:, system], sources)
                known = low is not None or high is not None
                n_open += low is None or high is None
                over = low is None or low <= truth[system]
                held.append(over and (high is None or truth[system] <= high) if known else None)
        design = f"4 systems, {sources} sources, {n_open / len(held):.0%} open"
        yield Row("Bradley-Terry strengths", "bootstrap, expanded", design, "coverage", share_of(held), runs // 5)


def check_combined(rng: np.random.Generator, runs: int) -> Iterator[Row]:
    for sources, rate in ((30, 0.65), (30, 0.95)):
        row = check_intervals(rng, JUDGES[2], sources, runs, rate)
        design = f"{sources} x 2, {rate:.2f}, good judge".replace(" 0.", " .")
        yield Row("combined mean", "PPI++, Wilson", design, "coverage", row["coverage_combined"], runs)
    few = max(1, runs // 2)
    for row in check_chosen(CHOSEN[2], few):
        what = f"combined {row['of']}, chosen items"
        yield Row(what, "inverse chances, tuned", row["design"], "coverage", row["coverage_combined"], few)
    few = max(1, runs // 10)
    row = check_sequence(rng, JUDGES[1], few)
    yield Row("sequence of a mean, at all looks", "betting", "80 looks", "coverage", row["always_people"], few)
    yield Row("sequence, combined, at all looks", "betting", "80 looks", "coverage", row["always_combined"], few)
    row = check_looks(rng, few)
    yield Row("sequence of preferences", "betting", "80 looks", "type I", row["called_different"], few)


CHECKS: tuple[Callable[[np.random.Generator, int], Iterator[Row]], ...] = (
    check_shares,
    check_yes,
    check_agreement,
    check_means,
    check_differences,
    check_marks,
    check_contrastives,
    check_correlation,
    check_strengths,
    check_combined,
)


def check_all(runs: int, only: str = "") -> Iterator[Row]:
    """Each check has its own seed, so that one alone prints the same numbers."""
    for check in CHECKS:
        if only in check.__name__:
            yield from check(np.random.default_rng(zlib.crc32(check.__name__.encode())), runs)


def group_rows(rows: Sequence[Row]) -> Iterator[str]:
    """A Markdown table: designs of one number in one line."""
    yield "| number | interval or test | coverage or type I, by design | runs |"
    yield "|---|---|---|---|"
    lines: dict[tuple[str, str, str, int], list[str]] = {}
    for row in rows:
        value = "n/a" if np.isnan(row.value) else f"{row.value:.3f}".removeprefix("0") if row.value < 1 else "1.0"
        lines.setdefault((row.what, row.method, row.kind, row.runs), []).append(f"{row.design}: {value}")
    for (what, method, kind, runs), cells in lines.items():
        yield f"| {what} | {method} | *{kind}* {'; '.join(cells)} | {runs:,} |"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--only", default="", help="a word of the name of a check, such as agreement")
    parser.add_argument("--markdown", action="store_true")
    args = parser.parse_args()
    rows = []
    for row in check_all(args.runs, args.only):
        rows.append(row)
        if not args.markdown:
            print(json.dumps(row._asdict()), flush=True)
    if args.markdown:
        print("\n".join(group_rows(rows)))


if __name__ == "__main__":
    main()

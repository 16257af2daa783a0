"""Agreement of raters: percent, kappa, alpha, AC1, prevalence, and Kendall's W.

Each coefficient is a function of sums over units (one question about one item), so that a bootstrap replicate, which
counts whole sources several times, is the same function of other sums.
"""

from collections.abc import Callable
from itertools import combinations
from typing import NamedTuple

import numpy as np

from epitome.check.draws import NONE, Bounds, Floats, bootstrap, effective_n, wilson
from epitome.check.rates import bound, whole_ratings
from epitome.check.report_file import Answer, Number, Report
from epitome.check.results import Result, UnknownFormula
from epitome.check.selection import Of, rank, ratings, select

Finish = Callable[[Floats], Floats]
Ints = np.ndarray[tuple[int, ...], np.dtype[np.int64]]
MOST_LABELS, MOST_PAIRED = 101, 20
FEW = 10
"""Sources with a disagreement, from which on the bootstrap stands by itself."""


class Units(NamedTuple):
    """codes: (units, raters), the place of each answer among the labels, -1 where a rater gave none."""

    codes: Ints
    labels: tuple[str, ...]
    sources: list[str]

    @property
    def counts(self) -> Floats:
        """(units, labels): how many raters gave each answer."""
        return np.stack([(self.codes == label).sum(axis=1) for label in range(len(self.labels))], axis=1).astype(float)


class Coefficient(NamedTuple):
    """terms: (units, columns), of which `finish` takes the sums; None where the coefficient is undefined. apart:
    (units,) disagreement from 0 to 1, NaN for units that do not count; by_chance: the disagreement that is expected."""

    terms: Floats | None
    finish: Finish = lambda sums: sums
    apart: Floats | None = None
    by_chance: float = 1.0


UNDEFINED = Coefficient(None)


def collect(report: Report, of: Of) -> Units:
    answers = _merge_any(report, of) if of.get("yes_to") == "any" else select(report, of)
    units = ratings(answers)
    raters = sorted({answer.rater for answer in answers})
    given_answers = dict.fromkeys(answer.answer for answer in answers)
    scale_labels = of.get("labels")
    labels = tuple(dict.fromkeys((*scale_labels, *given_answers))) if scale_labels else tuple(sorted(given_answers))
    if of.get("points"):
        labels = tuple(sorted(given_answers, key=float))
    codes = np.full((len(units), len(raters)), -1, dtype=np.int64)
    for row, rated in enumerate(units.values()):
        for answer in rated:
            codes[row, raters.index(answer.rater)] = labels.index(answer.answer)
    return Units(codes, labels, [rated[0].source for rated in units.values()])


def _merge_any(report: Report, of: Of) -> list[Answer]:
    """One answer per person and item: yes if any question was answered with yes."""
    return [
        answers[0]._replace(question="any", answer="yes" if any(answer.answer == "yes" for answer in answers) else "no")
        for answers in whole_ratings(report, of)
    ]


def over(above: Floats, below: Floats) -> Floats:
    with np.errstate(all="ignore"):
        return np.asarray(np.where(below > 0, above / below, np.nan))


def cohen_of_pair(a: Ints, b: Ints, n_labels: int) -> Coefficient:
    both = (a >= 0) & (b >= 0)
    if not both.any():
        return UNDEFINED
    labels = np.arange(n_labels)
    pair_terms = [both, both & (a == b)]
    terms = np.column_stack(
        [*pair_terms, both[:, None] & (a[:, None] == labels), both[:, None] & (b[:, None] == labels)]
    )

    def finish(sums: Floats) -> Floats:
        n, same = sums[..., 0], sums[..., 1]
        by_chance = (sums[..., 2 : 2 + n_labels] * sums[..., 2 + n_labels :]).sum(axis=-1)
        return over(n * same - by_chance, n * n - by_chance)

    totals = terms.astype(float).sum(axis=0)
    alike = float(totals[2 : 2 + n_labels] @ totals[2 + n_labels :]) / float(totals[0]) ** 2
    return Coefficient(terms.astype(float), finish, np.where(both, a != b, np.nan), 1 - alike)


def cohen(units: Units) -> Coefficient:
    if units.codes.shape[1] != 2:
        return UNDEFINED
    return cohen_of_pair(units.codes[:, 0], units.codes[:, 1], len(units.labels))


def cohen_pairs(units: Units) -> Coefficient:
    """The mean of Cohen's kappa over the pairs of raters for which it is defined."""
    n_raters = units.codes.shape[1]
    if not 2 < n_raters <= MOST_PAIRED:
        return UNDEFINED
    of_pairs = [
        cohen_of_pair(units.codes[:, a], units.codes[:, b], len(units.labels))
        for a, b in combinations(range(n_raters), 2)
    ]
    of_pairs = [
        pair for pair in of_pairs if pair.terms is not None and np.isfinite(pair.finish(pair.terms.sum(axis=0)))
    ]
    known = [(pair.terms, pair.finish) for pair in of_pairs if pair.terms is not None]
    if not known:
        return UNDEFINED
    width = known[0][0].shape[1]

    def finish(sums: Floats) -> Floats:
        kappas = [
            finish_pair(sums[..., at * width : (at + 1) * width]) for at, (_terms, finish_pair) in enumerate(known)
        ]
        return np.asarray(np.mean(kappas, axis=0))

    apart = np.array([pair.apart for pair in of_pairs])
    counted = np.isfinite(apart).sum(axis=0)
    of_units = np.where(counted > 0, np.nansum(apart, axis=0) / np.maximum(counted, 1), np.nan)
    harmonic = len(of_pairs) / sum(1 / pair.by_chance for pair in of_pairs)
    return Coefficient(np.hstack([terms for terms, _finish in known]), finish, of_units, harmonic)


def kappa(units: Units) -> Coefficient:
    """Cohen's of two raters, of more the mean over their pairs."""
    return cohen(units) if units.codes.shape[1] == 2 else cohen_pairs(units)


def _unit_terms(units: Units) -> Floats:
    """Of each unit: rated twice or more; the share of its pairs of ratings that agree; rated; the share of each
    answer."""
    counts = units.counts
    n = counts.sum(axis=1)
    twice = n >= 2
    agree = np.where(twice, (counts * (counts - 1)).sum(axis=1) / np.where(twice, n * (n - 1), 1), 0)
    return np.column_stack([twice, agree, n > 0, counts / np.maximum(n, 1)[:, None]])


def percent(units: Units) -> Coefficient:
    terms = _unit_terms(units)
    if not terms[:, 0].any():
        return UNDEFINED
    return Coefficient(terms, lambda sums: over(sums[..., 1], sums[..., 0]), _apart(terms))


def _apart(terms: Floats) -> Floats:
    return np.where(terms[:, 0] > 0, 1 - terms[:, 1], np.nan)


def fleiss(units: Units) -> Coefficient:
    terms = _unit_terms(units)
    if not terms[:, 0].any() or (units.counts.sum(axis=0) > 0).sum() < 2:
        return UNDEFINED

    def expect(sums: Floats) -> Floats:
        return np.asarray((over(sums[..., 3:], sums[..., 2, None]) ** 2).sum(axis=-1))

    def finish(sums: Floats) -> Floats:
        alike = expect(sums)
        return over(over(sums[..., 1], sums[..., 0]) - alike, 1 - alike)

    return Coefficient(terms, finish, _apart(terms), 1 - float(expect(terms.sum(axis=0))))


def ac1(units: Units) -> Coefficient:
    terms, q = _unit_terms(units), len(units.labels)
    if not terms[:, 0].any() or q < 2:
        return UNDEFINED

    def expect(sums: Floats) -> Floats:
        shares = over(sums[..., 3:], sums[..., 2, None])
        return np.asarray((shares * (1 - shares)).sum(axis=-1) / (q - 1))

    def finish(sums: Floats) -> Floats:
        by_chance = expect(sums)
        return over(over(sums[..., 1], sums[..., 0]) - by_chance, 1 - by_chance)

    return Coefficient(terms, finish, _apart(terms), 1 - float(expect(terms.sum(axis=0))))


def alpha(units: Units, points: Floats | None = None) -> Coefficient:
    """Krippendorff's; points: the numbers of the labels for squared distances, None for nominal ones."""
    counts = units.counts
    n = counts.sum(axis=1)
    counts = np.where((n >= 2)[:, None], counts, 0)
    if (counts.sum(axis=0) > 0).sum() < 2:
        return UNDEFINED
    size = len(units.labels)
    apart = 1.0 - np.eye(size) if points is None else (points[:, None] - points[None, :]) ** 2 / np.ptp(points) ** 2
    seen = ((counts @ apart) * counts).sum(axis=1) / np.maximum(n - 1, 1)

    def finish(sums: Floats) -> Floats:
        totals = sums[..., 1:]
        expected = ((totals @ apart) * totals).sum(axis=-1)
        return np.asarray(1 - over((totals.sum(axis=-1) - 1) * sums[..., 0], expected))

    totals = counts.sum(axis=0)
    by_chance = float(totals @ apart @ totals) / float(totals.sum() * (totals.sum() - 1))
    of_units = np.where(n >= 2, seen / np.maximum(n, 1), np.nan)
    return Coefficient(np.column_stack([seen, counts]), finish, of_units, by_chance)


def alpha_interval(units: Units) -> Coefficient:
    return alpha(units, np.array([float(label) for label in units.labels]))


def prevalence(units: Units) -> Coefficient:
    """(both gave the second answer - both gave the first) / n, of two raters and two answers."""
    if units.codes.shape[1] != 2 or len(units.labels) != 2:
        return UNDEFINED
    a, b = units.codes.T
    both = (a >= 0) & (b >= 0)
    if not both.any():
        return UNDEFINED
    terms = np.column_stack([(a == 1) & (b == 1), (a == 0) & (b == 0), both]).astype(float)
    return Coefficient(terms, lambda sums: over(sums[..., 0] - sums[..., 1], sums[..., 2]))


COEFFICIENTS: dict[str, Callable[[Units], Coefficient]] = {
    "percent": percent,
    "cohen": cohen,
    "cohen-pairs": cohen_pairs,
    "kappa": kappa,
    "fleiss": fleiss,
    "alpha": alpha,
    "alpha-interval": alpha_interval,
    "ac1": ac1,
    "prevalence": prevalence,
}


def coefficient(report: Report, number: Number) -> Result:
    """The coefficient that the number's statistic names."""
    units = collect(report, number.of)
    if units.codes.size == 0 or units.codes.shape[1] < 2:
        return Result(None)
    if len(units.labels) > MOST_LABELS and number.statistic != "alpha-interval":
        return Result(None)
    return conclude(report, number, COEFFICIENTS[number.statistic](units), units.sources)


def conclude(report: Report, number: Number, found: Coefficient, sources: list[str]) -> Result:
    """The value and the interval of sums over units. sources: of each unit."""
    if found.terms is None:
        return Result(None)
    value = float(found.finish(found.terms.sum(axis=0)))
    if not np.isfinite(value):
        return Result(None)
    if number.interval not in ("", "bootstrap", "bootstrap-widened"):
        raise UnknownFormula(f"the interval {number.interval!r} is not known to this version")
    bounds = bootstrap(found.terms, sources, found.finish, report.replicates, report.seed) if number.interval else NONE
    if number.interval == "bootstrap-widened" and len(set(sources)) > 1:
        bounds = widen(bounds, found, value, sources)
    return Result(value, *bounds)


def widen(bounds: Bounds, found: Coefficient, value: float, sources: list[str]) -> Bounds:
    """As far as Wilson's of the disagreement reaches, where fewer than ten sources have one."""
    if found.apart is None:
        return bounds
    seen = [(float(apart), source) for apart, source in zip(found.apart, sources, strict=True) if np.isfinite(apart)]
    if len(seen) < 2 or len({source for apart, source in seen if apart > 0}) >= FEW:
        return bounds
    mean = sum(apart for apart, _source in seen) / len(seen)
    expected = mean / (1 - value) if mean > 0 and value < 1 else found.by_chance
    if not expected > 0:
        return bounds
    n = effective_n([apart for apart, _source in seen], [source for _apart, source in seen])
    least_apart, most_apart = wilson(mean, n)
    low, high = max(-1.0, 1 - (most_apart or 0.0) / expected), min(1.0, 1 - (least_apart or 0.0) / expected)
    return (low if bounds[0] is None else min(low, bounds[0])), (high if bounds[1] is None else max(high, bounds[1]))


def units_size(report: Report, number: Number) -> Result:
    """How many units or raters, the share of units times raters without a rating, or the items rated twice."""
    units = collect(report, number.of)
    n_units, n_raters = units.codes.shape
    n_answers = int((units.codes >= 0).sum())
    sizes = {
        "units": n_units,
        "raters": n_raters,
        "missing": 1 - n_answers / (n_units * n_raters) if n_answers else 1.0,
        "twice": int(((units.codes >= 0).sum(axis=1) > 1).sum()),
    }
    return Result(sizes[number.statistic])


def concordance(report: Report, number: Number) -> Result:
    """The mean over items that two or more ranked of Kendall's W = 12 S / (m^2 (k^3 - k))."""
    by_item: dict[str, list[Answer]] = {}
    for answer in select(report, number.of):
        by_item.setdefault(answer.item, []).append(answer)
    values, sources = [], []
    for answers in by_item.values():
        m, systems = len(answers), answers[0].systems
        k = len(systems)
        if m < 2 or k < 2:
            continue
        sums = [sum(rank(answer, system) or 0 for answer in answers) for system in systems]
        spread = sum((rank_sum - sum(sums) / k) ** 2 for rank_sum in sums)
        values.append(12 * spread / (m**2 * (k**3 - k)))
        sources.append(answers[0].source)
    if not values:
        return Result(None, n=0)
    return Result(sum(values) / len(values), *bound(report, number.interval, values, sources), len(values))

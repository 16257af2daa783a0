"""Estimates from people and a judge, and comparisons that hold at every look; from the rows with pi, H and G."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np

from epitome.check.draws import Floats, holm, number_sources, sum_sources, t_p, t_quantile
from epitome.check.report_file import Number, Report
from epitome.check.results import Result

Row = Mapping[str, Any]
LEAST, FEW, TINY, MOST_FREEDOM, GRID = 3, 5, 1e-12, 1000, 1000


class Items(NamedTuple):
    """human: NaN where people said nothing; sources: codes; low, high: the ends of the scale."""

    human: Floats
    judge: Floats
    chance: Floats
    sources: np.ndarray[tuple[int, ...], np.dtype[np.int64]]
    low: float
    high: float

    @property
    def is_shown(self) -> "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]":
        return ~np.isnan(self.human)


class Mean(NamedTuple):
    """value with its interval and p; error: standard error; weight: l; deviating: j of the formulas; own: (sources
    with values,) what each adds, as E_s."""

    value: float
    low: float
    high: float
    p: float
    error: float
    weight: float
    n: int
    deviating: float


class Base(NamedTuple):
    """People's mean (or the judge's alone), on which an interval rests."""

    mean: float
    influences: Floats
    takes: "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]"
    k: int
    squares: float
    error: float
    deviating: float
    wider: float


def choose(report: Report, of: Mapping[str, Any], system: str, other: str = "") -> list[Row]:
    return [
        row
        for row in report.combined
        if (row["question"], row["judge"], row["system"], row.get("other", ""))
        == (of["question"], of["judge"], system, other)
    ]


def match(report: Report, of: Mapping[str, Any]) -> list[tuple[Row, Row]] | None:
    """The rows of both systems on the samples that both have; None where a sample is there twice."""
    first, second = (choose(report, of, of[name]) for name in ("first", "second"))
    by_sample = {row["sample_id"]: row for row in second}
    if len(by_sample) < len(second) or len({row["sample_id"] for row in first}) < len(first):
        return None
    return [(row, by_sample[row["sample_id"]]) for row in first if row["sample_id"] in by_sample]


def make_items(report: Report, of: Mapping[str, Any]) -> Items | None:
    """The rows of a number; None where people judged none, or the chances of a difference are not known."""
    if of["of"] == "difference":
        return _make_pairs(match(report, of) or [])
    rows = choose(report, of, of["first"], of.get("second", ""))
    human = [row["H"] for row in rows]
    n_known = sum(value is not None for value in human)
    if not n_known:
        return None
    share = n_known / sum(row["drawn"] for row in rows)
    return _items(human, _fill(rows), rows, [row["pi"] * share for row in rows], 0.0)


def _make_pairs(pairs: Sequence[tuple[Row, Row]]) -> Items | None:
    human = [None if a["H"] is None or b["H"] is None else a["H"] - b["H"] for a, b in pairs]
    n_known = sum(value is not None for value in human)
    if not n_known:
        return None
    even = len({row["pi"] for pair in pairs for row in pair}) == 1
    if not even and any((a["pi"], a["drawn"]) != (b["pi"], b["drawn"]) for a, b in pairs):
        return None
    share = n_known / sum(a["drawn"] and b["drawn"] for a, b in pairs)
    first, second = [a for a, _b in pairs], [b for _a, b in pairs]
    judge = [a - b for a, b in zip(_fill(first), _fill(second), strict=True)]
    return _items(human, judge, first, [1.0 if even else row["pi"] * share for row in first], -1.0)


def _fill(rows: Sequence[Row]) -> list[float]:
    known = [row["G"] for row in rows if row["G"] is not None]
    guess = sum(known) / len(known) if known else 0.5
    return [guess if row["G"] is None else row["G"] for row in rows]


def _items(
    human: Sequence[float | None], judge: Sequence[float], rows: Sequence[Row], chance: Sequence[float], low: float
) -> Items:
    return Items(
        np.array([np.nan if value is None else value for value in human], dtype=float),
        np.array(judge, dtype=float),
        np.array(chance, dtype=float),
        number_sources([row["source_id"] for row in rows]),
        low,
        1.0,
    )


def rest(items: Items, values: Floats, takes: Any, weights: Floats) -> Base | None:
    """The mean of values with its error; None for fewer than three sources."""
    sources = items.sources[takes]
    k = len(np.unique(sources))
    if k < LEAST:
        return None
    shares = weights / weights.sum()
    mean = float(values[0]) if np.ptp(values) < TINY else float(shares @ values)
    influences = np.zeros(len(items.human))
    influences[takes] = shares * (values - mean)
    sums, of_sources = _by_source(influences[takes], sources), _by_source(shares, sources)
    squares, variance = float(of_sources @ of_sources), float(sums @ sums) * k / (k - 1)
    deviating = float(sums @ sums) ** 2 / float((sums**4).sum()) if variance > 0 else 0.0
    wider = max(1.0, float(shares @ (values - mean) ** 2) * squares / variance) if 0 < deviating < FEW else 1.0
    return Base(mean, influences, takes, k, squares, sqrt(variance), deviating, wider)


def _by_source(values: Floats, sources: Any) -> Floats:
    return sum_sources(values[:, None], np.unique(sources, return_inverse=True)[1].reshape(-1))[:, 0]


def bound(
    items: Items, base: Base, value: float, error: float, influence: Floats, takes: Any, freedom: int, null: float
) -> tuple[float, float, float]:
    """(low, high, p) by the formulas "interval" and "tests"."""
    if error < TINY or not base.error:
        t, even = t_quantile(freedom), 1 / base.squares
        q = t * t / (even + t * t)
        room = value - items.low if null < value else items.high - value
        h = abs(value - null) / room if room else 0.0
        p = t_p(sqrt(even * h / (1 - h)), 1.0, freedom) if h < 1 else 0.0
        low, high = value - (value - items.low) * q, value + (items.high - value) * q
        return max(items.low, low), min(items.high, high), p
    if items.low < 0:
        half = t_quantile(freedom) * error
        return max(items.low, value - half), min(items.high, value + half), t_p(value - null, error, freedom)
    m = base.mean
    d, e = _by_source(influence[takes], items.sources[takes]), _by_source(base.influences[takes], items.sources[takes])
    shifts = d**2 / (d @ d) - 1 / len(d) - (1 - 2 * m) * e / (m * (1 - m))
    spread = float(shifts @ shifts)
    v = max(freedom, int(2 / spread)) if spread > 2 / MOST_FREEDOM else MOST_FREEDOM
    variance = error**2 * base.wider / (m * (1 - m))
    x, c = min(1.0, max(0.0, value)), t_quantile(v) ** 2 * variance
    half = sqrt(c * x * (1 - x) + c * c / 4)
    null_error = sqrt(null * (1 - null) * variance) if 0 < null < 1 else error
    low, high = max(0.0, (x + c / 2 - half) / (1 + c)), min(1.0, (x + c / 2 + half) / (1 + c))
    return low, high, t_p(value - null, null_error, v)


def alone(items: Items, base: Base, null: float, weight: float = 0.0) -> Mean:
    low, high, p = bound(items, base, base.mean, base.error, base.influences, base.takes, base.k - 1, null)
    return Mean(base.mean, low, high, p, base.error, weight, int(items.is_shown.sum()), base.deviating)


def estimate(items: Items, null: float) -> tuple[Mean, Mean] | None:
    """(people alone, people and judge)."""
    is_shown = items.is_shown
    unequal = np.ptp(items.chance) > 1e-9
    human, n = items.human[is_shown], int(is_shown.sum())
    base = rest(items, human, is_shown, 1 / items.chance[is_shown] if unequal else np.ones(n))
    if base is None:
        return None
    people = alone(items, base, null)
    if base.deviating < LEAST or (not np.ptp(items.judge) if unequal else is_shown.all()):
        return people, people
    if unequal:
        total = len(items.judge)
        inverse = np.where(is_shown, 1 / items.chance, 0.0)
        a, b = np.where(is_shown, items.human, 0.0) * inverse, items.judge * (inverse - 1)
        weight = _tune(a - a.mean(), b - b.mean(), items)
        value = float((a - weight * b).mean())
        influence = (a - weight * b - value) / total
    else:
        g_n, g_rest = items.judge[is_shown].mean(), items.judge[~is_shown].mean()
        b = np.where(is_shown, (items.judge - g_n) / n, -(items.judge - g_rest) / (len(is_shown) - n))
        weight = _tune(base.influences, b, items)
        if not weight:
            return people, people
        value, influence = base.mean - weight * float(g_n - g_rest), base.influences - weight * b
    sums = _by_source(influence, items.sources)
    error = sqrt(float(sums @ sums) * base.k / (base.k - 2))
    everything = np.ones(len(is_shown), dtype=bool)
    low, high, p = bound(items, base, value, error, influence, everything, base.k - 2, null)
    both = Mean(value, low, high, p, error, weight, n, base.deviating)
    return people, both if high - low < people.high - people.low else people


def _tune(human: Floats, judge: Floats, items: Items) -> float:
    u, v = _by_source(human, items.sources), _by_source(judge, items.sources)
    return min(1.0, max(0.0, float(u @ v) / float(v @ v))) if float(v @ v) > 0 else 0.0


def judge_alone(report: Report, of: Mapping[str, Any], null: float) -> Mean | None:
    if of["of"] == "difference":
        pairs = match(report, of)
        if pairs is None:
            return None
        rows = [(a["G"] - b["G"], a) for a, b in pairs if a["G"] is not None and b["G"] is not None]
    else:
        chosen = choose(report, of, of["first"], of.get("second", ""))
        rows = [(row["G"], row) for row in chosen if row["G"] is not None]
    low = -1.0 if of["of"] == "difference" else 0.0
    items = _items(
        [None] * len(rows), [value for value, _row in rows], [row for _v, row in rows], [1.0] * len(rows), low
    )
    base = rest(items, items.judge, np.ones(len(rows), dtype=bool), np.ones(len(rows))) if rows else None
    return alone(items, base, null, 1.0) if base else None


def _estimate_rows(report: Report, of: Mapping[str, Any], null: float) -> tuple[Mean, Mean, int] | None:
    """(people alone, people and judge, items), computed once for all parts of a row."""

    def compute() -> tuple[Mean, Mean, int] | None:
        items = make_items(report, of)
        both = estimate(items, null) if items is not None else None
        return (*both, len(items.judge)) if both is not None and items is not None else None

    about = {name: value for name, value in of.items() if name != "part"}
    return report.remember("combined", about, compute)


def combined(report: Report, number: Number) -> Result:
    """One number of an estimate; `part` says which."""
    of, part_name = number.of, number.of["part"]
    null = 0.5 if of["of"] == "wins" else 0.0
    if part_name == "judge":
        estimated = judge_alone(report, of, null)
        return Result(estimated.value, estimated.low, estimated.high) if estimated else Result(None)
    both = _estimate_rows(report, of, null)
    if both is None:
        return Result(None)
    people, mixed, n_items = both
    if part_name in ("people", "combined"):
        estimated = people if part_name == "people" else mixed
        return Result(estimated.value, estimated.low, estimated.high, estimated.n)
    effective = mixed.n * (people.error / mixed.error) ** 2 if mixed.error else float(mixed.n)
    return Result(
        {
            "weight": mixed.weight,
            "n-judge": n_items - mixed.n,
            "effective": effective,
            "saved": max(0.0, effective - mixed.n),
        }[part_name]
    )


def corrected(report: Report, number: Number) -> Result:
    """Holm's correction over all pairs of systems under the same question and judge."""
    of = number.of
    rows = [row for row in report.combined if (row["question"], row["judge"]) == (of["question"], of["judge"])]
    if of["of"] == "wins":
        pairs = list(dict.fromkeys((row["system"], row["other"]) for row in rows if row.get("other")))
    else:
        pairs = list(combinations(dict.fromkeys(row["system"] for row in rows if not row.get("other")), 2))
    estimated = {}
    for first, second in pairs:
        both = _estimate_rows(report, {**of, "first": first, "second": second}, 0.5 if of["of"] == "wins" else 0.0)
        if both is not None:
            estimated[frozenset((first, second))] = (both[0] if of["part"] == "people" else both[1]).p
    values = dict(zip(estimated, holm(list(estimated.values())), strict=True))
    return Result(values.get(frozenset((of["first"], of["second"]))))


def sequence(report: Report, number: Number) -> Result:
    """The mean, interval, sources, evidence or decision of the last look of a comparison."""
    of = number.of
    if of["of"] == "wins":
        rows = choose(report, of, of["first"], of["second"])
        valued = [(row.get("look", 0), row["H"]) for row in rows if row["H"] is not None]
    else:
        pairs = match(report, of) or []
        known = [(a, b) for a, b in pairs if a["H"] is not None and b["H"] is not None]
        valued = [(a.get("look", 0), (1 + a["H"] - b["H"]) / 2) for a, b in known]
    by_look: dict[int, list[float]] = {}
    for look, value in valued:
        if look:
            by_look.setdefault(look, []).append(value)
    y = [sum(by_look[look]) / len(by_look[look]) for look in sorted(by_look)]
    if not y:
        return Result(None)
    low, high, evidence = _bet(y, float(of["alpha"]))
    if of["part"] != "value":
        decided = "yes" if evidence >= 1 / of["alpha"] else "no"
        estimated: dict[str, float | str] = {"sources": len(y), "evidence": evidence, "decided": decided}
        return Result(estimated[of["part"]])
    scale, shift = (1, 0) if of["of"] == "wins" else (2, 1)
    value, low, high = (scale * place - shift for place in (sum(y) / len(y), low, high))
    return Result(value, low, high)


def _bet(y: Sequence[float], alpha: float) -> tuple[float, float, float]:
    """(low, high, the greatest evidence against one half) by the formula "sequence"."""
    m = np.append(np.linspace(0.0, 1.0, GRID + 1), 0.5)
    above, below = np.zeros(len(m)), np.zeros(len(m))
    total, squares, low, high, best = 0.5, 0.25, 0.0, 1.0, 0.0
    for t, value in enumerate(y, 1):
        g = sqrt(2 * log(2 / alpha) / (squares * log(1 + t)))
        with np.errstate(divide="ignore"):
            c, d = np.minimum(g, 0.75 / m), np.minimum(g, 0.75 / (1 - m))
        above, below = above + np.log1p(c * (value - m)), below + np.log1p(-d * (value - m))
        total += value
        squares += (value - total / (t + 1)) ** 2
        inside = m[:-1][np.maximum(above, below)[:-1] < log(2 / alpha)]
        if len(inside):
            low, high = max(low, inside[0] - 1 / GRID), min(high, inside[-1] + 1 / GRID)
        if low > high:
            low = high = (low + high) / 2
        best = max(best, float(np.logaddexp(above[-1], below[-1])) - log(2))
    return float(low), float(high), float(np.exp(min(700.0, best)))

"""Differences of systems with their tests, won and lost, Bradley-Terry strengths, and correlations with scores."""

from collections.abc import Sequence

import numpy as np

from epitome.check import rates_compared
from epitome.check.draws import (
    NONE,
    Bounds,
    Floats,
    bootstrap,
    draw_counts,
    expanded_share,
    flip_p,
    holm,
    middle,
    number_sources,
)
from epitome.check.rates import divide
from epitome.check.report_file import Answer, Number, Report
from epitome.check.results import Result
from epitome.check.selection import Of, prefers, score, select

STEPS, LEAST_STEP = 200, 1e-12
Bools = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
Differences = tuple[list[float], list[str]]


def subtract(report: Report, of: Of) -> Differences:
    """First minus second of each sample that both have, and its source; sources in their order among all samples."""
    first, second = of["first"], of["second"]
    scored = _score_all(report, of)
    sums: dict[str, dict[str, list[float]]] = {}
    source_of: dict[str, str] = {}
    for answer, system, score_value in scored:
        sums.setdefault(system, {}).setdefault(answer.sample, []).append(score_value)
        source_of[answer.sample] = answer.source
    order = {source: at for at, source in enumerate(dict.fromkeys(source_of[sample] for sample in sorted(source_of)))}
    mine, theirs = sums.get(first, {}), sums.get(second, {})
    if of["score"] == "prefers":  # one number per sample for the pair
        theirs = {sample: [0.0] for sample in mine}
    both = sorted(
        (sample for sample in mine if sample in theirs), key=lambda sample: (order[source_of[sample]], sample)
    )
    values = [sum(mine[sample]) / len(mine[sample]) - sum(theirs[sample]) / len(theirs[sample]) for sample in both]
    return values, [source_of[sample] for sample in both]


def _score_all(report: Report, of: Of) -> list[tuple[Answer, str, float]]:
    """(answer, system, what the answer says of it) of all systems."""
    name, chosen = of["score"], {key: value for key, value in of.items() if key not in ("first", "second")}
    if name == "prefers":
        pair = [of["first"], of["second"]]
        answers = select(report, {**chosen, "systems": pair, "about": "pair"})
        return [(answer, of["first"], prefers(answer, of["first"])) for answer in answers]
    if name in ("rank", "best-worst"):
        return [
            (answer, system, score(report, answer, {**of, "system": system}))
            for answer in select(report, {**chosen, "about": "list"})
            for system in answer.systems
        ]
    answers = select(report, {**chosen, "about": "one"})
    return [(answer, answer.systems[0], score(report, answer, of)) for answer in answers]


def difference(report: Report, number: Number) -> Result:
    values, sources = subtract(report, number.of)
    if not values:
        return Result(None, n=0)
    terms = np.column_stack([values, np.ones(len(values))])
    swaps = int(report.head["swaps"])
    low, high = bootstrap(terms, sources, divide, swaps, report.seed)
    return Result(sum(values) / len(values), low, high, len(values))


def p_value(report: Report, of: Of) -> float | None:
    def compute() -> float | None:
        values, sources = subtract(report, of)
        return flip_p(values, sources, int(report.head["swaps"]), report.seed) if values else None

    return report.remember("p", of, compute)


def p_of_difference(report: Report, number: Number) -> Result:
    return Result(p_value(report, number.of))


def corrected_p(report: Report, number: Number) -> Result:
    """Holm's correction over the numbers of the file with the statistic p and the same family."""
    ways = {"p": p_value, "p-of-rates": rates_compared.p_value, "p-of-correlation": correlation_p}
    family = [other for other in report.numbers if other.of.get("family") == number.of["family"]]
    uncorrected = [(other.of, ways[other.statistic](report, other.of)) for other in family if other.statistic in ways]
    known = [(of, p) for of, p in uncorrected if p is not None]
    corrected = holm([p for _of, p in known])
    return Result(next((p for (of, _p), p in zip(known, corrected, strict=True) if of == number.of), None))


def won_lost(report: Report, number: Number) -> Result:
    """How often a system was preferred, and how often another was, as "12–3"; ties are in neither."""
    of = {key: value for key, value in number.of.items() if key != "against"}
    system, against = number.of["system"], number.of.get("against")
    pair = {"systems": [system, against]} if against else {"includes": system}
    preferred = [prefers(answer, system) for answer in select(report, {**of, "about": "pair", **pair})]
    return Result(f"{sum(sign > 0 for sign in preferred)}–{sum(sign < 0 for sign in preferred)}")


def strength(report: Report, number: Number) -> Result:
    """A system's Bradley-Terry strength: the maximum of the likelihood, as a logarithm, all with mean 0."""
    answers, systems = select(report, number.of), list(number.of["among"])
    codes = number_sources([answer.source for answer in answers])
    wins = np.zeros((int(codes.max(initial=-1)) + 1, len(systems), len(systems)))
    for code, answer in zip(codes, answers, strict=True):
        a, b = (systems.index(system) for system in answer.systems[:2])
        share = {"1": 1.0, "2": 0.0}.get(answer.answer, 0.5)
        wins[code, a, b] += share
        wins[code, b, a] += 1 - share
    at = systems.index(number.of["system"])
    value = fit_strengths(wins.sum(axis=0)[None])[0, at]
    if not np.isfinite(value):
        return Result(None)
    drawn = draw_counts(len(wins), report.replicates, report.seed) @ wins.reshape(len(wins), -1)
    replicates = fit_strengths(drawn.reshape(-1, len(systems), len(systems)))
    ends = find_end(drawn.reshape(-1, len(systems), len(systems)), at)
    replicates = np.where(np.isnan(replicates[:, at]), ends, replicates[:, at])
    return Result(float(value), *middle_open(replicates, len(wins)))


def find_end(wins: Floats, at: int) -> Floats:
    """(tables,): inf where whoever reaches a system along wins is reached by it, -inf where it reaches nobody else, NaN
    where neither or both."""
    reach = find_reach(wins > 0)
    never_loses = (reach[:, at, :] | ~reach[:, :, at]).all(axis=1)
    never_wins = (reach[:, :, at] | ~reach[:, at, :]).all(axis=1)
    return np.asarray(np.select([never_loses & ~never_wins, never_wins & ~never_loses], [np.inf, -np.inf], np.nan))


def middle_open(values: Floats, n_sources: int) -> Bounds:
    """The expanded percentile interval; none where one of its ends is open."""
    known = values[~np.isnan(values)]
    finite = known[np.isfinite(known)]
    if n_sources < 2 or len(values) - len(known) > 0.5 * len(values) or not len(finite):
        return NONE
    tail = (1 - expanded_share(n_sources)) / 2
    if (known == np.inf).mean() > tail or (known == -np.inf).mean() > tail:
        return NONE
    return middle(np.clip(known, finite.min(), finite.max()), n_sources)


def find_reach(beats: Bools) -> Bools:
    """Whether a chain of wins leads from the row to the column."""
    reach = beats | np.eye(beats.shape[1], dtype=bool)
    for _step in range(beats.shape[1]):
        reach = reach | ((reach.astype(float) @ reach.astype(float)) > 0)
    return np.asarray(reach)


def fit_strengths(wins: Floats) -> Floats:
    """(tables, systems) from (tables, systems, systems) by Newton's method; NaN where not everybody is linked to
    everybody along wins (Ford 1957), so that there is no finite maximum."""
    k = wins.shape[1]
    linked = find_reach(wins > 0).all(axis=(1, 2))
    logs = np.zeros((len(wins), k))
    tables = wins[linked]
    games, fitted = tables + tables.transpose(0, 2, 1), np.zeros((int(linked.sum()), k))
    for _step in range(STEPS):
        if not len(fitted):
            break
        expected = games / (1 + np.exp(fitted[:, None, :] - fitted[:, :, None]))
        slope = (tables - expected).sum(axis=2)
        spread = games * (expected / np.maximum(games, 1e-300)) * (1 - expected / np.maximum(games, 1e-300))
        curve = -spread + np.einsum("ij,tj->tij", np.eye(k), spread.sum(axis=2)) + 1.0 / k
        step = np.linalg.solve(curve, slope[..., None])[..., 0]
        step *= np.minimum(1.0, 2.0 / np.maximum(np.abs(step).max(axis=1, keepdims=True), 1e-300))
        fitted = fitted + step
        if np.abs(step).max() < LEAST_STEP:
            break
    logs[linked] = fitted - fitted.mean(axis=1, keepdims=True)
    logs[~linked] = np.nan
    return logs


def _scores(report: Report, of: Of) -> tuple[Floats, list[str]]:
    chosen = [
        row
        for row in report.scores
        if row["attribute"] == of["attribute"] and of.get("system", row["system"]) == row["system"]
    ]
    return np.array([[-row["error"], row["yes"]] for row in chosen], dtype=float), [row["source"] for row in chosen]


def _ranks(values: Floats) -> Floats:
    """From 1, ties with their mean."""
    ordered = np.sort(values)
    first, last = np.searchsorted(ordered, values, "left"), np.searchsorted(ordered, values, "right")
    return np.asarray((first + last + 1) / 2)


def spearman(rows: Floats) -> float:
    """NaN for fewer than three rows, or where one side is constant."""
    if len(rows) < 3:
        return float("nan")
    a, b = (_ranks(column) - (len(rows) + 1) / 2 for column in rows.T)
    below = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / below if below else float("nan")


def correlation(report: Report, number: Number) -> Result:
    rows, sources = _scores(report, number.of)
    value = spearman(rows)
    if not np.isfinite(value):
        return Result(None, n=len(rows))
    return Result(value, *_draw_rows(report, rows, sources), len(rows))


def _draw_rows(report: Report, rows: Floats, sources: Sequence[str]) -> Bounds:
    codes = number_sources(sources)
    k = int(codes.max()) + 1
    if k < 2:
        return NONE
    of_source = [rows[codes == code] for code in range(k)]
    drawn = np.random.default_rng(report.seed).integers(0, k, size=(report.replicates, k))
    values = [spearman(np.concatenate([of_source[code] for code in replicate])) for replicate in drawn]
    return middle(np.array(values), k, most_undefined=0.05)


def correlation_p(report: Report, of: Of) -> float | None:
    """The signs of what whole sources add to the correlation are flipped."""
    rows, sources = _scores(report, of)
    if not np.isfinite(spearman(rows)) or len(set(sources)) < 2:
        return None
    a, b = (_ranks(column) - (len(rows) + 1) / 2 for column in rows.T)
    return flip_p((a * b).tolist(), sources, int(report.head["swaps"]), report.seed)


def p_of_correlation(report: Report, number: Number) -> Result:
    return Result(correlation_p(report, number.of))
